// The model on the fused engine: ops/fused_network with this model's parameters and choices.
#include "dotin/models/fused.h"

#include <ATen/Parallel.h>

#include "dotin/models/model.h"
#include "dotin/network/layer_settings.h"
#include "dotin/ops/fused_network.h"

namespace dotin::models {

ops::FusedLayerParameters layer_parameters(const layers::ParameterSet& parameters, int64_t layer) {
  return network::layer_parameters<at::Tensor>(
      layer, [&](const std::string& name) { return parameters.has(name) ? parameters.get(name) : at::Tensor(); });
}

bool Model::fused() const { return options_.runs_fused() && parameters_.device().is_cpu(); }

at::Tensor Model::fused_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  network::PassSettings settings;
  settings.layers = network::layer_settings(options_, tasks());
  settings.layers.savings = options.savings;
  settings.dropout = dropout(options);
  settings.parts = options.parts > 0
                       ? options.parts
                       : network::parts_worth(options_, batch, options.drop_factor, at::get_num_threads());
  ops::FusedParameters parameters{parameters_.get("input.weight"), parameters_.get("virtual"), {}};
  for (int64_t l = 0; l < options_.layers; ++l) parameters.layers.push_back(layer_parameters(parameters_, l));
  ops::FusedFacts facts;
  facts.trace = options.trace;
  at::Tensor embeddings =
      fused_network_.forward(settings, parameters, batch, network::Chooser(options_, batch, options), facts);
  result.trace = std::move(facts.layers);
  result.layer_seconds = std::move(facts.layer_seconds);
  return embeddings;
}

}  // namespace dotin::models
