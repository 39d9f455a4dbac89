#include "dotin/explain/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dotin/explain/predict.h"
#include "dotin/training/evaluate.h"
#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

std::vector<Prediction> predictions_of(const training::Learner& learner, const data::View& view, bool explain) {
  const data::FeatureEncoder encoder(learner.features, view.dataset(), data::UnknownLabels::error);
  core::NoProgress silent;
  std::vector<Prediction> all;
  predict(training::LearnerPredictor(learner), encoder, view, explain, silent,
          [&](const Prediction& prediction) { all.push_back(prediction); });
  return all;
}

training::Learner learner_with(double drop_ratio, bool merge, const std::string& drop = "dotin") {
  network::RunOptions options = small_options({"classify", "ged"});
  options.model.drop_ratio = {drop_ratio};
  options.model.merge = merge;
  options.model.drop = core::from_word<dotin::Drop>("drop", drop);
  options.model.layers = 4;
  return training::make_learner(options, data::View(small_dataset(24)));
}

std::vector<int32_t> together(std::vector<int32_t> a, const std::vector<int32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

TEST(Explanation, EveryLayerKeepsOrDropsWhatEnteredIt) {
  for (const char* const drop : {"dotin", "random"}) {
    for (const bool merge : {true, false}) {
      for (const double ratio : {0.0, 0.3, 0.5, 0.9}) {
        const training::Learner learner = learner_with(ratio, merge, drop);
        const auto dataset = small_dataset(24);
        const std::vector<Prediction> all = predictions_of(learner, data::View(dataset), true);
        ASSERT_EQ(all.size(), 24u);
        for (const Prediction& prediction : all) {
          const GraphExplanation& explanation = prediction.explanation;
          const int64_t nodes = dataset->graph(prediction.graph).nodes;
          ASSERT_EQ(explanation.layers.size(), 4u);
          ASSERT_EQ(static_cast<int64_t>(explanation.departure.size()), nodes);
          std::vector<int32_t> entered(static_cast<std::size_t>(nodes));
          std::iota(entered.begin(), entered.end(), 0);
          for (std::size_t l = 0; l < 4; ++l) {
            const LayerExplanation& layer = explanation.layers[l];
            EXPECT_EQ(layer.entered, entered) << "what a layer keeps enters the next";
            EXPECT_EQ(together(layer.kept, layer.dropped), entered);
            for (const int32_t node : layer.dropped)
              EXPECT_EQ(explanation.departure[static_cast<std::size_t>(node)], static_cast<int32_t>(l));
            entered = layer.kept;
          }
          for (const int32_t node : entered) EXPECT_EQ(explanation.departure[static_cast<std::size_t>(node)], 4);
          const auto first = static_cast<int64_t>(explanation.layers[0].dropped.size());
          EXPECT_EQ(first, static_cast<int64_t>(std::floor(static_cast<double>(nodes) * ratio)));
          EXPECT_TRUE(explanation.layers[3].dropped.empty()) << "after the last layer nothing is dropped";
          // Without merging all that entered are nodes of their own, so that every layer's count follows.
          if (merge) continue;
          for (const LayerExplanation& layer : explanation.layers) {
            if (&layer == &explanation.layers[3]) continue;
            EXPECT_EQ(layer.dropped.size(),
                      static_cast<std::size_t>(std::floor(static_cast<double>(layer.entered.size()) * ratio)));
          }
        }
      }
    }
  }
}

TEST(Explanation, AttentivenessIsAShareOfTheNodesThatEntered) {
  const training::Learner learner = learner_with(0.5, true);
  for (const Prediction& prediction : predictions_of(learner, data::View(small_dataset(24)), true)) {
    for (std::size_t l = 0; l < 4; ++l) {
      const LayerExplanation& layer = prediction.explanation.layers[l];
      ASSERT_EQ(layer.attentiveness.size(), 2u) << "one for each task";
      for (const std::vector<double>& shares : layer.attentiveness) {
        ASSERT_EQ(shares.size(), layer.entered.size());
        const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (const double share : shares) EXPECT_GE(share, 0);
        if (l == 0) {
          EXPECT_NEAR(sum, 1, 1e-9);
        }
        EXPECT_LT(sum, 1 + 1e-9) << "the merged node has the rest";
      }
    }
  }
}

TEST(Explanation, MergedNodesStandForWhatWasDropped) {
  const training::Learner learner = learner_with(0.5, true);
  bool nested = false;
  for (const Prediction& prediction : predictions_of(learner, data::View(small_dataset(24)), true)) {
    const GraphExplanation& explanation = prediction.explanation;
    for (std::size_t l = 0; l < 4; ++l) {
      const LayerExplanation& layer = explanation.layers[l];
      // Nodes of their own and what merged nodes stand for are together all nodes, each once.
      std::vector<int32_t> all = layer.entered;
      for (const MergedNode& merged : explanation.merged) {
        const bool entered = merged.layer < static_cast<int32_t>(l) && merged.departure >= static_cast<int32_t>(l);
        EXPECT_EQ(entered, std::count(layer.merged.begin(), layer.merged.end(), merged.layer) == 1);
        if (entered) all = together(all, merged.stands_for);
        nested = nested || merged.departure < 4;
      }
      std::vector<int32_t> nodes(explanation.departure.size());
      std::iota(nodes.begin(), nodes.end(), 0);
      EXPECT_EQ(all, nodes);
      for (std::size_t k = 0; k < 2; ++k) {
        const double sum =
            std::accumulate(layer.attentiveness[k].begin(), layer.attentiveness[k].end(), 0.0) +
            std::accumulate(layer.merged_attentiveness[k].begin(), layer.merged_attentiveness[k].end(), 0.0);
        EXPECT_NEAR(sum, 1, 1e-9);
      }
    }
  }
  EXPECT_TRUE(nested) << "some merged node is merged again";
}

TEST(Explanation, WithoutMergingNothingStandsForTheDropped) {
  const training::Learner learner = learner_with(0.5, false);
  for (const Prediction& prediction : predictions_of(learner, data::View(small_dataset(24)), true)) {
    EXPECT_TRUE(prediction.explanation.merged.empty());
    for (const LayerExplanation& layer : prediction.explanation.layers) EXPECT_TRUE(layer.merged.empty());
  }
}

TEST(Explanation, TheLowestScoresLeave) {
  const training::Learner learner = learner_with(0.5, false);
  for (const Prediction& prediction : predictions_of(learner, data::View(small_dataset(24)), true)) {
    EXPECT_TRUE(prediction.explanation.layers[3].score.empty()) << "the last layer decides nothing";
    for (std::size_t l = 0; l < 3; ++l) {
      const LayerExplanation& layer = prediction.explanation.layers[l];
      ASSERT_EQ(layer.score.size(), layer.entered.size());
      double worst_kept = INFINITY, best_dropped = -INFINITY, largest = 0;
      for (std::size_t i = 0; i < layer.entered.size(); ++i) {
        largest = std::max(largest, std::abs(layer.score[i]));
        const bool kept = std::binary_search(layer.kept.begin(), layer.kept.end(), layer.entered[i]);
        if (kept) worst_kept = std::min(worst_kept, layer.score[i]);
        if (!kept) best_dropped = std::max(best_dropped, layer.score[i]);
      }
      EXPECT_GE(worst_kept, best_dropped - 1e-6 * largest);
    }
  }
}

TEST(Predict, GivesWhatEvaluationSees) {
  const training::TrainerInput input = small_input(small_options({"classify", "regress:attributes"}));
  const training::TrainResult trained = train_whole(input);
  const data::View view(input.dataset, input.split.test);
  const std::vector<Prediction> all = predictions_of(trained.learner, view, false);
  const training::BoundData bound = training::bind(trained.learner, *input.dataset, data::UnknownLabels::error);
  const training::Evaluation evaluation = training::evaluate(trained.learner, bound, view, 1);
  double right = 0, squares = 0;
  ASSERT_EQ(all.size(), input.split.test.size());
  for (const Prediction& prediction : all) {
    EXPECT_TRUE(prediction.explanation.layers.empty()) << "not asked for";
    const auto g = static_cast<std::size_t>(prediction.graph);
    right += (prediction.outputs[0][1] > prediction.outputs[0][0]) == (bound.targets[0].values[g] == 1) ? 1 : 0;
    const std::vector<double> values = trained.learner.outputs[1]->read(prediction.outputs[1].data(), 2).values;
    for (std::size_t c = 0; c < 2; ++c) squares += std::pow(values[c] - bound.targets[1].values[2 * g + c], 2);
  }
  EXPECT_NEAR(evaluation.values[0], right / static_cast<double>(all.size()), 1e-12);
  EXPECT_NEAR(evaluation.values[3], std::sqrt(squares / (2 * static_cast<double>(all.size()))), 1e-9);
}

TEST(Predict, NeedsNoTargets) {
  const training::Learner learner = learner_with(0.5, true);
  io::Records records = small_records(6);
  records.targets.clear();
  const auto dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
  const std::vector<Prediction> without = predictions_of(learner, data::View(dataset), false);
  const std::vector<Prediction> with = predictions_of(learner, data::View(small_dataset(6)), false);
  ASSERT_EQ(without.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(without[i].outputs, with[i].outputs);
}

}  // namespace
}  // namespace dotin::explain
