#include "dotin/layers/backbones.h"

namespace dotin::layers {

void Gin::add_parameters(ParameterSet& parameters, int64_t layer) const {
  Backbone::add_parameters(parameters, layer);
  const std::string prefix = "layers." + std::to_string(layer);
  add_linear(parameters, prefix + ".inner", options_.hidden, options_.hidden);
  parameters.add_constant(prefix + ".eps", {1}, 0);
}

at::Tensor Gin::coefficients(const LayerInput& input, const LayerParameters& parameters) const {
  const auto& edges = input.edges;
  const at::Tensor self = edges.row == edges.column;
  const at::Tensor from_others = at::where(self, at::zeros_like(edges.weight), edges.weight);
  const at::Tensor sums = ops::reference::segment_sum(from_others, edges.row, edges.rows).index_select(0, edges.row);
  const at::Tensor others =
      at::where(edges.row < edges.virtual_rows(), from_others / sums.clamp_min(1e-12), from_others);
  const at::Tensor gated = with_task_gates(others, input, parameters);
  return at::where(self, (1 + parameters.get("eps")).expand_as(gated), gated);
}

at::Tensor Gin::transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const {
  const at::Tensor inner = at::elu(at::addmm(parameters.get("inner.bias"), h, parameters.get("inner.weight").t()));
  return Backbone::transform(inner, x, parameters);
}

}  // namespace dotin::layers
