// Tensors of parameters as the addresses that kernels take, and the gradients that backward passes add to.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include "dotin/kernels/layer_parameters.h"

namespace dotin::ops {

/// Undefined: the model has no such parameter.
using FusedLayerParameters = kernels::LayerParameters<at::Tensor>;

/// Null where there is no tensor.
template <class Scalar>
Scalar* data_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<Scalar>() : nullptr;
}

/// Addresses is kernels::LayerWeights or kernels::LayerGradients.
template <class Addresses, class Scalar>
Addresses layer_addresses(const FusedLayerParameters& parameters) {
  Addresses addresses;
  kernels::for_each_parameter([](auto& address, const at::Tensor& parameter) { address = data_of<Scalar>(parameter); },
                              addresses, parameters);
  return addresses;
}

/// The .grad of a parameter, made where there is none. A backward pass adds to it directly: with a tensor per parameter
/// and step, handed through it, the autograd engine took up to a sixth of the time of small models.
inline at::Tensor gradient_buffer(const at::Tensor& parameter) {
  at::Tensor& gradient = parameter.mutable_grad();
  if (!gradient.defined()) gradient = at::zeros_like(parameter.detach());
  return gradient;
}

/// What f makes of every parameter that is there.
template <class F>
FusedLayerParameters each_parameter(const FusedLayerParameters& parameters, const F& f) {
  FusedLayerParameters result;
  kernels::for_each_parameter(
      [&f](at::Tensor& made, const at::Tensor& parameter) {
        if (parameter.defined()) made = f(parameter);
      },
      result, parameters);
  return result;
}

}  // namespace dotin::ops
