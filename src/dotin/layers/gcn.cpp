#include "dotin/layers/backbones.h"

namespace dotin::layers {

at::Tensor Gcn::coefficients(const LayerInput& input, const LayerParameters& parameters) const {
  const auto& edges = input.edges;
  const at::Tensor scale = ops::reference::segment_sum(edges.weight, edges.row, edges.rows).rsqrt();
  const at::Tensor normalised = scale.index_select(0, edges.row) * edges.weight * scale.index_select(0, edges.column);
  return with_task_gates(normalised, input, parameters);
}

}  // namespace dotin::layers
