#include "dotin/readout/readout.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/readouts.h"
#include "support/levels.h"
#include "support/numeric_jacobian.h"

namespace dotin::readout {
namespace {

const std::vector<std::string> kReadouts = {"mean", "sum", "max", "mean_max", "set2set", "sortpool", "sagpool"};

using dotin::testing::bare_graph;
using dotin::testing::gradients_match;
using dotin::testing::level_of;
using dotin::testing::random_tensor;
using dotin::testing::rows_of;

struct Reader {
  Reader(const std::string& name, ReadoutOptions options)
      : parameters(3, at::kDouble), readout(make_readout(core::from_word<dotin::Readout>("readout", name), options)) {
    readout->add_parameters(parameters);
  }
  at::Tensor operator()(const std::vector<drop::PoolLevel>& layers) const { return readout->read(layers, parameters); }
  void set(const std::string& name, const std::vector<double>& values) {
    const at::NoGradGuard no_gradients;
    const at::Tensor& parameter = parameters.get("readout." + name);
    parameter.copy_(at::tensor(values, at::kDouble).reshape(parameter.sizes()));
  }
  layers::ParameterSet parameters;
  std::unique_ptr<Readout> readout;
};

ReadoutOptions options_of(int64_t hidden, int64_t layers) {
  ReadoutOptions options;
  options.hidden = hidden;
  options.layers = layers;
  return options;
}

/// A path of three, a graph without nodes, a single node.
std::vector<dotin::testing::SmallGraph> three_graphs() {
  return {bare_graph(3, {{0, 1}, {1, 2}}), bare_graph(0, {}), bare_graph(1, {})};
}

void expect_equal(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_EQ(found.sizes(), expected.sizes());
  EXPECT_TRUE(at::allclose(found, expected, 1e-12, 1e-12)) << found << expected;
}

TEST(SimpleReadouts, AreWhatTheirNamesSayAndZeroWithoutNodes) {
  const drop::PoolLevel level = level_of(three_graphs(), rows_of({1, -2, 4, 0, -2, -1, 5, 7}, 2));
  const ReadoutOptions options = options_of(2, 1);
  expect_equal(Reader("sum", options)({level}), rows_of({3, -3, 0, 0, 5, 7}, 2));
  expect_equal(Reader("mean", options)({level}), rows_of({1, -1, 0, 0, 5, 7}, 2));
  expect_equal(Reader("max", options)({level}), rows_of({4, 0, 0, 0, 5, 7}, 2));
}

TEST(MeanMax, AddsUpTheLayers) {
  const drop::PoolLevel first = level_of(three_graphs(), rows_of({1, 2, 3, 9}, 1));
  const drop::PoolLevel second =
      level_of({bare_graph(1, {}), bare_graph(0, {}), bare_graph(1, {})}, rows_of({10, 20}, 1));
  expect_equal(Reader("mean_max", options_of(1, 2))({first, second}), rows_of({12, 13, 0, 0, 29, 29}, 2));
}

TEST(Set2Set, DoesTwoStepsAsWorkedOutByHand) {
  ReadoutOptions options = options_of(1, 1);
  options.steps = 2;
  Reader reader("set2set", options);
  // Gates in the order input, forget, candidate, output; q* = q || r.
  reader.set("lstm.input.weight", {0.5, 1, 0, 0, 1, -1, 0.25, 0});
  reader.set("lstm.state.weight", {0.1, 0.2, 0.3, 0.4});
  reader.set("lstm.bias", {0.3, -0.2, 0.7, 0.1});
  const double x[] = {1, -2};
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  double q = 0, r = 0, cell = 0;
  for (int step = 0; step < 2; ++step) {
    const double in = 0.5 * q + r + 0.1 * q + 0.3, forget = 0.2 * q - 0.2;
    const double candidate = q - r + 0.3 * q + 0.7, out = 0.25 * q + 0.4 * q + 0.1;
    cell = sigmoid(forget) * cell + sigmoid(in) * std::tanh(candidate);
    q = sigmoid(out) * std::tanh(cell);
    const double a = std::exp(x[0] * q), b = std::exp(x[1] * q);
    r = (a * x[0] + b * x[1]) / (a + b);
  }
  expect_equal(reader({level_of({bare_graph(2, {{0, 1}})}, rows_of({1, -2}, 1))}), rows_of({q, r}, 2));
}

TEST(SortPool, ReadsTheHighestRowsInOrderAndFillsUpWithZeros) {
  ReadoutOptions options = options_of(1, 2);
  options.sort_k = 10;
  Reader reader("sortpool", options);
  // One filter hands on the first channel, the others are off; the path filter weighs the five maxima of pairs by
  // powers of ten, so that the digits of the answer tell the order.
  std::vector<double> node(32, 0), path(32 * 16 * 5, 0);
  node[0] = 1;
  for (int i = 0; i < 5; ++i) path[static_cast<std::size_t>(i)] = std::pow(10, i);
  reader.set("node_filters.weight", node);
  reader.set("node_filters.bias", std::vector<double>(16, 0));
  reader.set("path_filters.weight", path);
  reader.set("path_filters.bias", std::vector<double>(32, 0));
  std::vector<double> dense(32, 0);
  dense[0] = 1;
  reader.set("dense.weight", dense);
  reader.set("dense.bias", {0});
  const auto graph = bare_graph(5, {});
  // Sorted by the second layer: nodes 3, 0, 4, 2, 1 (0 and 4 tie and go by the first layer).
  const drop::PoolLevel first = level_of({graph}, rows_of({5, 1, 2, 3, 4}, 1));
  const drop::PoolLevel second = level_of({graph}, rows_of({7, 0, 1, 9, 7}, 1));
  // First channels in order 3 5 4 2 1 0 0 0 0 0: pairs 5, 4, 1, 0, 0.
  expect_equal(reader({first, second}), rows_of({145}, 1));
}

TEST(SortPool, LeavesOutTheLowestRows) {
  ReadoutOptions options = options_of(2, 1);
  options.sort_k = 10;
  const Reader reader("sortpool", options);
  at::Tensor x = random_tensor({12, 2}, 5);
  x.select(1, 1).copy_(at::arange(12, at::kDouble));
  const at::Tensor before = reader({level_of({bare_graph(12, {})}, x)});
  at::Tensor other = x.clone();
  other.narrow(0, 0, 2).select(1, 0).add_(3);
  expect_equal(reader({level_of({bare_graph(12, {})}, other)}), before);
}

TEST(SagPoolGlobal, PoolsTheLayersSideBySideOnce) {
  ReadoutOptions options = options_of(1, 2);
  options.drop_ratio = 0.5;
  Reader reader("sagpool", options);
  reader.set("score.weight", {1, -1});
  const auto graph = bare_graph(2, {{0, 1}});
  const drop::PoolLevel first = level_of({graph, bare_graph(2, {})}, rows_of({1, 2, 3, 0.5}, 1));
  const drop::PoolLevel second = level_of({graph, bare_graph(2, {})}, rows_of({0, 1, 1, 0.25}, 1));
  // Joined nodes score the mean of 1 - 0 and 2 - 1: both tanh 1, the tie keeps the first. Separate ones 2 and 0.25.
  const double joined = std::tanh(1), separate = std::tanh(2);
  expect_equal(reader({first, second}),
               rows_of({joined, 0, joined, 0, 3 * separate, separate, 3 * separate, separate}, 4));
}

TEST(EveryReadout, HasTheGradientsOfRowsAndParameters) {
  for (const std::string& name : kReadouts) {
    const Reader reader(name, options_of(2, 2));
    const auto graphs = dotin::testing::ragged_graphs(0);
    const at::Tensor a = random_tensor({16, 2}, 1).requires_grad_(true);
    const at::Tensor b = random_tensor({16, 2}, 2).requires_grad_(true);
    std::vector<at::Tensor> inputs = {a, b};
    for (const auto& entry : reader.parameters.all()) inputs.push_back(entry.second);
    const drop::PoolLevel first = level_of(graphs, a), second = level_of(graphs, b);
    EXPECT_TRUE(gradients_match([&] { return reader({first, second}); }, inputs)) << name;
  }
}

TEST(EveryReadout, HasItsWidthAndReadsEachGraphForItself) {
  for (const std::string& name : kReadouts) {
    const Reader reader(name, options_of(2, 1));
    const auto graphs = dotin::testing::ragged_graphs(0);
    const drop::PoolLevel all = level_of(graphs, random_tensor({16, 2}, 1));
    const at::Tensor together = reader({all});
    EXPECT_EQ(together.size(1), reader.readout->width()) << name;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const drop::PoolLevel alone = level_of({graphs[g]}, all.x.narrow(0, all.offsets[g], graphs[g].nodes));
      EXPECT_TRUE(at::allclose(reader({alone})[0], together[static_cast<int64_t>(g)], 1e-12, 1e-12)) << name;
    }
  }
}

}  // namespace
}  // namespace dotin::readout
