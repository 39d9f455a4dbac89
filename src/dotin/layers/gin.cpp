#include "dotin/layers/backbones.h"
#include "dotin/layers/normalise.h"

namespace dotin::layers {

at::Tensor Gin::coefficients(const LayerInput& input, const LayerParameters& parameters) const {
  const auto& edges = input.edges;
  const at::Tensor scale = virtual_scales(edges);
  const at::Tensor ends = scale.index_select(0, edges.row) * scale.index_select(0, edges.column);
  const at::Tensor others = with_task_gates(ends * edges.weight, input, parameters);
  return at::where(edges.row == edges.column, ends * (1 + parameters.get("eps")), others);
}

at::Tensor Gin::transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const {
  const at::Tensor inner = at::elu(at::addmm(parameters.get("inner.bias"), h, parameters.get("inner.weight").t()));
  return Backbone::transform(inner, x, parameters);
}

}  // namespace dotin::layers
