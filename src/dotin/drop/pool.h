// The methods that DOTIN is compared with: what becomes of the graph after a layer, where there are no virtual nodes.
// One file each; registered in pool.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/layers/backbone.h"
#include "dotin/ops/rows.h"
#include "dotin/options.h"

namespace dotin::drop {

/// The graphs of a batch between two layers, raw nodes only. Edges are A + I: every node has a self-loop of weight 1 on
/// top of what the adjacency A has on its diagonal. Sorted by row. Weights may have a gradient.
struct PoolLevel {
  at::Tensor x;                       // [nodes, D], or fewer rows where there is `code`
  std::vector<int64_t> offsets;       // graphs + 1
  ops::reference::EdgeTensors edges;  // empty where there is `sparse`, see edges_of
  /// Whether kernels run where there are any (ops/), or plain torch does.
  bool fused = false;
  /// The edges for kernels, self-loops implicit: of fused levels as long as all weights are 1.
  std::shared_ptr<const kernels::Level> sparse;
  /// Before the first layer of the fused engine: the row of x that each node has. Otherwise empty: its own.
  std::vector<int32_t> code;

  int64_t graphs() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t nodes() const { return offsets.back(); }
};

struct PoolOptions {
  int64_t hidden = 64;
  std::vector<int64_t> clusters;  // per layer: how many clusters diffpool and mincut make
  int64_t dense_limit = 0;        // bytes that clustering one graph may take
};

struct PoolInput {
  int64_t layer;
  const at::Tensor& layer_input;  // [nodes, D]: what the layer made level.x of
  const PoolLevel& level;
  double drop_ratio;
  /// One key per graph, which random choices depend on alone.
  const std::vector<uint64_t>& graph_keys;
  const layers::LayerParameters& parameters;
  /// Where set, these nodes stay instead of those the method would choose.
  const std::vector<uint8_t>* fixed_keep;
};

struct Pooled {
  PoolLevel level;
  at::Tensor loss;                  // to be added to the objective: the mean over the graphs; undefined where none
  at::Tensor scores;                // [nodes], where nodes are chosen by score
  std::vector<uint8_t> keep;        // where nodes are chosen: 1 for those that stay
  std::vector<int64_t> new_of_old;  // where nodes are chosen: the new node, or -1
};

class Pool {
 public:
  virtual ~Pool() = default;
  virtual void add_parameters(layers::ParameterSet&, int64_t /*layer*/) const {}
  virtual Pooled pool(const PoolInput& input) const = 0;
};

/// Any but dotin, which reads virtual nodes. dropgnn is none, on graphs that lost nodes before.
std::unique_ptr<Pool> make_pool(dotin::Drop name, const PoolOptions& options);

/// The batch before the first layer.
PoolLevel level_of(const batch::Batch& batch, const ops::SharedRows& x, bool fused);

/// The edges as tensors, made where the level has them for kernels.
ops::reference::EdgeTensors edges_of(const PoolLevel& level);

/// The graphs of the nodes that stay, and what was between them. Rows are multiplied by gate [nodes] where it is
/// defined.
PoolLevel induced(const PoolLevel& level, const std::vector<uint8_t>& keep, const at::Tensor& gate = {});

/// Per old node its new number, or -1.
std::vector<int64_t> renumbered(const std::vector<uint8_t>& keep);

/// Where the edges of each graph start: graphs + 1.
std::vector<int64_t> edge_offsets(const ops::reference::EdgeTensors& edges, const std::vector<int64_t>& node_offsets);

/// The weights of A: without the self-loops of weight 1 that the edges carry on top.
at::Tensor adjacency_weights(const ops::reference::EdgeTensors& edges);

}  // namespace dotin::drop
