#include "dotin/core/denormals.h"
#include "dotin/core/error.h"
#include "dotin/learn/metrics.h"
#include "dotin/training/learner.h"

namespace dotin {

namespace learn {

std::vector<Metric> metrics_of(const std::vector<training::MetricName>& names, const std::vector<double>& values) {
  std::vector<Metric> metrics;
  for (std::size_t m = 0; m < names.size() && m < values.size(); ++m)
    metrics.push_back({names[m].task, names[m].metric, values[m]});
  return metrics;
}

Epoch epoch_of(const std::vector<training::MetricName>& names, const training::EpochRecord& record, int64_t epochs,
               int64_t fold) {
  return {
      record.epoch + 1, epochs, fold, record.train_loss, record.validation_loss, metrics_of(names, record.validation)};
}

}  // namespace learn

namespace {

/// A learner that predicts, and lives as long as whoever predicts with it.
class SharedLearner : public network::Predictor {
 public:
  explicit SharedLearner(std::shared_ptr<const training::Learner> learner)
      : learner_(std::move(learner)), predictor_(*learner_) {}
  const network::Description& description() const override { return predictor_.description(); }
  network::BatchOutputs outputs(const batch::Batch& batch, bool trace) const override {
    return predictor_.outputs(batch, trace);
  }

 private:
  std::shared_ptr<const training::Learner> learner_;
  training::LearnerPredictor predictor_;
};

}  // namespace

Model::Model(std::shared_ptr<const training::Learner> learner, std::vector<Epoch> history, int64_t best_epoch)
    : learner_(std::move(learner)), history_(std::move(history)), best_epoch_(best_epoch) {}

Model Model::load(const std::string& path) {
  return {std::make_shared<const training::Learner>(training::load_model(path)), {}, 0};
}

void Model::save(const std::string& path) const { training::save_model(*learner_, path); }

Predictor Model::predictor(const PredictorOptions& options) const {
  return Predictor(std::make_shared<const SharedLearner>(learner_), options);
}

std::vector<Metric> Model::evaluate(const Dataset& graphs) const {
  const core::FlushDenormals flush;
  DOTIN_CHECK(graphs.size() > 0, "{}: there is no graph to evaluate", graphs.name());
  const training::BoundData bound = training::bind(*learner_, graphs.view().dataset(), data::UnknownLabels::error);
  return learn::metrics_of(training::metric_names(learner_->tasks),
                           training::evaluate(*learner_, bound, graphs.view(), 1).values);
}

Options Model::options() const { return network::options_of(learner_->options); }

}  // namespace dotin
