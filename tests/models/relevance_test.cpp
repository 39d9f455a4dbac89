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

RelevanceOptions in_double(int64_t tasks = 2) {
  return {{kOwnWidth, 0, 0, kOwnWidth}, {kOwnWidth, 3, tasks}, at::kDouble, 5};
}

/// Those of few numbers: the others are as wide as the networks, and are those of tests/ops.
std::vector<at::Tensor> small_ones(const layers::ParameterSet& parameters) {
  std::vector<at::Tensor> small;
  for (const auto& entry : parameters.all()) {
    if (entry.second.numel() <= 128) small.push_back(entry.second);
  }
  return small;
}

TEST(Detectors, HaveTheGradientsOfGatesAndParameters) {
  Detectors detectors(in_double(), 4);
  const batch::Batch batch = batch_of(ragged_graphs(kOwnWidth), kOwnWidth);
  std::vector<double> gates;
  for (int32_t i = 0; i < batch.nodes(); ++i) gates.push_back(0.1 + 0.8 * ((7 * i) % 10) / 10);
  const at::Tensor gate = at::tensor(gates, at::kDouble).unsqueeze(1).requires_grad_();
  std::vector<at::Tensor> inputs = small_ones(detectors.parameters());
  ASSERT_GT(inputs.size(), 10u);
  inputs.push_back(gate);
  EXPECT_TRUE(
      gradients_match([&] { return detectors.forward(batch, gate) * detectors.gains(); }, inputs, {1e-5, 1e-6, 1e-7}));
}

TEST(Ranker, HasTheGradientsOfParameters) {
  Detectors detectors(in_double(), 4);
  Ranker ranker(in_double());
  const batch::Batch batch = batch_of(ragged_graphs(kOwnWidth), kOwnWidth);
  const at::Tensor features = detectors.features(batch);
  EXPECT_FALSE(features.requires_grad());
  EXPECT_TRUE(gradients_match([&] { return ranker.forward(batch, features); }, small_ones(ranker.parameters()),
                              {1e-5, 1e-6, 1e-7}));
}

TEST(Detectors, AddUpEvidenceThatIsNeverNegative) {
  Detectors detectors(in_double(), 5);
  // Two graphs without edges, and both in one: no node sees another, so evidence adds up.
  const SmallGraph one{2, {}, {1, 0, 0, 0, 1, 0}, 0}, other{3, {}, {0, 0, 1, 1, 1, 0, 0, 1, 1}, 1};
  const SmallGraph both{5, {}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1}, 2};
  const at::Tensor evidence = detectors.forward(batch_of({one, other, both}, kOwnWidth)).exp();
  EXPECT_TRUE(at::allclose(evidence[0] + evidence[1], evidence[2], 1e-6, 0));
  EXPECT_TRUE((evidence > 0).all().item<bool>());
  EXPECT_LT(evidence.max().item<double>(), 3) << "about 1/2 for a graph of the usual size, at first";
}

TEST(Scorer, GivesTheNumbersOfDetectorsAndRankerThatItTook) {
  Detectors detectors(in_double(), 4);
  RelevanceOptions options = in_double();
  options.seed = 8;
  Ranker ranker(options);
  Scorer scorer(options);
  const batch::Batch batch = batch_of(ragged_graphs(kOwnWidth), kOwnWidth);
  const std::vector<double> before = scorer.scores(batch);
  scorer.take(detectors, ranker);
  const at::Tensor expected = ranker.forward(batch, detectors.features(batch)).detach().contiguous();
  const std::vector<double> scores = scorer.scores(batch);
  ASSERT_EQ(static_cast<int64_t>(scores.size()), expected.numel());
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected.data_ptr<double>()[i], 1e-12);
  EXPECT_NE(scores, before);
}

TEST(Scorer, FollowsNodesThatAreRenamedAndSeesNoOtherGraph) {
  Scorer scorer(in_double(1));
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
  options.ranking = Ranking::relevance;
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
    options.engine = core::from_word<dotin::Engine>("engine", engine);
    Model model(options, dotin::testing::width_of(Features::dense), dotin::testing::heads_of(2), 4);
    model.use_scorer(std::make_shared<Scorer>(in_double()));
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
