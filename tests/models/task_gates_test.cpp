// Several tasks on backbones with fixed edge weights: the limitation the paper states, and the gates that lift it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

using dotin::testing::Knobs;
using dotin::testing::set_parameter;

/// Largest difference between the embeddings of two tasks that start from the same virtual vector.
double difference(const std::string& backbone, bool gates, Knobs knobs) {
  const Model model(dotin::testing::small_options(backbone, knobs), 2, dotin::testing::heads_of(2), 3);
  set_parameter(model, "virtual", {0.4, -0.7, 1.1, 0.4, -0.7, 1.1});
  for (int64_t l = 0; l < 3 && !gates && model.parameters().has("layers.0.task_gate.weight"); ++l) {
    // A gate is 2 sigmoid(x . u), so u = 0 is no gate at all.
    set_parameter(model, "layers." + std::to_string(l) + ".task_gate.weight", std::vector<double>(6, 0));
  }
  const batch::Batch batch = dotin::testing::batch_of(dotin::testing::ragged_graphs(2), 2);
  const Forward forward = model.forward(batch, {});
  return (forward.embeddings[0] - forward.embeddings[1]).abs().max().item<double>();
}

TEST(TaskGates, WithoutThemVirtualNodesOfFixedEdgeWeightsAreEqual) {
  for (const char* backbone : {"gcn", "gin", "sage"}) {
    EXPECT_LT(difference(backbone, false, Knobs::paper), 1e-14) << backbone;
    EXPECT_LT(difference(backbone, false, Knobs::recommended), 1e-14) << backbone;
  }
}

TEST(TaskGates, WithThemVirtualNodesDiffer) {
  for (const char* backbone : {"gcn", "gin", "sage"}) {
    EXPECT_GT(difference(backbone, true, Knobs::paper), 1e-3) << backbone;
    EXPECT_GT(difference(backbone, true, Knobs::recommended), 1e-3) << backbone;
  }
}

TEST(TaskGates, ExistOnlyWhereThereAreSeveralTasksAndFixedWeights) {
  const auto has_gates = [](const char* backbone, int64_t tasks) {
    const Model model(dotin::testing::small_options(backbone, Knobs::paper), 2, dotin::testing::heads_of(tasks), 3);
    return model.parameters().has("layers.0.task_gate.weight");
  };
  EXPECT_TRUE(has_gates("gcn", 2));
  EXPECT_FALSE(has_gates("gcn", 1));
  EXPECT_FALSE(has_gates("gat", 2));
}

}  // namespace
}  // namespace dotin::models
