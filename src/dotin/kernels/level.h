// The structure of a batch between two layers, as the fused engine keeps it: raw edges only. Self-loops, and the edges
// between each virtual node and the raw nodes of its graph, are implicit and have only their weights stored.
#pragma once

#include <cstdint>
#include <vector>

namespace dotin::kernels {

/// How weights of edges to a merged node are formed (docs/method.md).
enum class EdgeWeights { softmax, multiplicity, none };

struct Level {
  std::vector<int32_t> node_offsets;   // graphs + 1
  std::vector<int32_t> row_offsets;    // nodes + 1
  std::vector<int32_t> columns;        // sorted within a row, batch-wide
  bool weighted = false;               // false: all weights are 1 and the arrays below are empty
  std::vector<double> edge_weight;     // per column entry
  std::vector<double> self_weight;     // per node
  std::vector<double> row_to_virtual;  // per node: of the entry (node, virtual), the same for every task
  std::vector<double> virtual_to_row;  // per node: of the entry (virtual, node)
  std::vector<double> virtual_self;    // per graph

  int32_t graphs() const { return static_cast<int32_t>(node_offsets.size()) - 1; }
  int32_t nodes() const { return node_offsets.back(); }
  int32_t edges() const { return static_cast<int32_t>(columns.size()); }

  /// No graphs, with the memory kept.
  void clear();
};

/// What a drop did: where each new raw node comes from and where each old one went.
struct DropMap {
  std::vector<int32_t> source;      // per new node: the old node, or -1 for a merged one
  std::vector<int32_t> new_of_old;  // per old node: the new node that is or holds it, or -1 if it is gone
  std::vector<int32_t> merged;      // per graph: its new merged node, or -1
};

/// Drops the nodes with keep[i] == 0, as ops/reference/structure.h defines it; `tasks` is K.
void coarsen(const Level& old, const uint8_t* keep, bool merge, EdgeWeights edge_weights, int32_t tasks, Level& level,
             DropMap& map);

}  // namespace dotin::kernels
