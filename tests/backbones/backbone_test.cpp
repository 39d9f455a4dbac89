// What each backbone makes of edge weights, on a graph small enough to work out by hand.
#include "dotin/layers/backbone.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/backbones.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::layers {
namespace {

namespace ref = ops::reference;
using dotin::testing::gradients_match;
using dotin::testing::random_tensor;

/// The star 1 - 0, 1 - 2, 1 - 3 after 2 and 3 have merged under multiplicity. Rows: one virtual node per task, then 0,
/// 1 and the merged m. For one task, with v the virtual node, the weights are
///
///        v  0  1  m     sum
///    v   1  1  1  2      5
///    0   1  1  1  .      3
///    1   1  1  1  2      5
///    m   2  .  2  1      5
ref::Structure star(int64_t tasks) {
  const batch::Batch batch = dotin::testing::batch_of({{4, {{0, 1}, {1, 2}, {1, 3}}, std::vector<float>(4), 0}}, 1);
  return ref::coarsen(ref::structure_of(batch, tasks), {1, 1, 0, 0}, true, ref::EdgeWeights::multiplicity).structure;
}

struct Layer {
  Layer(const std::string& name, int64_t tasks, int64_t hidden = 2)
      : parameters(7, at::kDouble), edges(ref::edge_tensors(star(tasks), at::empty({0}, at::kDouble))) {
    BackboneOptions options;
    options.hidden = hidden;
    options.tasks = tasks;
    options.tau = 1.5;
    backbone = make_backbone(core::from_word<dotin::Backbone>("backbone", name), options);
    network::ModelOptions model;
    model.backbone = core::from_word<dotin::Backbone>("backbone", name);
    model.hidden = hidden;
    model.norm = Norm::none;
    for (network::ParameterAbout& about : network::layer_parameters(model, tasks, 0)) {
      if (about.name != "layers.0.query.weight" && about.name != "layers.0.key.weight") parameters.add({about});
    }
    x = random_tensor({edges.rows, hidden}, 1);
    q = random_tensor({edges.rows, 2}, 2);
    p = random_tensor({edges.rows, 2}, 3);
  }

  at::Tensor coefficients() const { return backbone->coefficients({x, q, p, edges}, LayerParameters(parameters, 0)); }
  at::Tensor matrix() const {
    return at::zeros({edges.rows, edges.rows}, at::kDouble)
        .index_put({edges.row, edges.column}, coefficients().detach());
  }
  void set(const std::string& name, const at::Tensor& values) {
    const at::NoGradGuard no_gradients;
    parameters.get("layers.0." + name).copy_(values);
  }

