#include "dotin/readout/segments.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "dotin/ops/segments.h"

namespace dotin::readout {

at::Tensor sum_rows(const drop::PoolLevel& level) {
  if (level.fused) return ops::segment_sums(level.x, level.offsets);
  return ops::reference::segment_sum(level.x, level.edges.graph_of, level.graphs());
}

at::Tensor mean_rows(const drop::PoolLevel& level) {
  if (level.fused) return ops::segment_means(level.x, level.offsets);
  std::vector<double> sizes;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    sizes.push_back(static_cast<double>(std::max<int64_t>(1, level.offsets[g + 1] - level.offsets[g])));
  }
  return sum_rows(level) / at::tensor(sizes, at::kDouble).to(level.x.scalar_type()).unsqueeze(1);
}

at::Tensor max_rows(const drop::PoolLevel& level) {
  if (level.fused) return ops::segment_max(level.x, level.offsets);
  std::vector<at::Tensor> rows;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], nodes = level.offsets[g + 1] - first;
    rows.push_back(nodes > 0 ? level.x.narrow(0, first, nodes).amax(0)
                             : at::zeros({level.x.size(1)}, level.x.options()));
  }
  return at::stack(rows);
}

at::Tensor mean_max_rows(const drop::PoolLevel& level) {
  if (level.fused) return ops::segment_mean_max(level.x, level.offsets);
  return at::cat({mean_rows(level), max_rows(level)}, 1);
}

at::Tensor attended_rows(const drop::PoolLevel& level, const at::Tensor& queries) {
  if (level.fused) return ops::segment_attention(level.x, queries, level.offsets);
  const at::Tensor& graph_of = level.edges.graph_of;
  const at::Tensor logits = (level.x * queries.index_select(0, graph_of)).sum(1);
  const at::Tensor attention = ops::reference::segment_softmax(logits, graph_of, level.graphs());
  return ops::reference::segment_sum(attention.unsqueeze(1) * level.x, graph_of, level.graphs());
}

at::Tensor side_by_side(const std::vector<drop::PoolLevel>& layers) {
  std::vector<at::Tensor> rows;
  for (const drop::PoolLevel& layer : layers) rows.push_back(layer.x);
  return at::cat(rows, 1);
}

}  // namespace dotin::readout
