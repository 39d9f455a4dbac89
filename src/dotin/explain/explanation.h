// Which nodes each task needed: what every layer kept and dropped, in terms of the original nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/trace.h"

namespace dotin::explain {

/// One layer, as one graph went through it. Nodes are original indices within the graph.
struct LayerExplanation {
  std::vector<int32_t> kept;     // stay as nodes of their own
  std::vector<int32_t> dropped;  // were nodes of their own and leave here: merged, or gone
  /// Attentiveness of the nodes that entered as nodes of their own: softmax over them and the merged nodes, per task.
  /// Empty where the model has no virtual nodes.
  std::vector<int32_t> entered;
  std::vector<std::vector<double>> attentiveness;  // [task][position in entered]
  std::vector<double> score;  // by which the drop was decided, per position in entered; empty in the last layer
  /// Merged nodes that entered, by the layer that made each, and their share of the attentiveness.
  std::vector<int32_t> merged;
  std::vector<std::vector<double>> merged_attentiveness;  // [task][position in merged]
};

/// A node that stands for dropped ones.
struct MergedNode {
  int32_t layer = 0;  // that made it: a graph gets at most one in each
  int32_t departure =
      0;  // the layer that dropped it in turn, into its own merged node; the number of layers if none did
  std::vector<int32_t> stands_for;  // original nodes, in order
};

struct GraphExplanation {
  int64_t graph = 0;  // index in the dataset
  std::vector<LayerExplanation> layers;
  std::vector<int32_t> departure;  // per original node: the layer that dropped it, or the number of layers if none did
  std::vector<MergedNode> merged;  // by layer; empty without merging
};

/// Explanations of all anchors of a batch, from the trace of a pass over it.
std::vector<GraphExplanation> explain_batch(const batch::Batch& batch, const std::vector<network::LayerTrace>& trace,
                                            int64_t tasks);

}  // namespace dotin::explain
