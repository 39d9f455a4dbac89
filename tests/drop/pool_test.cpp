// The pooling methods on graphs small enough to work out by hand.
#include "dotin/drop/pool.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/drop/pools.h"
#include "support/levels.h"
#include "support/numeric_jacobian.h"

namespace dotin::drop {
namespace {

using dotin::testing::bare_graph;
using dotin::testing::dense_weights;
using dotin::testing::gradients_match;
using dotin::testing::level_of;
using dotin::testing::random_tensor;
using dotin::testing::rows_of;
using dotin::testing::SmallGraph;

constexpr int64_t kLimit = 1 << 20;

struct Method {
  explicit Method(const std::string& name, int64_t hidden, int64_t clusters = 1, int64_t limit = kLimit)
      : parameters(3, at::kDouble), pool(make_pool(core::from_word<Drop>("drop", name), {hidden, {clusters}, limit})) {
    pool->add_parameters(parameters, 0);
  }
  Pooled operator()(const PoolLevel& level, const at::Tensor& layer_input, double drop_ratio = 0.5,
                    const std::vector<uint8_t>* keep = nullptr) const {
    const std::vector<uint64_t> keys(static_cast<std::size_t>(level.graphs()), 1);
    return pool->pool({0, layer_input, level, drop_ratio, keys, layers::LayerParameters(parameters, 0), keep});
  }
  Pooled operator()(const PoolLevel& level, double drop_ratio = 0.5) const {
    return (*this)(level, level.x, drop_ratio);
  }
  void set(const std::string& name, const std::vector<double>& values) {
    const at::NoGradGuard no_gradients;
    const at::Tensor& parameter = parameters.get("layers.0." + name);
    parameter.copy_(at::tensor(values, at::kDouble).reshape(parameter.sizes()));
  }
  layers::ParameterSet parameters;
  std::unique_ptr<Pool> pool;
};

void expect_equal(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_TRUE(at::allclose(found, expected, 1e-9, 1e-9)) << found << expected;
}

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

TEST(GPool, KeepsTheHighestProjectionsScaledBySigmoid) {
  Method method("gpool", 2);
  method.set("score.weight", {3, 4});  // length 5
  const SmallGraph path = bare_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  const PoolLevel level = level_of({path}, rows_of({1, 0, 0, 5, 2, 1, 0, 0}, 2));
  const Pooled pooled = method(level);  // y = 0.6, 4, 2, 0
  EXPECT_EQ(pooled.keep, (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(pooled.new_of_old, (std::vector<int64_t>{-1, 0, 1, -1}));
  expect_equal(pooled.level.x, rows_of({0, 5 * sigmoid(4), 2 * sigmoid(2), sigmoid(2)}, 2));
  expect_equal(dense_weights(pooled.level), rows_of({1, 1, 1, 1}, 2));
  EXPECT_FALSE(pooled.loss.defined());
}

TEST(SagPool, KeepsTheHighestScoresOfAGcnLayer) {
  Method method("sagpool", 1);
  method.set("score.weight", {2});
  const SmallGraph path = bare_graph(3, {{0, 1}, {1, 2}});
  const PoolLevel level = level_of({path}, rows_of({0.3, -0.6, 0.9}, 1));
  const Pooled pooled = method(level, 0.4);  // degrees with self-loops 2, 3, 2: one of three leaves
  const double root = std::sqrt(6.0);
  const double z0 = 2 * (0.3 / 2 - 0.6 / root), z1 = 2 * ((0.3 + 0.9) / root - 0.6 / 3),
               z2 = 2 * (-0.6 / root + 0.9 / 2);
  expect_equal(pooled.scores, at::tensor(std::vector<double>{z0, z1, z2}, at::kDouble));
  EXPECT_EQ(pooled.keep, (std::vector<uint8_t>{0, 1, 1}));
  expect_equal(pooled.level.x, rows_of({-0.6 * std::tanh(z1), 0.9 * std::tanh(z2)}, 1));
}

TEST(SagPool, KeepsTheHighestScoresWhateverTheSignOfTheWeight) {
  Method method("sagpool", 1);
  method.set("score.weight", {-1});
  const PoolLevel level = level_of({bare_graph(3, {})}, rows_of({1, 2, 3}, 1));
  EXPECT_EQ(method(level, 0.4).keep, (std::vector<uint8_t>{1, 1, 0}));  // scores -1, -2, -3
}

TEST(SagPool, TellsScoresApartWhereTheirGatesAreAllOne) {
  Method method("sagpool", 1);
  method.set("score.weight", {1});
  const PoolLevel level = level_of({bare_graph(3, {})}, rows_of({40, 60, 50}, 1));
  EXPECT_EQ(method(level, 0.4).keep, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(LaPool, FindsLeadersAndSharesOutTheOthers) {
  Method method("lapool", 1);
  method.set("cluster.weight", {1});
  method.set("cluster.bias", {0});
  // The path 0 - 1 - 2 - 3 with x = 4, 1, 2, 6: L x = 3, -4, -3, 4, so nodes 1 and 3 lead.
  const PoolLevel level = level_of({bare_graph(4, {{0, 1}, {1, 2}, {2, 3}})}, rows_of({4, 1, 2, 6}, 1));
  const Pooled pooled = method(level);
  EXPECT_EQ(pooled.keep, (std::vector<uint8_t>{0, 1, 0, 1}));
  // All cosines are 1. Node 0 is 1 and 3 steps from the leaders: sparsemax(1, 1/3) = (5/6, 1/6). Node 2: (1/2, 1/2).
  const double a = 5.0 / 6, b = 1.0 / 6;
  expect_equal(pooled.level.x, rows_of({4 * a + 1 + 1, 4 * b + 1 + 6}, 1));
  // S^T A S: from 0 - 1, 1 - 2 and 2 - 3; the self-loops add 1.
  expect_equal(dense_weights(pooled.level), rows_of({1 + 2 * a + 1, b + 0.5 + 0.5, b + 0.5 + 0.5, 1 + 1}, 2));
}

TEST(LaPool, BreaksTiesByOrderAndLetsEveryPartHaveALeader) {
  const Method method("lapool", 1);
  // A triangle of equals, a pair of equals and a single node.
  const PoolLevel level = level_of({bare_graph(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}})}, rows_of({1, 1, 1, -2, -2, 0}, 1));
  const Pooled pooled = method(level);
  EXPECT_EQ(pooled.keep, (std::vector<uint8_t>{1, 0, 0, 1, 0, 1}));
  EXPECT_EQ(pooled.level.offsets, (std::vector<int64_t>{0, 3}));
  // No weight joins clusters of different parts.
  const at::Tensor weights = dense_weights(pooled.level);
  EXPECT_EQ(weights.count_nonzero().item<int64_t>(), 3);
  EXPECT_DOUBLE_EQ(weights[0][0].item<double>(), 7);  // three edges, both directions, and the self-loop
}

TEST(Sparsemax, ProjectsOntoTheSimplex) {
  const at::Tensor rows = rows_of({0.5, 0.5, 0, 3, 0, 0, 0.2, 0.1, 0}, 3);
  expect_equal(sparsemax(rows), rows_of({0.5, 0.5, 0, 1, 0, 0, 1.3 / 3, 1.0 / 3, 0.7 / 3}, 3));
  const at::Tensor input = random_tensor({4, 5}, 9).requires_grad_(true);
  EXPECT_TRUE(gradients_match([&] { return sparsemax(input); }, {input}));
}

/// Rows whose softmax is known: logits that are logarithms.
TEST(DiffPool, SharesLossesAndAdjacencyAreThoseOfThePaper) {
  Method method("diffpool", 2, 2);
  // Two joined nodes: D^-1/2 (A + I) D^-1/2 averages the inputs to (log 3, 0) for both, so S = (3/4, 1/4) twice.
  method.set("assign.weight", {1, 0, 0, 1});
  method.set("assign.bias", {0, 0});
  const double log3 = std::log(3.0);
  const PoolLevel level = level_of({bare_graph(2, {{0, 1}})}, rows_of({10, 20, 30, 40}, 2));
  const Pooled pooled = method(level, rows_of({2 * log3, 0, 0, 0}, 2));
  expect_equal(pooled.level.x, rows_of({30, 45, 10, 15}, 2));
  // S^T A S = 2 s s^T, and the self-loops.
  expect_equal(dense_weights(pooled.level), rows_of({1.125 + 1, 0.375, 0.375, 0.125 + 1}, 2));
  // S S^T is 5/8 everywhere, A is 0 on and 1 off the diagonal.
  const double link = std::sqrt(2 * (25.0 / 64 + 9.0 / 64)) / 2;
  const double entropy = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25));
  EXPECT_NEAR(pooled.loss.item<double>(), link + entropy, 1e-12);
  EXPECT_TRUE(pooled.keep.empty());
}

TEST(MinCut, SharesLossesAndAdjacencyAreThoseOfThePaper) {
  Method method("mincut", 2, 2);
  method.set("assign.weight", {1, 0, 0, 1});
  method.set("assign.bias", {0, 0});
  const double log3 = std::log(3.0);
  // The pair 0 - 1: S = (3/4, 1/4) and (1/4, 3/4), A and D are as normalised as can be.
  const at::Tensor x = rows_of({log3, 0, 0, log3}, 2);
  const Pooled pooled = method(level_of({bare_graph(2, {{0, 1}})}, x));
  // S^T A S = 2 (3/16) on, 10/16 off the diagonal; D = I.
  const double cut = -(2 * 6.0 / 16) / (2 * 10.0 / 16);
  // S^T S = 10/16 on, 6/16 off the diagonal, of norm sqrt(272)/16.
  const double norm = std::sqrt(272.0), on = 10 / norm - std::sqrt(0.5), off = 6 / norm;
  EXPECT_NEAR(pooled.loss.item<double>(), cut + std::sqrt(2 * on * on + 2 * off * off), 1e-12);
  expect_equal(pooled.level.x, rows_of({0.75 * log3, 0.25 * log3, 0.25 * log3, 0.75 * log3}, 2));
  // Without its diagonal the rest is normalised to 1; the self-loops stand where the diagonal was.
  expect_equal(dense_weights(pooled.level), rows_of({1, 1, 1, 1}, 2));
}

TEST(MinCut, StandsGraphsWithoutEdges) {
  const Method method("mincut", 2, 3);
  const at::Tensor x = random_tensor({4, 2}, 1).requires_grad_(true);
  const Pooled pooled = method(level_of({bare_graph(4, {})}, x));
  expect_equal(dense_weights(pooled.level), at::eye(3, at::kDouble));
  (pooled.loss + pooled.level.x.sum() + pooled.level.edges.weight.sum()).backward();
  EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(Clustering, RefusesWhatTakesMoreThanTheLimitWithTheFigure) {
  const Method method("diffpool", 2, 50, 100'000);
  try {
    method(level_of({bare_graph(600, {})}, at::zeros({600, 2}, at::kDouble)));
    FAIL() << "accepted";
  } catch (const core::Error& error) {
    const std::string message = error.what();
    for (const char* part :
         {"600 nodes", "50 clusters", "2.4 MiB", "97.7 KiB", "`dense_limit`", "`clusters`", "sagpool"})
      EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
}

TEST(LaPool, RefusesABatchWhoseSharesTakeMoreThanTheLimitWithTheFigure) {
  const Method method("lapool", 2, 0, 100'000);
  try {
    method(level_of({bare_graph(600, {})}, at::zeros({600, 2}, at::kDouble)));  // without edges every node leads
    FAIL() << "accepted";
  } catch (const core::Error& error) {
    const std::string message = error.what();
    for (const char* part : {"600 leaders", "600 nodes", "38.5 MiB", "97.7 KiB", "`dense_limit`", "`batch`", "sagpool"})
      EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
}

TEST(EveryPool, HasTheGradientsOfRowsWeightsAndParameters) {
  for (const char* const name : {"none", "random", "gpool", "sagpool", "lapool", "diffpool", "mincut"}) {
    const Method method(name, 2, 3);
    const auto graphs = dotin::testing::ragged_graphs(0);
    const at::Tensor x = random_tensor({16, 2}, 1).requires_grad_(true);
    const at::Tensor before = random_tensor({16, 2}, 2).requires_grad_(true);
    PoolLevel level = level_of(graphs, x);
    // Weights as a clustering leaves them: positive, with a self-loop on top, and a gradient.
    const at::Tensor weights = (random_tensor({level.edges.row.size(0)}, 3).square() + 0.5).requires_grad_(true);
    level.edges.weight = weights + (level.edges.row == level.edges.column).to(at::kDouble);
    const std::vector<uint8_t> keep = method(level, before).keep;
    std::vector<at::Tensor> inputs = {x, before, weights};
    for (const auto& entry : method.parameters.all()) inputs.push_back(entry.second);
    EXPECT_TRUE(gradients_match(
        [&] {
          level.x = x;
          level.edges.weight = weights + (level.edges.row == level.edges.column).to(at::kDouble);
          const Pooled pooled = method(level, before, 0.5, keep.empty() ? nullptr : &keep);
          std::vector<at::Tensor> parts = {pooled.level.x.flatten(), pooled.level.edges.weight};
          if (pooled.loss.defined()) parts.push_back(pooled.loss.view({1}));
          return at::cat(parts);
        },
        inputs, {1e-5, 1e-6, 1e-7}))
        << name;
  }
}

TEST(EveryPool, StandsGraphsWithoutNodes) {
  for (const char* const name : {"none", "random", "gpool", "sagpool", "lapool", "diffpool", "mincut"}) {
    const Method method(name, 2, 3);
    const PoolLevel level =
        level_of({bare_graph(0, {}), bare_graph(2, {{0, 1}}), bare_graph(0, {})}, random_tensor({2, 2}, 1));
    const Pooled pooled = method(level);
    EXPECT_EQ(pooled.level.graphs(), 3) << name;
    EXPECT_TRUE(pooled.level.x.isfinite().all().item<bool>()) << name;
    EXPECT_TRUE(!pooled.loss.defined() || pooled.loss.isfinite().item<bool>()) << name;
  }
}

}  // namespace
}  // namespace dotin::drop
