// Graphs between two layers, for the tests of pooling methods and read-outs.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "dotin/drop/pool.h"
#include "support/graphs.h"

namespace dotin::testing {

/// The graphs with these rows, in double: A + I with all weights 1.
inline drop::PoolLevel level_of(const std::vector<SmallGraph>& graphs, const at::Tensor& x) {
  const ops::reference::Structure structure = ops::reference::structure_of(batch_of(graphs, 0), 0);
  drop::PoolLevel level;
  level.x = x;
  level.offsets = structure.raw_offsets;
  level.edges = ops::reference::edge_tensors(structure, x.detach());
  return level;
}

/// A graph of so many nodes without features.
inline SmallGraph bare_graph(int32_t nodes, std::vector<std::pair<int32_t, int32_t>> edges) {
  return {nodes, std::move(edges), {}, 0};
}

inline at::Tensor rows_of(std::initializer_list<double> values, int64_t width) {
  return at::tensor(std::vector<double>(values), at::kDouble).reshape({-1, width});
}

/// The level's A + I as a matrix.
inline at::Tensor dense_weights(const drop::PoolLevel& level) {
  return at::zeros({level.nodes(), level.nodes()}, at::kDouble)
      .index_put({level.edges.row, level.edges.column}, level.edges.weight.detach().to(at::kDouble));
}

}  // namespace dotin::testing
