#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dotin/kernels/select.h"
#include "models/five_nodes_values.h"
#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

namespace ref = ops::reference;
using dotin::testing::Knobs;
using dotin::testing::numbers_of;
using dotin::testing::set_parameter;
using dotin::testing::five_nodes::kWeights;
using dotin::testing::five_nodes::Layer;
using dotin::testing::five_nodes::Matrix;
using dotin::testing::five_nodes::Vector;

constexpr double kTolerance = 1e-9;
const double kTau = std::sqrt(2.0);

batch::Batch five_nodes() {
  return dotin::testing::batch_of(
      {{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}}, {1, 0, 0, 1, 1, 1, -1, 2, 0.5f, -1}, 0}}, 2);
}

Vector flat(const Matrix& matrix) {
  Vector all;
  for (const Vector& row : matrix) all.insert(all.end(), row.begin(), row.end());
  return all;
}

at::Tensor tensor_of(const Matrix& matrix) {
  return at::tensor(flat(matrix), at::kDouble).reshape({static_cast<int64_t>(matrix.size()), -1});
}

void expect_near(const Vector& found, const Vector& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], kTolerance) << what << ", number " << i;
  }
}

at::Tensor dense(const at::Tensor& values, const ref::EdgeTensors& edges) {
  const at::Tensor matrix = at::zeros({edges.rows, edges.rows}, at::kDouble);
  return matrix.index_put_({edges.row, edges.column}, values);
}

at::Tensor softmax(const at::Tensor& values) {
  return ref::segment_softmax(values, at::zeros({values.size(0)}, at::kLong), 1);
}

/// The steps of a layer one by one, each from the written values of the one before.
void walk(const std::vector<Layer>& layers, Knobs knobs) {
  const bool recommended = knobs == Knobs::recommended;
  const ref::EdgeWeights edge_weights = recommended ? ref::EdgeWeights::multiplicity : ref::EdgeWeights::softmax;
  ref::Structure structure = ref::structure_of(five_nodes(), 1);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    SCOPED_TRACE("layer " + std::to_string(l));
    const Layer& expected = layers[l];
    const bool last = l + 1 == layers.size();
    const at::Tensor x = tensor_of(expected.x);
    const ref::EdgeTensors edges = ref::edge_tensors(structure, x);
    const at::Tensor q = x.mm(tensor_of(kWeights[l].query).t()), p = x.mm(tensor_of(kWeights[l].key).t());

    const at::Tensor s = ref::attention(q, p, edges, kTau, edge_weights);
    expect_near(numbers_of(dense(s, edges)), flat(expected.s), "S");
    at::Tensor logits = ref::attentiveness_by_task(q, p, edges, kTau).sum(1);
    if (recommended) logits = logits + ref::aggregate(s, logits, edges);
    logits = logits.slice(0, 1);
    expect_near(numbers_of(logits), expected.logits, "logits");
    expect_near(numbers_of(softmax(logits)), expected.attentiveness, "attentiveness");
    expect_near(numbers_of(ref::aggregate(s, x, edges)), flat(expected.h), "h");
    if (last) break;

    std::vector<uint8_t> keep(expected.keep.size());
    const Vector numbers = numbers_of(logits);
    const auto nodes = static_cast<int64_t>(keep.size());
    kernels::select_nodes(numbers.data(), nodes, kernels::drop_count(nodes, 0.5), keep.data());
    EXPECT_EQ(std::vector<int>(keep.begin(), keep.end()), expected.keep);
    const ref::Coarsening coarse = ref::coarsen(structure, keep, true, edge_weights);
    const at::Tensor dropped = at::tensor(coarse.dropped_rows, at::kLong);
    const at::Tensor score = (recommended ? logits : softmax(logits)).index_select(0, dropped - 1);
    expect_near(numbers_of(softmax(score)), expected.lambda, "lambda");
    structure = coarse.structure;
    const ref::EdgeTensors after = ref::edge_tensors(structure, x);
    expect_near(numbers_of(dense(after.weight, after)), flat(expected.weights), "weights");
  }
}

