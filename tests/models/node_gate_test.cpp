// The gate of nodes with several tasks, on a graph of one node, where a layer can be written out in a few lines.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

struct Plain {
  at::Tensor rows;    // that leave: both virtual nodes, then the raw one
  at::Tensor scores;  // of the raw node, by task
};

/// Rows of two virtual nodes and the one raw node, which has edges to both and to itself.
Plain plain_layer(const Model& model, int64_t layer, const at::Tensor& x, bool gated) {
  const auto get = [&](const std::string& name) {
    return model.parameters().get("layers." + std::to_string(layer) + "." + name).detach();
  };
  const double tau = std::sqrt(static_cast<double>(get("query.weight").size(0)));
  const at::Tensor products = x.mm(get("query.weight").t()).mm(x.mm(get("key.weight").t()).t()) / tau;
  const at::Tensor edges = at::tensor({1., 0., 1., 0., 1., 1., 1., 1., 1.}, at::kDouble).view({3, 3});
  const at::Tensor s = products.masked_fill(edges == 0, -INFINITY).softmax(1);
  const at::Tensor own = products.narrow(0, 0, 2).t();  // own[j][k] = q_k . p_j / tau
  const at::Tensor scores = (own + s.mm(own)).select(0, 2);
  at::Tensor next = at::elu(at::layer_norm(s.mm(x).mm(get("linear.weight").t()) + get("linear.bias"), {x.size(1)},
                                           get("norm.weight"), get("norm.bias"), 1e-5));
  if (gated)
    next =
        next * at::stack({at::ones({}, at::kDouble), at::ones({}, at::kDouble), 1 + scores.tanh().mean()}).unsqueeze(1);
  return {next + x, scores};
}

TEST(NodeGate, IsTheMeanOverTasksOfTheTanhOfEach) {
  for (const char* const engine : {"reference", "fused"}) {
    SCOPED_TRACE(engine);
    network::ModelOptions options = dotin::testing::small_options("gat", dotin::testing::Knobs::recommended);
    options.engine = core::from_word<dotin::Engine>("engine", engine);
    options.layers = 2;
    Model model(options, 2, {{"a", 2}, {"b", 2}}, 3);
    // One task is sure of the node, so that tanh of the sum would be all but constant.
    model.parameters().get("virtual").detach()[0].mul_(300);
    const batch::Batch batch = dotin::testing::batch_of({{1, {}, {0.5f, -1}, 0}}, 2);
    const at::Tensor input = model.parameters().get("input.weight").detach();
    const at::Tensor raw = at::tensor({0.5, -1.}, at::kDouble).view({1, 2}).mm(input.t());
    const at::Tensor x = at::cat({model.parameters().get("virtual").detach(), raw});
    const Plain first = plain_layer(model, 0, x, true);
    ASSERT_GT(std::abs(first.scores[0].item<double>()), 5);
    ASSERT_LT(std::abs(first.scores[1].item<double>()), 2);
    const Plain last = plain_layer(model, 1, first.rows, false);
    const Forward forward = model.forward(batch, {});
    for (int64_t k = 0; k < 2; ++k) {
      const std::string head = k == 0 ? "heads.a" : "heads.b";
      const at::Tensor expected = model.parameters().get(head + ".weight").detach().mv(last.rows[k]) +
                                  model.parameters().get(head + ".bias").detach();
      EXPECT_TRUE(at::allclose(forward.outputs[k].view({2}), expected, 0, 1e-12)) << forward.outputs[k] << expected;
    }
  }
}

}  // namespace
}  // namespace dotin::models
