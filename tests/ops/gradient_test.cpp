// Values and gradients of the reference ops.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dotin/core/random.h"
#include "dotin/ops/reference/attention.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::ops::reference {
namespace {

using dotin::testing::gradients_match;
using dotin::testing::random_tensor;

constexpr double kTau = 1.3;

/// Edges of four ragged graphs after a drop with merging, so that weights differ from 1 in the modes that have weights.
EdgeTensors coarse_edges(int64_t tasks, EdgeWeights edge_weights) {
  const Structure fine = structure_of(dotin::testing::batch_of(dotin::testing::ragged_graphs(1), 1), tasks);
  const std::vector<uint8_t> keep = {1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1};
  return edge_tensors(coarsen(fine, keep, true, edge_weights).structure, at::empty({0}, at::kDouble));
}

at::Tensor indices(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

TEST(SegmentSum, AddsWithinSegmentsAndGivesZeroWithoutEntries) {
  const at::Tensor values = at::tensor(std::vector<double>{1, 2, 4, 8}, at::kDouble);
  const at::Tensor sums = segment_sum(values, indices({2, 0, 2, 0}), 4);
  EXPECT_TRUE(at::equal(sums, at::tensor(std::vector<double>{10, 0, 5, 0}, at::kDouble)));
  EXPECT_TRUE(at::equal(segment_sum(values.reshape({2, 2}), indices({1, 1}), 2),
                        at::tensor(std::vector<double>{0, 0, 5, 10}, at::kDouble).reshape({2, 2})));
}

TEST(SegmentSum, HasTheGradientOfItsValues) {
  const at::Tensor values = random_tensor({6}, 1), wide = random_tensor({6, 3}, 2);
  const at::Tensor segment = indices({3, 0, 0, 3, 1, 3});  // segment 2 is empty
  EXPECT_TRUE(gradients_match([&] { return segment_sum(values, segment, 4); }, {values}));
  EXPECT_TRUE(gradients_match([&] { return segment_sum(wide, segment, 4); }, {wide}));
}

TEST(SegmentSoftmax, SumsToOneWithinEachSegment) {
  const at::Tensor segment = indices({3, 0, 0, 3, 1, 3});
  const at::Tensor shares = segment_softmax(random_tensor({6}, 3), segment, 4);
  const at::Tensor sums = segment_sum(shares, segment, 4);
  EXPECT_TRUE(at::allclose(sums, at::tensor(std::vector<double>{1, 1, 0, 1}, at::kDouble), 0, 1e-15));
}

TEST(SegmentSoftmax, StandsHugeValues) {
  const at::Tensor values = at::tensor(std::vector<double>{1000, 1000, -1000, 5, -1e300}, at::kDouble);
  const at::Tensor shares = segment_softmax(values, indices({0, 0, 0, 1, 2}), 3);
  EXPECT_TRUE(at::equal(shares, at::tensor(std::vector<double>{0.5, 0.5, 0, 1, 1}, at::kDouble)));
}

TEST(SegmentSoftmax, HasTheGradientOfItsValues) {
  const at::Tensor values = random_tensor({6}, 4);
  const at::Tensor segment = indices({3, 0, 0, 3, 1, 3});
  EXPECT_TRUE(gradients_match([&] { return segment_softmax(values, segment, 4); }, {values}));
}

class EveryWeighting : public ::testing::TestWithParam<EdgeWeights> {};

TEST_P(EveryWeighting, AttentionRowsSumToOne) {
  const EdgeTensors edges = coarse_edges(2, GetParam());
  const at::Tensor s =
      attention(random_tensor({edges.rows, 3}, 5), random_tensor({edges.rows, 3}, 6), edges, kTau, GetParam());
  EXPECT_TRUE(at::allclose(segment_sum(s, edges.row, edges.rows), at::ones({edges.rows}, at::kDouble), 0, 1e-14));
}

TEST_P(EveryWeighting, AttentionIsTheSoftmaxOfWeightedLogits) {
  const EdgeTensors edges = coarse_edges(2, GetParam());
  const at::Tensor q = random_tensor({edges.rows, 3}, 5), p = random_tensor({edges.rows, 3}, 6);
  const at::Tensor s = attention(q, p, edges, kTau, GetParam());
  std::vector<double> exponentials, sums(static_cast<std::size_t>(edges.rows), 0);
  for (int64_t e = 0; e < edges.row.size(0); ++e) {
    const int64_t i = edges.row[e].item<int64_t>(), j = edges.column[e].item<int64_t>();
    const double logit = q[i].dot(p[j]).item<double>() / kTau, weight = edges.weight[e].item<double>();
    exponentials.push_back(GetParam() == EdgeWeights::multiplicity ? weight * std::exp(logit)
                                                                   : std::exp(weight * logit));
    if (GetParam() == EdgeWeights::none) exponentials.back() = std::exp(logit);
    sums[static_cast<std::size_t>(i)] += exponentials.back();
  }
  for (int64_t e = 0; e < edges.row.size(0); ++e) {
    const auto row = static_cast<std::size_t>(edges.row[e].item<int64_t>());
    EXPECT_NEAR(s[e].item<double>(), exponentials[static_cast<std::size_t>(e)] / sums[row], 1e-14);
  }
}

TEST_P(EveryWeighting, AttentionHasTheGradientsOfQueriesAndKeys) {
  const EdgeTensors edges = coarse_edges(2, GetParam());
  const at::Tensor q = random_tensor({edges.rows, 3}, 5), p = random_tensor({edges.rows, 3}, 6);
  EXPECT_TRUE(gradients_match([&] { return attention(q, p, edges, kTau, GetParam()); }, {q, p}));
}

std::string name_of(const ::testing::TestParamInfo<EdgeWeights>& info) {
  if (info.param == EdgeWeights::none) return "none";
  return info.param == EdgeWeights::softmax ? "softmax" : "multiplicity";
}

INSTANTIATE_TEST_SUITE_P(Attention, EveryWeighting,
                         ::testing::Values(EdgeWeights::softmax, EdgeWeights::multiplicity, EdgeWeights::none),
                         name_of);

TEST(Aggregate, HasTheGradientsOfCoefficientsAndRows) {
  const EdgeTensors edges = coarse_edges(1, EdgeWeights::multiplicity);
  const at::Tensor coefficients = random_tensor({edges.row.size(0)}, 7);
  const at::Tensor rows = random_tensor({edges.rows, 2}, 8), vector = random_tensor({edges.rows}, 9);
  EXPECT_TRUE(gradients_match([&] { return aggregate(coefficients, rows, edges); }, {coefficients, rows}));
  EXPECT_TRUE(gradients_match([&] { return aggregate(coefficients, vector, edges); }, {coefficients, vector}));
}

TEST(Aggregate, IsTheMatrixProduct) {
  const EdgeTensors edges = coarse_edges(2, EdgeWeights::none);
  const at::Tensor coefficients = random_tensor({edges.row.size(0)}, 7), rows = random_tensor({edges.rows, 2}, 8);
  const at::Tensor matrix = at::zeros({edges.rows, edges.rows}, at::kDouble);
  matrix.index_put_({edges.row, edges.column}, coefficients);
  EXPECT_TRUE(at::allclose(aggregate(coefficients, rows, edges), matrix.mm(rows), 0, 1e-13));
  EXPECT_TRUE(at::allclose(aggregate(coefficients, rows.select(1, 0), edges), matrix.mv(rows.select(1, 0)), 0, 1e-13));
}

TEST(Attentiveness, IsTheScoreOfEachTask) {
  // (q_{g_k} . p_i) / tau with the virtual nodes of i's own graph.
  const EdgeTensors edges = coarse_edges(3, EdgeWeights::none);
  const at::Tensor q = random_tensor({edges.rows, 2}, 10), p = random_tensor({edges.rows, 2}, 11);
  const at::Tensor by_task = attentiveness_by_task(q, p, edges, kTau);
  ASSERT_EQ(by_task.size(1), 3);
  for (int64_t i = 0; i < edges.rows; ++i) {
    const int64_t graph = edges.graph_of[i].item<int64_t>();
    for (int64_t k = 0; k < 3; ++k)
      EXPECT_NEAR(by_task[i][k].item<double>(), q[graph * 3 + k].dot(p[i]).item<double>() / kTau, 1e-14);
  }
}

TEST(Attentiveness, HasTheGradientsOfQueriesAndKeys) {
  for (const int64_t tasks : {1, 2, 3}) {
    const EdgeTensors edges = coarse_edges(tasks, EdgeWeights::none);
    const at::Tensor q = random_tensor({edges.rows, 2}, 10), p = random_tensor({edges.rows, 2}, 11);
    EXPECT_TRUE(gradients_match([&] { return attentiveness_by_task(q, p, edges, kTau); }, {q, p}));
  }
}

TEST(NumericJacobian, CatchesAWrongGradient) {
  const at::Tensor x = random_tensor({3}, 12);
  EXPECT_TRUE(gradients_match([&] { return x * x; }, {x}));
  EXPECT_FALSE(gradients_match([&] { return x * x.detach(); }, {x}));
  EXPECT_FALSE(gradients_match([&] { return x * x + 1e-5 * x.detach(); }, {x}));
}

TEST(FeatureRows, PutDenseColumnsFirstAndSetTheColumnsOfCodes) {
  batch::Batch batch = dotin::testing::batch_of({{2, {}, {0.5f, -1, 2, 3}, 0}}, 2);
  batch.codes_per_node = 2;
  batch.codes = {2, 4, 3, -1};
  const at::Tensor rows = feature_rows(batch, 5, at::empty({0}, at::kDouble));
  const std::vector<double> expected = {0.5, -1, 1, 0, 1, 2, 3, 0, 1, 0};
  EXPECT_TRUE(at::equal(rows, at::tensor(expected, at::kDouble).reshape({2, 5})));
}

TEST(FeatureRows, RefuseABatchWiderThanTheModel) {
  batch::Batch batch = dotin::testing::batch_of({{1, {}, {0.5f, -1}, 0}}, 2);
  EXPECT_ANY_THROW(feature_rows(batch, 1, at::empty({0}, at::kDouble)));
  batch.codes_per_node = 1;
  batch.codes = {3};
  EXPECT_ANY_THROW(feature_rows(batch, 3, at::empty({0}, at::kDouble)));
}

}  // namespace
}  // namespace dotin::ops::reference
