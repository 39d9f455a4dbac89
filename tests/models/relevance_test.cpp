// The two networks that rank nodes, and what a model does with a ranking.
#include "dotin/models/relevance.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dotin/network/ranking.h"
#include "models/model_support.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::models {
namespace {

using dotin::testing::batch_of;
using dotin::testing::Features;
using dotin::testing::gradients_match;
using dotin::testing::make_batch;
using dotin::testing::ragged_graphs;
using dotin::testing::SmallGraph;

constexpr int32_t kOwnWidth = 3;

RelevanceOptions in_double() { return {{kOwnWidth, 0, 0, kOwnWidth}, at::kDouble, 5}; }

std::vector<at::Tensor> tensors_of(const layers::ParameterSet& parameters) {
  std::vector<at::Tensor> all;
  for (const auto& entry : parameters.all()) all.push_back(entry.second);
  return all;
}

TEST(Scorer, HasTheGradientsOfEveryParameter) {
  Scorer scorer(in_double(), 2);
  const batch::Batch batch = batch_of(ragged_graphs(kOwnWidth), kOwnWidth);
  EXPECT_TRUE(
      gradients_match([&] { return scorer.forward(batch); }, tensors_of(scorer.parameters()), {1e-5, 1e-6, 1e-7}));
}

TEST(Judge, HasTheGradientsOfEveryParameter) {
  Judge judge(in_double(), {{"a", 2}, {"b", 1}});
  const batch::Batch batch = batch_of(ragged_graphs(kOwnWidth), kOwnWidth);
  const auto outputs = [&] {
    const auto seen = judge.forward(batch), blind = judge.forward_blind(batch.graphs());
    return at::cat({seen[0], seen[1], blind[0], blind[1]}, 1);
  };
  std::vector<at::Tensor> small;  // the others are as wide as the judge, and are those of tests/ops
  for (const auto& [name, parameter] : judge.parameters().all()) {
    if (parameter.numel() <= 256) small.push_back(parameter);
  }
  ASSERT_GT(small.size(), 10u);
  EXPECT_TRUE(gradients_match(outputs, small, {1e-5, 1e-6, 1e-7}));
}

TEST(Scorer, FollowsNodesThatAreRenamedAndSeesNoOtherGraph) {
  Scorer scorer(in_double(), 1);
  const SmallGraph graph = ragged_graphs(kOwnWidth)[3];
  const std::vector<int32_t> new_of_old = {2, 4, 0, 1, 3};
  const std::vector<double> scores = scorer.scores(batch_of({graph}, kOwnWidth));
  const std::vector<double> other = scorer.scores(
      batch_of({ragged_graphs(kOwnWidth)[0], dotin::testing::renamed(graph, new_of_old, kOwnWidth)}, kOwnWidth));
  for (std::size_t i = 0; i < new_of_old.size(); ++i)
    EXPECT_NEAR(other[static_cast<std::size_t>(6 + new_of_old[i])], scores[i], 1e-12);
}

network::ModelOptions ranked_options() {
  network::ModelOptions options = dotin::testing::small_options("gat", dotin::testing::Knobs::recommended);
  options.ranking = "relevance";
  return options;
}

TEST(ChoicesByRank, AreNestedAndAMergedNodeHasTheBestScoreThatItHolds) {
  batch::Batch batch = batch_of({{5, {{0, 1}}, std::vector<float>(15, 0), 0}, {1, {}, {0, 0, 0}, 1}}, kOwnWidth);
  // Two tasks; means 5, 1, 4, 2, 3 and 7.
  const std::vector<double> scores = {10, 0, 1, 1, 0, 8, 2, 2, 3, 3, 7, 7};
  network::ModelOptions options = ranked_options();
  options.layers = 4;
  options.drop_ratio = {0.4, 0.5, 0.5};
  const auto layers = choices_by_rank(scores, 2, batch, options, 1);
  ASSERT_EQ(layers.size(), 4u);
  using Flags = std::vector<uint8_t>;
  using Numbers = std::vector<double>;
  EXPECT_EQ(layers[0].logits, (Numbers{5, 1, 4, 2, 3, 7}));
  EXPECT_EQ(layers[0].keep, (Flags{1, 0, 1, 0, 1, 1}));
  EXPECT_EQ(layers[1].raw_offsets, (std::vector<int64_t>{0, 4, 5}));
  EXPECT_EQ(layers[1].logits, (Numbers{5, 4, 3, 2, 7})) << "the merged node comes last, as node 3 did";
  EXPECT_EQ(layers[1].logits_by_task, (Numbers{10, 0, 0, 8, 3, 3, 2, 2, 7, 7}));
  EXPECT_EQ(layers[1].keep, (Flags{1, 1, 0, 0, 1}));
  EXPECT_EQ(layers[2].logits, (Numbers{5, 4, 3, 7}));
  EXPECT_EQ(layers[2].keep, (Flags{1, 1, 0, 1}));
  EXPECT_EQ(layers[3].keep, (Flags{1, 1, 1, 1})) << "after the last layer nothing is dropped";
  EXPECT_TRUE(layers[3].logits.empty());

  options.merge = false;
  EXPECT_EQ(choices_by_rank(scores, 2, batch, options, 1)[1].logits, (Numbers{5, 4, 3, 7}));
  EXPECT_EQ(choices_by_rank(scores, 2, batch, options, 0)[2].logits, (Numbers{5, 1, 4, 2, 3, 7})) << "no drop yet";
}

TEST(ChoicesByRank, EqualScoresKeepTheLowerIndex) {
  const batch::Batch batch = batch_of({{4, {}, std::vector<float>(12, 0), 0}}, kOwnWidth);
  const auto layers = choices_by_rank({1, 1, 1, 1}, 1, batch, ranked_options(), 1);
  EXPECT_EQ(layers[0].keep, (std::vector<uint8_t>{1, 1, 0, 0}));
}

TEST(RankedModel, DropsByTheScorerOnBothEnginesAndTheTraceSaysSo) {
  for (const char* const engine : {"fused", "reference"}) {
    network::ModelOptions options = ranked_options();
    options.engine = engine;
    Model model(options, dotin::testing::width_of(Features::dense), dotin::testing::heads_of(2), 4);
    model.use_scorer(std::make_shared<Scorer>(in_double(), 2));
    const batch::Batch batch = make_batch(Features::dense);
    const std::vector<double> scores = model.scorer()->scores(batch);
    const Forward forward = model.forward(batch, dotin::testing::traced());
    const auto expected = choices_by_rank(scores, 2, batch, options, 1);
    for (std::size_t l = 0; l < expected.size(); ++l) {
      EXPECT_EQ(forward.trace[l].keep, expected[l].keep) << engine << ", layer " << l;
      EXPECT_EQ(forward.trace[l].raw_offsets, expected[l].raw_offsets);
      EXPECT_EQ(forward.trace[l].logits, expected[l].logits);
      EXPECT_EQ(forward.trace[l].logits_by_task, expected[l].logits_by_task);
    }
    EXPECT_EQ(forward.trace[0].logits_by_task, scores);
  }
}

}  // namespace
}  // namespace dotin::models
