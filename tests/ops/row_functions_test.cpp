// The functions over kernels that models without virtual nodes are made of: gradients against central differences, and
// values against plain torch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "dotin/kernels/fused_layer.h"
#include "dotin/ops/mix.h"
#include "dotin/ops/reference/attention.h"
#include "dotin/ops/rows.h"
#include "dotin/ops/segments.h"
#include "dotin/ops/sparse_layer.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::ops {
namespace {

using dotin::testing::gradients_match;
using dotin::testing::random_tensor;

batch::Batch ragged_batch() { return dotin::testing::batch_of(dotin::testing::ragged_graphs(3), 3); }

std::shared_ptr<const kernels::Level> ragged_level() {
  const batch::Batch batch = ragged_batch();
  auto level = std::make_shared<kernels::Level>();
  level->node_offsets = batch.node_offsets;
  level->row_offsets = batch.row_offsets;
  level->columns = batch.neighbours;
  return level;
}

/// 16 rows in five graphs, of which two are empty.
const std::vector<int64_t>& holed_offsets() {
  static const std::vector<int64_t> offsets = {0, 0, 6, 7, 16, 16};
  return offsets;
}

class EveryBackbone : public ::testing::TestWithParam<kernels::Backbone> {};

TEST_P(EveryBackbone, SparseLayerHasTheGradientsOfRowsAndParameters) {
  kernels::LayerSettings settings;
  settings.backbone = GetParam();
  settings.hidden = 3;
  settings.attention = 2;
  settings.tau = 1.3;
  FusedLayerParameters parameters;
  parameters.linear = random_tensor({3, 3}, 1);
  parameters.bias = random_tensor({3}, 2);
  parameters.gamma = random_tensor({3}, 3);
  parameters.beta = random_tensor({3}, 4);
  if (GetParam() == kernels::Backbone::gat) {
    parameters.query = random_tensor({2, 3}, 5);
    parameters.key = random_tensor({2, 3}, 6);
  } else if (GetParam() == kernels::Backbone::sage) {
    parameters.self = random_tensor({3, 3}, 5);
  } else if (GetParam() == kernels::Backbone::gin) {
    parameters.inner = random_tensor({3, 3}, 5);
    parameters.inner_bias = random_tensor({3}, 6);
    parameters.eps = random_tensor({1}, 7);
  }
  const auto level = ragged_level();
  const at::Tensor x = random_tensor({level->nodes(), 3}, 8), mask = random_tensor({level->nodes(), 3}, 9);
  std::vector<at::Tensor> inputs = {x};
  kernels::for_each_parameter(
      [&inputs](const at::Tensor& parameter) {
        if (parameter.defined()) inputs.push_back(parameter);
      },
      parameters);
  EXPECT_TRUE(gradients_match([&] { return sparse_layer(settings, parameters, level, x, mask); }, inputs));
  settings.residual = false;
  EXPECT_TRUE(gradients_match([&] { return sparse_layer(settings, parameters, level, x, {}); }, inputs));
}

INSTANTIATE_TEST_SUITE_P(All, EveryBackbone,
                         ::testing::Values(kernels::Backbone::gat, kernels::Backbone::gcn, kernels::Backbone::gin,
                                           kernels::Backbone::sage));

TEST(InputRows, AreFeaturesTimesWeight) {
  batch::Batch batch = dotin::testing::batch_of({{2, {}, {0.5f, -1, 2, 3}, 0}}, 2);
  batch.codes_per_node = 2;
  batch.codes = {2, 4, 3, -1};
  const at::Tensor weight = random_tensor({3, 5}, 1);
  const at::Tensor expected = reference::feature_rows(batch, 5, weight).mm(weight.t());
  EXPECT_TRUE(at::allclose(input_rows(batch, weight), expected, 0, 1e-14));
  EXPECT_TRUE(gradients_match([&] { return input_rows(batch, weight); }, {weight}));
}

TEST(InputRows, RefuseABatchWiderThanTheModel) {
  batch::Batch batch = dotin::testing::batch_of({{1, {}, {0.5f, -1}, 0}}, 2);
  EXPECT_ANY_THROW(input_rows(batch, random_tensor({3, 1}, 1)));
  batch.codes_per_node = 1;
  batch.codes = {3};
  EXPECT_ANY_THROW(input_rows(batch, random_tensor({3, 3}, 1)));
}

TEST(SelectRows, HaveTheGradientsOfRowsAndGate) {
  const at::Tensor rows = random_tensor({5, 3}, 1), gate = random_tensor({5}, 2);
  const std::vector<int32_t> kept = {0, 3, 4};
  const at::Tensor index = at::tensor({0, 3, 4}, at::kLong);
  EXPECT_TRUE(at::equal(select_rows(rows, kept, {}), rows.index_select(0, index)));
  EXPECT_TRUE(at::equal(select_rows(rows, kept, gate), (rows * gate.unsqueeze(1)).index_select(0, index)));
  EXPECT_TRUE(gradients_match([&] { return select_rows(rows, kept, {}); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return select_rows(rows, kept, gate); }, {rows, gate}));
  EXPECT_EQ(select_rows(rows, {}, gate).size(0), 0);
}

TEST(MixNormalised, IsTheNormalisedProductOfRowsAndVectors) {
  const auto level = ragged_level();
  const at::Tensor rows = random_tensor({level->nodes(), 3}, 1), vector = random_tensor({level->nodes()}, 2);
  at::Tensor matrix = at::eye(level->nodes(), at::kDouble);
  for (int32_t i = 0; i < level->nodes(); ++i) {
    for (int32_t e = level->row_offsets[i]; e < level->row_offsets[i + 1]; ++e) matrix[i][level->columns[e]] = 1;
  }
  const at::Tensor scale = matrix.sum(1).rsqrt();
  matrix = scale.unsqueeze(1) * matrix * scale;
  EXPECT_TRUE(at::allclose(mix_normalised(level, rows), matrix.mm(rows), 0, 1e-14));
  EXPECT_TRUE(at::allclose(mix_normalised(level, vector), matrix.mv(vector), 0, 1e-14));
  EXPECT_TRUE(gradients_match([&] { return mix_normalised(level, rows); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return mix_normalised(level, vector); }, {vector}));
}

TEST(Segments, GiveZeroForGraphsWithoutRows) {
  const at::Tensor rows = random_tensor({16, 3}, 1), queries = random_tensor({5, 3}, 2);
  for (const at::Tensor& read :
       {segment_sums(rows, holed_offsets()), segment_means(rows, holed_offsets()), segment_max(rows, holed_offsets()),
        segment_mean_max(rows, holed_offsets()), segment_attention(rows, queries, holed_offsets())}) {
    ASSERT_EQ(read.size(0), 5);
    EXPECT_TRUE(at::equal(read[0], at::zeros_like(read[0])));
    EXPECT_TRUE(at::equal(read[4], at::zeros_like(read[4])));
  }
}

TEST(Segments, AreSumMeanMaxAndAttentionOfTheirRows) {
  const at::Tensor rows = random_tensor({16, 3}, 1), queries = random_tensor({5, 3}, 2);
  const std::vector<int64_t>& offsets = holed_offsets();
  for (int64_t g = 1; g < 4; ++g) {
    const at::Tensor own = rows.narrow(0, offsets[g], offsets[g + 1] - offsets[g]);
    EXPECT_TRUE(at::allclose(segment_sums(rows, offsets)[g], own.sum(0), 0, 1e-14));
    EXPECT_TRUE(at::allclose(segment_means(rows, offsets)[g], own.mean(0), 0, 1e-14));
    EXPECT_TRUE(at::equal(segment_max(rows, offsets)[g], own.amax(0)));
    EXPECT_TRUE(at::allclose(segment_mean_max(rows, offsets)[g], at::cat({own.mean(0), own.amax(0)}), 0, 1e-14));
    EXPECT_TRUE(at::allclose(segment_attention(rows, queries, offsets)[g], own.t().mv(own.mv(queries[g]).softmax(0)), 0,
                             1e-14));
  }
}

TEST(Segments, HaveTheGradientsOfRowsAndQueries) {
  const at::Tensor rows = random_tensor({16, 3}, 1), queries = random_tensor({5, 3}, 2);
  const std::vector<int64_t>& offsets = holed_offsets();
  EXPECT_TRUE(gradients_match([&] { return segment_sums(rows, offsets); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return segment_means(rows, offsets); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return segment_max(rows, offsets); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return segment_mean_max(rows, offsets); }, {rows}));
  EXPECT_TRUE(gradients_match([&] { return segment_attention(rows, queries, offsets); }, {rows, queries}));
}

TEST(Segments, ShareTheGradientOfEqualLargestValues) {
  const at::Tensor rows = at::tensor({2.0, 1.0, 2.0}, at::kDouble).view({3, 1}).requires_grad_(true);
  segment_max(rows, {0, 3}).backward(at::ones({1, 1}, at::kDouble));
  EXPECT_TRUE(at::equal(rows.grad().flatten(), at::tensor({0.5, 0.0, 0.5}, at::kDouble)));
}

}  // namespace
}  // namespace dotin::ops