  ParameterSet parameters;
  ref::EdgeTensors edges;
  std::unique_ptr<Backbone> backbone;
  at::Tensor x, q, p;
};

void expect_matrix(const at::Tensor& found, const std::vector<double>& expected) {
  const at::Tensor wanted = at::tensor(expected, at::kDouble).reshape(found.sizes());
  EXPECT_TRUE(at::allclose(found, wanted, 0, 1e-14)) << found << "\ninstead of\n" << wanted;
}

TEST(Gat, IsTheAttention) {
  const Layer layer("gat", 2);
  EXPECT_TRUE(at::equal(layer.coefficients(),
                        ref::attention(layer.q, layer.p, layer.edges, 1.5, ref::EdgeWeights::multiplicity)));
}

TEST(Gcn, NormalisesByTheRootsOfTheCurrentWeightedDegrees) {
  const double r = 1 / std::sqrt(15.0);
  expect_matrix(Layer("gcn", 1).matrix(), {0.2, r, 0.2, 0.4,  //
                                           r, 1 / 3.0, r, 0,  //
                                           0.2, r, 0.2, 0.4,  //
                                           0.4, 0, 0.4, 0.2});
}

TEST(Gin, SumsWeightedNeighboursWithVirtualNodesScaledAsInGcn) {
  Layer layer("gin", 1);
  layer.set("eps", at::full({1}, 0.25, at::kDouble));
  const double r = 1 / std::sqrt(5.0);
  expect_matrix(layer.matrix(), {0.25, r, r, 2 * r,  //
                                 r, 1.25, 1, 0,      //
                                 r, 1, 1.25, 2,      //
                                 2 * r, 0, 2, 1.25});
}

TEST(Sage, AveragesWeightedNeighboursWithoutTheNodeItselfAndVirtualNodesAsInGcn) {
  const double r = 1 / std::sqrt(5.0);
  expect_matrix(Layer("sage", 1).matrix(), {0, r, r, 2 * r,       //
                                            r / 2, 0, 0.5, 0,     //
                                            r / 4, 0.25, 0, 0.5,  //
                                            r / 2, 0, 0.5, 0});
}

TEST(Sage, GivesANodeWithoutNeighboursZeroInsteadOfNan) {
  Layer layer("sage", 1);
  layer.edges = ref::edge_tensors(ref::structure_of(dotin::testing::batch_of({{0, {}, {}, 0}}, 1), 1),
                                  at::empty({0}, at::kDouble));
  EXPECT_EQ(layer.coefficients().item<double>(), 0);
}

TEST(TaskGates, ScaleEdgesFromRawToVirtualNodesOnlyEachTaskByItsOwn) {
  for (const char* name : {"gcn", "gin", "sage"}) {
    Layer layer(name, 2);
    const at::Tensor gates = random_tensor({2, 2}, 4);
    layer.set("task_gate.weight", at::zeros({2, 2}, at::kDouble));
    const at::Tensor plain = layer.matrix();
    layer.set("task_gate.weight", gates);
    const at::Tensor gated = layer.matrix();
    for (int64_t i = 0; i < layer.edges.rows; ++i) {
      for (int64_t j = 0; j < layer.edges.rows; ++j) {
        const double gate = i < 2 && j >= 2 ? 2 / (1 + std::exp(-layer.x[j].dot(gates[i]).item<double>())) : 1;
        EXPECT_NEAR(gated[i][j].item<double>(), gate * plain[i][j].item<double>(), 1e-14) << name << i << j;
      }
    }
  }
}

TEST(Backbones, CoefficientsHaveTheGradientsOfRowsQueriesKeysAndParameters) {
  for (const std::string& name : core::words<dotin::Backbone>()) {
    for (const int64_t tasks : {1, 2, 3}) {
      const Layer layer(name, tasks);
      std::vector<at::Tensor> inputs = {layer.x, layer.q, layer.p};
      for (const auto& entry : layer.parameters.all()) inputs.push_back(entry.second);
      // Nothing has a gradient for GCN with one task: fixed weights of fixed edges.
      EXPECT_TRUE(gradients_match([&] { return layer.coefficients() + 0 * layer.x.sum(); }, inputs)) << name << tasks;
    }
  }
}

TEST(Backbones, TransformsHaveTheGradientsOfRowsAndParameters) {
  for (const std::string& name : core::words<dotin::Backbone>()) {
    const Layer layer(name, 1, 3);
    const at::Tensor h = random_tensor({4, 3}, 5);
    std::vector<at::Tensor> inputs = {h, layer.x};
    for (const auto& entry : layer.parameters.all()) inputs.push_back(entry.second);
    const LayerParameters parameters(layer.parameters, 0);
    EXPECT_TRUE(gradients_match([&] { return layer.backbone->transform(h, layer.x, parameters); }, inputs)) << name;
  }
}

TEST(Backbones, TransformsAreTheLinearMapsWritten) {
  const at::Tensor h = random_tensor({4, 2}, 5);
  for (const std::string& name : core::words<dotin::Backbone>()) {
    const Layer layer(name, 1);
    const LayerParameters parameters(layer.parameters, 0);
    const at::Tensor theta = parameters.get("linear.weight").t(), bias = parameters.get("linear.bias");
    at::Tensor expected = h.mm(theta) + bias;
    if (name == "gin") {
      const at::Tensor inner = h.mm(parameters.get("inner.weight").t()) + parameters.get("inner.bias");
      expected = at::where(inner > 0, inner, inner.exp() - 1).mm(theta) + bias;
    }
    if (name == "sage") expected = expected + layer.x.mm(parameters.get("self.weight").t());
    EXPECT_TRUE(at::allclose(layer.backbone->transform(h, layer.x, parameters), expected, 0, 1e-14)) << name;
  }
}

}  // namespace
}  // namespace dotin::layers
