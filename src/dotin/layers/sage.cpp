#include "dotin/layers/backbones.h"
#include "dotin/layers/normalise.h"

namespace dotin::layers {

at::Tensor Sage::coefficients(const LayerInput& input, const LayerParameters& parameters) const {
  const auto& edges = input.edges;
  const at::Tensor others = at::where(edges.row == edges.column, at::zeros_like(edges.weight), edges.weight);
  const at::Tensor sums = ops::reference::segment_sum(others, edges.row, edges.rows).clamp_min(1e-12);
  const at::Tensor scale = virtual_scales(edges);
  const at::Tensor from = at::where(edges.row < edges.virtual_rows(), scale.index_select(0, edges.row),
                                    sums.reciprocal().index_select(0, edges.row));
  return with_task_gates(from * others * scale.index_select(0, edges.column), input, parameters);
}

at::Tensor Sage::transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const {
  return Backbone::transform(h, x, parameters) + x.mm(parameters.get("self.weight").t());
}

}  // namespace dotin::layers
