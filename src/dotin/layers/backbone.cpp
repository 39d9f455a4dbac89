#include "dotin/layers/backbone.h"

#include "dotin/core/error.h"
#include "dotin/layers/backbones.h"

namespace dotin::layers {

std::unique_ptr<Backbone> make_backbone(dotin::Backbone name, const BackboneOptions& options) {
  switch (name) {
    case dotin::Backbone::gat:
      return std::make_unique<Gat>(options);
    case dotin::Backbone::gcn:
      return std::make_unique<Gcn>(options);
    case dotin::Backbone::gin:
      return std::make_unique<Gin>(options);
    case dotin::Backbone::sage:
      return std::make_unique<Sage>(options);
  }
  DOTIN_ASSERT(false);
}

void add_linear(ParameterSet& parameters, const std::string& prefix, int64_t out, int64_t in) {
  parameters.add(network::linear_parameters(prefix, out, in));
}

at::Tensor Backbone::transform(const at::Tensor& h, const at::Tensor&, const LayerParameters& parameters) const {
  return at::addmm(parameters.get("linear.bias"), h, parameters.get("linear.weight").t());
}

at::Tensor Backbone::with_task_gates(const at::Tensor& coefficients, const LayerInput& input,
                                     const LayerParameters& parameters) const {
  if (!parameters.has("task_gate.weight")) return coefficients;
  const auto& edges = input.edges;
  const at::Tensor gates = 2 * at::sigmoid(input.x.mm(parameters.get("task_gate.weight").t()));  // [rows, K]
  const at::Tensor into_virtual = (edges.row < edges.virtual_rows()) & (edges.column >= edges.virtual_rows());
  const at::Tensor task = edges.row.remainder(edges.tasks);
  const at::Tensor gate = gates.index({edges.column, task});
  return at::where(into_virtual, coefficients * gate, coefficients);
}

}  // namespace dotin::layers
