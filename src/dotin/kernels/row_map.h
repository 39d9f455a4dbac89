// From mixed rows to what norm and ELU get: the linear map, with sage's map of a row's own input and gin's inner map.
// Internal to kernels/.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/kernels/fused_layer.h"

namespace dotin::kernels {

/// The map that mixed rows meet first.
template <class T>
T first_map(const LayerParameters<T>& parameters) {
  return parameters.inner != nullptr ? parameters.inner : parameters.linear;
}

/// out [rows, D] = mixed [rows, W] through the first map, with its bias, and inputs [rows, W] through sage's own map.
template <class Scalar>
void map_mixed(int64_t rows, int64_t d, int64_t w, const LayerWeights<Scalar>& weights, const Scalar* mixed,
               const Scalar* inputs, std::vector<Scalar>& out);

/// d_out_rows [rows, D]. d_mixed [rows, W] is set; d_inputs is added to where there is sage's own map. mixed and inputs
/// must live until gradients.later runs.
template <class Scalar>
void map_mixed_backward(int64_t rows, int64_t d, int64_t w, const LayerWeights<Scalar>& weights, const Scalar* mixed,
                        const Scalar* inputs, std::vector<Scalar> d_out_rows, const LayerGradients<Scalar>& gradients,
                        Scalar* d_mixed, Scalar* d_inputs);

/// Adds the bias of the first map to rows that were mixed after it.
template <class Scalar>
void add_first_bias(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, std::vector<Scalar>& z);

/// gin: what is left to do after the first map, in place; nothing for the others.
template <class Scalar>
void finish_map(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, InnerTape<Scalar>& tape,
                std::vector<Scalar>& z);

/// Turns the gradient of z into that of what the first map gives, in place; adds to the gradients of all biases.
template <class Scalar>
void finish_map_backward(int64_t rows, int64_t d, const LayerWeights<Scalar>& weights, const InnerTape<Scalar>& tape,
                         const LayerGradients<Scalar>& gradients, std::vector<Scalar>& dz);

}  // namespace dotin::kernels
