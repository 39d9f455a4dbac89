#include "dotin/readout/segments.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dotin::readout {

at::Tensor sum_rows(const drop::PoolLevel& level) {
  return ops::reference::segment_sum(level.x, level.edges.graph_of, level.graphs());
}

at::Tensor mean_rows(const drop::PoolLevel& level) {
  std::vector<double> sizes;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    sizes.push_back(static_cast<double>(std::max<int64_t>(1, level.offsets[g + 1] - level.offsets[g])));
  }
  return sum_rows(level) / at::tensor(sizes, at::kDouble).to(level.x.scalar_type()).unsqueeze(1);
}

at::Tensor max_rows(const drop::PoolLevel& level) {
  std::vector<at::Tensor> rows;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], nodes = level.offsets[g + 1] - first;
    rows.push_back(nodes > 0 ? level.x.narrow(0, first, nodes).amax(0)
                             : at::zeros({level.x.size(1)}, level.x.options()));
  }
  return at::stack(rows);
}

at::Tensor side_by_side(const std::vector<drop::PoolLevel>& layers) {
  std::vector<at::Tensor> rows;
  for (const drop::PoolLevel& layer : layers) rows.push_back(layer.x);
  return at::cat(rows, 1);
}

}  // namespace dotin::readout
