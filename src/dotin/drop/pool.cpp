#include "dotin/drop/pool.h"

#include <ATen/ATen.h>

#include "dotin/core/registry.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

namespace {

using Factory = std::unique_ptr<Pool> (*)(const PoolOptions&);

template <class T>
std::unique_ptr<Pool> make(const PoolOptions& options) {
  return std::make_unique<T>(options);
}

const core::Registry<Factory>& registry() {
  static const core::Registry<Factory> pools("drop method", {
                                                                {"random", make<RandomPool>},
                                                                {"none", make<NoPool>},
                                                                {"dropgnn", make<NoPool>},
                                                                {"gpool", make<GPool>},
                                                                {"sagpool", make<SagPool>},
                                                                {"lapool", make<LaPool>},
                                                                {"diffpool", make<DiffPool>},
                                                                {"mincut", make<MinCut>},
                                                            });
  return pools;
}

}  // namespace

std::unique_ptr<Pool> make_pool(const std::string& name, const PoolOptions& options) {
  return registry().get(name)(options);
}

std::vector<int64_t> renumbered(const std::vector<uint8_t>& keep) {
  std::vector<int64_t> numbers;
  numbers.reserve(keep.size());
  int64_t next = 0;
  for (const uint8_t stays : keep) numbers.push_back(stays ? next++ : -1);
  return numbers;
}

PoolLevel induced(const PoolLevel& level, const std::vector<uint8_t>& keep) {
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
  const at::Tensor rows = level.edges.row.cpu().contiguous(), columns = level.edges.column.cpu().contiguous();
  const int64_t* const row = rows.data_ptr<int64_t>();
  const int64_t* const column = columns.data_ptr<int64_t>();
  std::vector<int64_t> entries, new_row, new_column;
  for (int64_t e = 0; e < rows.size(0); ++e) {
    if (!keep[row[e]] || !keep[column[e]]) continue;
    entries.push_back(e);
    new_row.push_back(new_of_old[row[e]]);
    new_column.push_back(new_of_old[column[e]]);
  }
  using ops::reference::index_tensor;
  result.x = level.x.index_select(0, index_tensor(kept, level.x));
  result.edges.row = index_tensor(new_row, level.x);
  result.edges.column = index_tensor(new_column, level.x);
  result.edges.weight = level.edges.weight.index_select(0, index_tensor(entries, level.x));
  result.edges.graph_of = index_tensor(graph_of, level.x);
  result.edges.rows = result.nodes();
  result.edges.graphs = level.graphs();
  return result;
}

std::vector<int64_t> edge_offsets(const PoolLevel& level) {
  const at::Tensor rows = level.edges.row.cpu().contiguous();
  const int64_t* const row = rows.data_ptr<int64_t>();
  std::vector<int64_t> offsets = {0};
  int64_t e = 0;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    while (e < rows.size(0) && row[e] < level.offsets[g + 1]) ++e;
    offsets.push_back(e);
  }
  return offsets;
}

at::Tensor adjacency_weights(const ops::reference::EdgeTensors& edges) {
  return edges.weight - (edges.row == edges.column).to(edges.weight.scalar_type());
}

}  // namespace dotin::drop
