// The functions over kernels that models without virtual nodes are made of: gradients against central differences, and
// values against plain torch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dotin/kernels/fused_layer.h"
#include "dotin/ops/cross_entropy.h"
#include "dotin/ops/linear.h"
#include "dotin/ops/lstm_cell.h"
#include "dotin/ops/mix.h"
#include "dotin/ops/reference/attention.h"
#include "dotin/ops/rows.h"
#include "dotin/ops/segment_products.h"
#include "dotin/ops/segments.h"
#include "dotin/ops/sparse_layer.h"
#include "dotin/ops/triplet_margin.h"
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
  const at::Tensor x = random_tensor({level->nodes(), 3}, 8);
  const kernels::Dropout dropout = {0.3, 9};
  std::vector<at::Tensor> inputs = {x};
  kernels::for_each_parameter(
      [&inputs](const at::Tensor& parameter) {
        if (parameter.defined()) inputs.push_back(parameter);
      },
      parameters);
  EXPECT_TRUE(gradients_match([&] { return sparse_layer(settings, parameters, level, {x, {}}, dropout); }, inputs));
  settings.residual = false;
  EXPECT_TRUE(gradients_match([&] { return sparse_layer(settings, parameters, level, {x, {}}, {}); }, inputs));
  settings.residual = true;
  inputs[0] = random_tensor({4, 3}, 10);
  SharedRows shared{inputs[0], {}};
  for (int32_t i = 0; i < level->nodes(); ++i) shared.code.push_back(i * i % 4);
  EXPECT_TRUE(gradients_match([&] { return sparse_layer(settings, parameters, level, shared, dropout); }, inputs));
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
  EXPECT_TRUE(input_rows(batch, weight).code.empty());
  EXPECT_TRUE(at::allclose(input_rows(batch, weight).rows, expected, 0, 1e-14));
  EXPECT_TRUE(gradients_match([&] { return input_rows(batch, weight).rows; }, {weight}));
}

