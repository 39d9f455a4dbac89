#include "dotin/drop/pool.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "dotin/core/error.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

std::unique_ptr<Pool> make_pool(dotin::Drop name, const PoolOptions& options) {
  switch (name) {
    case dotin::Drop::random:
      return std::make_unique<RandomPool>(options);
    case dotin::Drop::none:
    case dotin::Drop::dropgnn:
      return std::make_unique<NoPool>(options);
    case dotin::Drop::gpool:
      return std::make_unique<GPool>(options);
    case dotin::Drop::sagpool:
      return std::make_unique<SagPool>(options);
    case dotin::Drop::lapool:
      return std::make_unique<LaPool>(options);
    case dotin::Drop::diffpool:
      return std::make_unique<DiffPool>(options);
    case dotin::Drop::mincut:
      return std::make_unique<MinCut>(options);
    case dotin::Drop::dotin:
      break;
  }
  DOTIN_ASSERT(false);
}

std::vector<int64_t> renumbered(const std::vector<uint8_t>& keep) {
  std::vector<int64_t> numbers;
  numbers.reserve(keep.size());
  int64_t next = 0;
  for (const uint8_t stays : keep) numbers.push_back(stays ? next++ : -1);
  return numbers;
}

PoolLevel level_of(const batch::Batch& batch, const ops::SharedRows& x, bool fused) {
  PoolLevel level;
  level.x = x.rows;
  level.code = x.code;
  level.offsets.assign(batch.node_offsets.begin(), batch.node_offsets.end());
  level.fused = fused;
  if (fused) {
    auto sparse = std::make_shared<kernels::Level>();
    sparse->node_offsets = batch.node_offsets;
    sparse->row_offsets = batch.row_offsets;
    sparse->columns = batch.neighbours;
    level.sparse = std::move(sparse);
  } else {
    level.edges = ops::reference::edge_tensors(ops::reference::structure_of(batch, 0), x.rows.detach());
  }
  return level;
}

ops::reference::EdgeTensors edges_of(const PoolLevel& level) {
  if (level.sparse == nullptr) return level.edges;
  const kernels::Level& sparse = *level.sparse;
  ops::reference::EdgeTensors edges;
  edges.rows = level.nodes();
  edges.graphs = level.graphs();
  const int64_t count = sparse.edges() + edges.rows;
  edges.row = at::empty({count}, at::kLong);
  edges.column = at::empty({count}, at::kLong);
  edges.weight = at::ones({count}, level.x.options());
  edges.graph_of = at::empty({edges.rows}, at::kLong);
  int64_t *row = edges.row.data_ptr<int64_t>(), *column = edges.column.data_ptr<int64_t>();
  for (int64_t g = 0; g < edges.graphs; ++g) {
    for (int64_t i = level.offsets[g]; i < level.offsets[g + 1]; ++i) {
      edges.graph_of.data_ptr<int64_t>()[i] = g;
      const int32_t* const first = sparse.columns.data() + sparse.row_offsets[i];
      const int32_t* const last = sparse.columns.data() + sparse.row_offsets[i + 1];
      const int32_t* const after = std::lower_bound(first, last, i);
      row = std::fill_n(row, last - first + 1, i);
      column = std::copy(first, after, column);
      *column++ = i;
      column = std::copy(after, last, column);
    }
  }
  return edges;
}

namespace {

PoolLevel induced_sparse(const PoolLevel& level, const std::vector<uint8_t>& keep, const at::Tensor& gate) {
  auto sparse = std::make_shared<kernels::Level>();
  kernels::DropMap map;
  kernels::coarsen(*level.sparse, keep.data(), /*merge=*/false, kernels::EdgeWeights::none, /*tasks=*/0, *sparse, map);
  PoolLevel result;
  if (level.code.empty()) {
    result.x = ops::select_rows(level.x, map.source, gate);
  } else {
    DOTIN_ASSERT(!gate.defined());
    result.x = level.x;
    for (const int32_t node : map.source) result.code.push_back(level.code[node]);
  }
  result.offsets.assign(sparse->node_offsets.begin(), sparse->node_offsets.end());
  result.fused = level.fused;
  result.sparse = std::move(sparse);
  return result;
}

}  // namespace

PoolLevel induced(const PoolLevel& level, const std::vector<uint8_t>& keep, const at::Tensor& gate) {
  if (level.sparse != nullptr) return induced_sparse(level, keep, gate);
  const std::vector<int64_t> new_of_old = renumbered(keep);
  PoolLevel result;
  std::vector<int64_t> kept, graph_of;
  result.offsets.push_back(0);
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t i = level.offsets[g]; i < level.offsets[g + 1]; ++i) {
      if (!keep[i]) continue;
      kept.push_back(i);
      graph_of.push_back(g);
    }
    result.offsets.push_back(static_cast<int64_t>(kept.size()));
  }
  const at::Tensor from = level.edges.row.cpu().contiguous(), to = level.edges.column.cpu().contiguous();
  const int64_t* const row = from.data_ptr<int64_t>();
  const int64_t* const column = to.data_ptr<int64_t>();
  std::vector<int64_t> entries, new_row, new_column;
  for (int64_t e = 0; e < from.size(0); ++e) {
    if (!keep[row[e]] || !keep[column[e]]) continue;
    entries.push_back(e);
    new_row.push_back(new_of_old[row[e]]);
    new_column.push_back(new_of_old[column[e]]);
  }
  using ops::reference::index_tensor;
  const at::Tensor rows = gate.defined() ? level.x * gate.unsqueeze(1) : level.x;
  result.fused = level.fused;
  result.x = rows.index_select(0, index_tensor(kept, level.x));
  result.edges.row = index_tensor(new_row, level.x);
  result.edges.column = index_tensor(new_column, level.x);
  result.edges.weight = level.edges.weight.index_select(0, index_tensor(entries, level.x));
  result.edges.graph_of = index_tensor(graph_of, level.x);
  result.edges.rows = result.nodes();
  result.edges.graphs = level.graphs();
  return result;
}

std::vector<int64_t> edge_offsets(const ops::reference::EdgeTensors& edges, const std::vector<int64_t>& node_offsets) {
  const at::Tensor rows = edges.row.cpu().contiguous();
  const int64_t* const row = rows.data_ptr<int64_t>();
  std::vector<int64_t> offsets = {0};
  int64_t e = 0;
  for (int64_t g = 0; g < edges.graphs; ++g) {
    while (e < rows.size(0) && row[e] < node_offsets[g + 1]) ++e;
    offsets.push_back(e);
  }
  return offsets;
}

at::Tensor adjacency_weights(const ops::reference::EdgeTensors& edges) {
  if (edges.complete > 0) {
    const std::vector<int64_t> shape = {edges.graphs, edges.complete, edges.complete};
    return (edges.weight.view(shape) - at::eye(edges.complete, edges.weight.options())).flatten();
  }
  return edges.weight - (edges.row == edges.column).to(edges.weight.scalar_type());
}

}  // namespace dotin::drop
