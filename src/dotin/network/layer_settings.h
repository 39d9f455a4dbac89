// What the kernels of the fused engine have to know of a model.
#pragma once

#include <string>

#include "dotin/kernels/fused_layer.h"
#include "dotin/network/model_options.h"

namespace dotin::network {

/// What the options say about every layer. tasks: K, 0 for a model without virtual nodes.
kernels::LayerSettings layer_settings(const ModelOptions& options, int64_t tasks);

kernels::EdgeWeights edge_weights(const ModelOptions& options);

/// The parameters of a layer by their names in the model file, without "layers.0.".
inline constexpr kernels::LayerParameters<const char*> kLayerParameterNames = {
    "query.weight", "key.weight",   "linear.weight", "linear.bias", "norm.weight",     "norm.bias",
    "self.weight",  "inner.weight", "inner.bias",    "eps",         "task_gate.weight"};

/// find(name) for every parameter of layer `layer`, name as in the model file. It gives what there is of each: a
/// tensor, an address; an empty one where the model has no such parameter.
template <class T, class Find>
kernels::LayerParameters<T> layer_parameters(int64_t layer, const Find& find) {
  kernels::LayerParameters<T> parameters;
  const std::string prefix = "layers." + std::to_string(layer) + ".";
  kernels::for_each_parameter([&](T& parameter, const char* name) { parameter = find(prefix + name); }, parameters,
                              kLayerParameterNames);
  return parameters;
}

}  // namespace dotin::network