TEST(InputRows, AreSharedByNodesWithEqualCodes) {
  batch::Batch batch = dotin::testing::batch_of({{3, {}, {}, 0}}, 0);
  batch.codes_per_node = 2;
  batch.codes = {0, 3, 1, -1, 0, 3};
  const at::Tensor weight = random_tensor({3, 4}, 1);
  const SharedRows shared = input_rows(batch, weight);
  EXPECT_EQ(shared.code, (std::vector<int32_t>{0, 1, 0}));
  EXPECT_TRUE(at::allclose(select_rows(shared.rows, shared.code, {}),
                           reference::feature_rows(batch, 4, weight).mm(weight.t()), 0, 1e-14));
  EXPECT_TRUE(gradients_match(
      [&] {
        const SharedRows own = input_rows(batch, weight);
        return select_rows(own.rows, own.code, {});
      },
      {weight}));
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

TEST(Mix, IsTheProductOfEachMatrixWithRowsAndVectors) {
  const auto level = ragged_level();
  const at::Tensor rows = random_tensor({level->nodes(), 3}, 1), vector = random_tensor({level->nodes()}, 2);
  const at::Tensor adjacency = at::zeros({level->nodes(), level->nodes()}, at::kDouble);
  for (int32_t i = 0; i < level->nodes(); ++i) {
    for (int32_t e = level->row_offsets[i]; e < level->row_offsets[i + 1]; ++e) adjacency[i][level->columns[e]] = 1;
  }
  const auto normalised = [](const at::Tensor& matrix) {
    const at::Tensor scale = matrix.sum(1).rsqrt().nan_to_num(0, 0, 0);
    return scale.unsqueeze(1) * matrix * scale;
  };
  const std::vector<std::pair<Mixing, at::Tensor>> matrices = {
      {Mixing::adjacency, adjacency},
      {Mixing::normalised_adjacency, normalised(adjacency)},
      {Mixing::normalised_with_loops, normalised(adjacency + at::eye(level->nodes(), at::kDouble))},
  };
  for (const auto& [mixing, matrix] : matrices) {
    EXPECT_TRUE(at::allclose(mix(mixing, level, rows), matrix.mm(rows), 0, 1e-14));
    EXPECT_TRUE(at::allclose(mix(mixing, level, vector), matrix.mv(vector), 0, 1e-14));
    const auto of = mixing;
    EXPECT_TRUE(gradients_match([&] { return mix(of, level, rows); }, {rows}));
    EXPECT_TRUE(gradients_match([&] { return mix(of, level, vector); }, {vector}));
  }
}

TEST(SegmentProducts, AreThoseOfEachGraphsRows) {
  const at::Tensor a = random_tensor({16, 3}, 1), b = random_tensor({16, 2}, 2);
  const std::vector<int64_t>& offsets = holed_offsets();
  const at::Tensor products = segment_products(a, b, offsets);
  for (int64_t g = 0; g < 5; ++g) {
    const int64_t first = offsets[g], rows = offsets[g + 1] - first;
    EXPECT_TRUE(at::allclose(products[g], a.narrow(0, first, rows).t().mm(b.narrow(0, first, rows)), 0, 1e-14));
  }
  EXPECT_TRUE(gradients_match([&] { return segment_products(a, b, offsets); }, {a, b}));
  EXPECT_TRUE(gradients_match([&] { return segment_products(a, a, offsets); }, {a}));
}

TEST(SegmentMaps, MultiplyTheRowsOfEachGraphByItsMatrix) {
  const at::Tensor a = random_tensor({16, 3}, 1), maps = random_tensor({5, 3, 2}, 2);
  const std::vector<int64_t>& offsets = holed_offsets();
  const at::Tensor rows = segment_maps(a, maps, offsets);
  for (int64_t g = 0; g < 5; ++g) {
    const int64_t first = offsets[g], count = offsets[g + 1] - first;
    EXPECT_TRUE(at::allclose(rows.narrow(0, first, count), a.narrow(0, first, count).mm(maps[g]), 0, 1e-14));
  }
  EXPECT_TRUE(gradients_match([&] { return segment_maps(a, maps, offsets); }, {a, maps}));
}

TEST(CrossEntropy, IsThatOfLibtorch) {
  const std::vector<int64_t> labels = {2, -1, 0, 2};  // the fifth row is no anchor
  const at::Tensor mark = at::tensor(std::vector<int64_t>{2, -100, 0, 2}, at::kLong);
  for (const double smoothing : {0.0, 0.3}) {
    for (const std::vector<double>& weights : {std::vector<double>{}, std::vector<double>{0.5, 3, 1.25}}) {
      const at::Tensor logits = random_tensor({5, 3}, 1).detach().set_requires_grad(true);
      const at::Tensor expected = at::cross_entropy_loss(
          logits.narrow(0, 0, 4), mark, weights.empty() ? at::Tensor() : at::tensor(weights, at::kDouble),
          at::Reduction::Mean, -100, smoothing);
      EXPECT_NEAR(cross_entropy(logits, labels, weights, smoothing).item<double>(), expected.item<double>(), 1e-14);
      EXPECT_TRUE(gradients_match([&] { return 3 * cross_entropy(logits, labels, weights, smoothing); }, {logits}));
    }
  }
}

TEST(CrossEntropy, StandsLogitsOfAnySize) {
  const at::Tensor logits = at::tensor(std::vector<double>{1000, -1000}, at::kDouble).view({1, 2});
  EXPECT_EQ(cross_entropy(logits, {0}, {}, 0).item<double>(), 0);
  EXPECT_EQ(cross_entropy(logits, {1}, {}, 0).item<double>(), 2000);
  EXPECT_EQ(cross_entropy(logits, {-1}, {}, 0).item<double>(), 0) << "no row has a label";
}

TEST(TripletMargin, IsThatOfPlainTorch) {
  const std::vector<double> nodes = {4, 1, 2, 3};
  for (const bool squared : {false, true}) {
    for (const std::vector<double>& scale : {std::vector<double>{}, nodes}) {
      const at::Tensor rows = random_tensor({12, 3}, 5);
      const at::Tensor anchors = rows.narrow(0, 0, 4);
      at::Tensor d =
          at::stack({(rows.narrow(0, 4, 4) - anchors).norm(2, 1), (rows.narrow(0, 8, 4) - anchors).norm(2, 1)});
      if (!scale.empty()) d = d * at::tensor(scale, at::kDouble);
      if (squared) d = d.square();
      const at::Tensor excess = d[0] - d[1] + 0.5;
      ASSERT_GT(excess.max().item<double>(), 0);
      ASSERT_LT(excess.min().item<double>(), 0) << "some triplets are far enough apart";
      const TripletOptions options = {scale, squared};
      EXPECT_NEAR(triplet_margin(rows, options, 0.5).item<double>(), excess.clamp_min(0).mean().item<double>(), 1e-14);
      EXPECT_TRUE(gradients_match([&] { return 3 * triplet_margin(rows, options, 0.5); }, {rows}));
      const TripletDistances distances = triplet_distances(rows, options);
      EXPECT_TRUE(at::allclose(at::tensor(distances.positive, at::kDouble), d[0], 0, 1e-14));
      EXPECT_TRUE(at::allclose(at::tensor(distances.negative, at::kDouble), d[1], 0, 1e-14));
    }
  }
}

TEST(TripletMargin, LearnsNothingFromCopiesAndHidesNoNan) {
  const at::Tensor same = at::ones({3, 2}, at::kDouble).set_requires_grad(true);
  const at::Tensor loss = triplet_margin(same, {{5.0}, false}, 1);
  EXPECT_NEAR(loss.item<double>(), 1, 1e-12);
  loss.backward();
  EXPECT_TRUE(at::equal(same.grad(), at::zeros({3, 2}, at::kDouble)));
  const at::Tensor broken = at::full({3, 2}, std::nan(""), at::kDouble);
  EXPECT_TRUE(std::isnan(triplet_margin(broken, {}, 1).item<double>()));
}

TEST(Linear, AddsTheGradientsOfAddmm) {
  for (const auto type : {at::kDouble, at::kFloat}) {
    const auto leaf = [&](std::initializer_list<int64_t> sizes, uint64_t seed) {
      return random_tensor(sizes, seed).detach().to(type).set_requires_grad(true);
    };
    const at::Tensor rows = leaf({5, 2, 4}, 1), weight = leaf({3, 4}, 2), bias = leaf({3}, 3);
    const at::Tensor factors = random_tensor({5, 3}, 4).detach().to(type);
    const auto gradients = [&](const at::Tensor& result) {
      for (const at::Tensor& tensor : {rows, weight, bias}) tensor.mutable_grad() = at::ones_like(tensor.detach());
      (result * factors).sum().backward();
      return std::vector<at::Tensor>{result.detach(), rows.grad().clone(), weight.grad().clone(), bias.grad().clone()};
    };
    // A row of every second virtual node: rows with a stride.
    const std::vector<at::Tensor> own = gradients(linear(rows.select(1, 1), weight, bias));
    const std::vector<at::Tensor> plain = gradients(at::addmm(bias, rows.select(1, 1), weight.t()));
    const double tolerance = type == at::kDouble ? 1e-14 : 1e-6;
    for (std::size_t i = 0; i < own.size(); ++i) EXPECT_TRUE(at::allclose(own[i], plain[i], tolerance, tolerance)) << i;
  }
}

TEST(LstmCell, HasTheGradientsOfGatesAndCell) {
  const at::Tensor gates = random_tensor({3, 8}, 1), cell = random_tensor({3, 2}, 2);
  const auto [state, next] = lstm_cell(gates, cell);
  const std::vector<at::Tensor> parts = gates.chunk(4, 1);  // input, forget, candidate, output
  const at::Tensor expected = parts[1].sigmoid() * cell + parts[0].sigmoid() * parts[2].tanh();
  EXPECT_TRUE(at::allclose(next, expected, 0, 1e-15));
  EXPECT_TRUE(at::allclose(state, parts[3].sigmoid() * expected.tanh(), 0, 1e-15));
  const auto both = [&] {
    const auto [new_state, new_cell] = lstm_cell(gates, cell);
    return at::cat({new_state, new_cell});
  };
  EXPECT_TRUE(gradients_match(both, {gates, cell}));
  EXPECT_TRUE(gradients_match([&] { return lstm_cell(gates, cell).first; }, {gates, cell}));
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
