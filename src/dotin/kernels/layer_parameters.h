// The parameters of one layer, whatever there is of each: tensors, addresses of their numbers, of their gradients.
#pragma once

#include "dotin/kernels/weight_products.h"

namespace dotin::kernels {

/// Numbers are row-major, in the layout of the model file. W is the width of the rows that enter: D, but for rows on a
/// basis. What a model does not have is empty: a null address, an undefined tensor.
template <class T>
struct LayerParameters {
  T query{}, key{};         // [A, W]
  T linear{}, bias{};       // [D, W], but [D, D] after an inner map; [D]
  T gamma{}, beta{};        // [D]: of the norm
  T self{};                 // sage, [D, W]: of a row's own input
  T inner{}, inner_bias{};  // gin, [D, W] and [D]: before the linear map, with an ELU
  T eps{};                  // gin, [1]
  T task_gate{};            // [K, W]: gates of the edges into virtual nodes
};

/// Calls f with one parameter of all sets at a time.
template <class F, class... Sets>
void for_each_parameter(const F& f, Sets&&... sets) {
  f(sets.query...);
  f(sets.key...);
  f(sets.linear...);
  f(sets.bias...);
  f(sets.gamma...);
  f(sets.beta...);
  f(sets.self...);
  f(sets.inner...);
  f(sets.inner_bias...);
  f(sets.eps...);
  f(sets.task_gate...);
}

template <class Scalar>
using LayerWeights = LayerParameters<const Scalar*>;

/// Gradients are added to what is there; those of matrices [D, .] and [A, .] when `later` runs. basis null: the rows
/// are on none.
template <class Scalar>
struct LayerGradients : LayerParameters<Scalar*> {
  WeightProducts<Scalar>* later = nullptr;
  Scalar* basis = nullptr;
};

}  // namespace dotin::kernels
