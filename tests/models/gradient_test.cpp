// Gradients of the whole model with respect to every parameter, with the choice of nodes fixed.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <tuple>

#include "models/model_support.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::models {
namespace {

using dotin::testing::Knobs;
using dotin::testing::SmallGraph;

using Setting = std::tuple<std::string, int64_t, bool, Knobs>;  // backbone, tasks, merge, knobs

/// A graph with a cycle, one of two nodes without an edge, and one of a single node.
batch::Batch small_batch() {
  std::vector<SmallGraph> graphs = dotin::testing::ragged_graphs(2);
  return dotin::testing::batch_of({graphs[3], {2, {}, {0.3f, -1.2f, 0.8f, 0.4f}, 1}, graphs[1]}, 2);
}

class WholeModel : public ::testing::TestWithParam<Setting> {};

TEST_P(WholeModel, HasTheGradientsOfEveryParameter) {
  const auto& [backbone, tasks, merge, knobs] = GetParam();
  network::ModelOptions options = dotin::testing::small_options(backbone, knobs);
  options.merge = merge;
  const Model model(options, 2, dotin::testing::heads_of(tasks), 5);
  const batch::Batch batch = small_batch();

  const std::vector<network::LayerTrace> choice = model.forward(batch, dotin::testing::traced()).trace;
  ForwardOptions forward;
  forward.repeat = &choice;
  std::vector<at::Tensor> parameters;
  for (const auto& entry : model.parameters().all()) parameters.push_back(entry.second);
  EXPECT_TRUE(dotin::testing::gradients_match(
      [&] {
        std::vector<at::Tensor> outputs;
        for (const at::Tensor& output : model.forward(batch, forward).outputs) outputs.push_back(output.flatten());
        return at::cat(outputs);
      },
      parameters, {1e-5, 1e-6, 1e-7}));
}

std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
  const auto& [backbone, tasks, merge, knobs] = info.param;
  return backbone + "_" + std::to_string(tasks) + (merge ? "_merge_" : "_no_merge_") +
         (knobs == Knobs::paper ? "paper" : "recommended");
}

INSTANTIATE_TEST_SUITE_P(Gradients, WholeModel,
                         ::testing::Combine(::testing::Values("gat", "gcn", "gin", "sage"), ::testing::Values(1, 2, 3),
                                            ::testing::Bool(), ::testing::Values(Knobs::paper, Knobs::recommended)),
                         name_of);

TEST(Gate, GivesTheChoiceOfNodesAGradient) {
  // In the first layer of GCN queries and keys do nothing but choose. Without merging, only the gate reaches them.
  for (const bool gate : {false, true}) {
    network::ModelOptions options = dotin::testing::small_options("gcn", Knobs::recommended);
    options.merge = false;
    options.gate = gate;
    const Model model(options, 2, dotin::testing::heads_of(1), 5);
    model.forward(small_batch(), {}).outputs[0].sum().backward();
    const at::Tensor gradient = model.parameters().get("layers.0.query.weight").grad();
    EXPECT_EQ(gradient.defined() && gradient.abs().sum().item<double>() > 1e-6, gate);
  }
}

}  // namespace
}  // namespace dotin::models
