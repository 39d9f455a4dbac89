#include "dotin/layers/normalise.h"

#include <ATen/ATen.h>

namespace dotin::layers {

at::Tensor inverse_root(const at::Tensor& sums) {
  constexpr double kTiny = 1e-12;
  return sums.clamp_min(kTiny).rsqrt().masked_fill(sums <= kTiny, 0);
}

at::Tensor normalised_weights(const at::Tensor& weights, const ops::reference::EdgeTensors& edges) {
  if (edges.complete > 0) {
    const at::Tensor matrices = weights.view({edges.graphs, edges.complete, edges.complete});
    const at::Tensor scale = inverse_root(matrices.sum(2));
    return (scale.unsqueeze(2) * matrices * scale.unsqueeze(1)).flatten();
  }
  const at::Tensor scale = inverse_root(ops::reference::segment_sum(weights, edges.row, edges.rows));
  return scale.index_select(0, edges.row) * weights * scale.index_select(0, edges.column);
}

at::Tensor virtual_scales(const ops::reference::EdgeTensors& edges) {
  const at::Tensor scale = inverse_root(ops::reference::segment_sum(edges.weight, edges.row, edges.rows));
  const at::Tensor raw = at::arange(edges.rows, edges.row.options()) >= edges.virtual_rows();
  return scale.masked_fill(raw, 1);
}

}  // namespace dotin::layers
