// A small explained dataset for the tests of reports.
#pragma once

#include "dotin/explain/predict.h"
#include "training/small_run.h"

namespace dotin::testing {

struct Explained {
  std::shared_ptr<const data::Dataset> dataset;
  training::Learner learner;
  std::vector<explain::Prediction> predictions;
};

inline Explained explained(io::Records records, const std::vector<std::string>& tasks = {"classify", "ged"}) {
  network::RunOptions options = small_options(tasks);
  options.model.drop_ratio = {0.5};
  auto dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
  training::Learner learner = training::make_learner(options, data::View(dataset));
  const data::FeatureEncoder encoder(learner.features, *dataset, data::UnknownLabels::error);
  core::NoProgress silent;
  std::vector<explain::Prediction> predictions;
  explain::predict(training::LearnerPredictor(learner), encoder, data::View(dataset), true, silent,
                   [&](const explain::Prediction& prediction) { predictions.push_back(prediction); });
  return {std::move(dataset), std::move(learner), std::move(predictions)};
}

}  // namespace dotin::testing
