#include "dotin/layers/normalise.h"

#include <ATen/ATen.h>

namespace dotin::layers {

at::Tensor normalised_weights(const at::Tensor& weights, const ops::reference::EdgeTensors& edges) {
  // The bound gives rows without weight a finite scale, and no gradient.
  const at::Tensor scale = ops::reference::segment_sum(weights, edges.row, edges.rows).clamp_min(1e-12).rsqrt();
  return scale.index_select(0, edges.row) * weights * scale.index_select(0, edges.column);
}

}  // namespace dotin::layers