Model model_of(Knobs knobs, int64_t layers) {
  network::ModelOptions options = dotin::testing::small_options("gat", knobs);
  options.hidden = 2;
  options.layers = layers;
  Model model(options, 2, {{"y", 2}}, 0);
  set_parameter(model, "input.weight", {1, 0.5, -0.5, 1});
  set_parameter(model, "virtual", {0.6, -0.4});
  for (int64_t l = 0; l < layers; ++l) {
    const auto& weights = kWeights[l];
    const std::string prefix = "layers." + std::to_string(l);
    set_parameter(model, prefix + ".query.weight", flat(weights.query));
    set_parameter(model, prefix + ".key.weight", flat(weights.key));
    set_parameter(model, prefix + ".linear.weight", flat(weights.linear));
    set_parameter(model, prefix + ".linear.bias", weights.bias);
    if (options.norm == Norm::layer) {
      set_parameter(model, prefix + ".norm.weight", weights.norm_weight);
      set_parameter(model, prefix + ".norm.bias", weights.norm_bias);
    }
  }
  set_parameter(model, "heads.y.weight", {1, -1, 0.5, 2});
  set_parameter(model, "heads.y.bias", {0.1, -0.2});
  return model;
}

void run(const std::vector<Layer>& layers, const Vector& output, Knobs knobs) {
  const Forward forward = model_of(knobs, 3).forward(five_nodes(), dotin::testing::traced());
  expect_near(numbers_of(forward.outputs[0]), output, "output");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    SCOPED_TRACE("layer " + std::to_string(l));
    if (l < 2) expect_near(forward.trace[l].logits, layers[l].logits, "logits");
    const std::vector<int> keep(forward.trace[l].keep.begin(), forward.trace[l].keep.end());
    EXPECT_EQ(keep, l < 2 ? layers[l].keep : std::vector<int>(layers[l].logits.size(), 1));
    // A model of l + 1 layers reads the virtual row of x_next.
    const Forward shorter = model_of(knobs, static_cast<int64_t>(l) + 1).forward(five_nodes(), {});
    expect_near(numbers_of(shorter.embeddings[0]), layers[l].x_next[0], "x_next of the virtual node");
  }
}

TEST(FiveNodes, StepByStepWithThePapersKnobs) {
  using namespace dotin::testing::five_nodes;
  walk({kPaper0, kPaper1, kPaper2}, Knobs::paper);
}

TEST(FiveNodes, StepByStepWithTheRecommendedKnobs) {
  using namespace dotin::testing::five_nodes;
  walk({kRecommended0, kRecommended1, kRecommended2}, Knobs::recommended);
}

TEST(FiveNodes, ThroughTheModelWithThePapersKnobs) {
  using namespace dotin::testing::five_nodes;
  run({kPaper0, kPaper1, kPaper2}, kPaperOutput, Knobs::paper);
}

TEST(FiveNodes, ThroughTheModelWithTheRecommendedKnobs) {
  using namespace dotin::testing::five_nodes;
  run({kRecommended0, kRecommended1, kRecommended2}, kRecommendedOutput, Knobs::recommended);
}

TEST(FiveNodes, MergedNodesHoldTheSetsWrittenOut) {
  // Paper: {0} {2} {4} {1, 3}, then {2} {1, 3} {0, 4}. Recommended: the same, then {0} {2} {1, 3, 4}.
  const auto holders = [](Knobs knobs) {
    return dotin::testing::holders_of(model_of(knobs, 3).forward(five_nodes(), dotin::testing::traced()));
  };
  using Holders = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(holders(Knobs::paper), (Holders{{0, 1, 2, 3, 4}, {0, 3, 1, 3, 2}, {2, 1, 0, 1, 2}}));
  EXPECT_EQ(holders(Knobs::recommended), (Holders{{0, 1, 2, 3, 4}, {0, 3, 1, 3, 2}, {0, 2, 1, 2, 2}}));
}

}  // namespace
}  // namespace dotin::models
