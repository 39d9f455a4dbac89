// Neighbours mixed by coefficients that follow from the edges, as a differentiable function over kernels: the sparse
// products of pooling methods. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "dotin/kernels/level.h"

namespace dotin::ops {

/// The matrix that rows are multiplied by. D: its own row sums before it is normalised; a node without any gets 0.
enum class Mixing {
  adjacency,              // A
  normalised_adjacency,   // D^-1/2 A D^-1/2
  normalised_with_loops,  // D^-1/2 (A + I) D^-1/2
};

/// The matrix of a level without weights times rows x [nodes, D], or a vector x [nodes].
at::Tensor mix(Mixing mixing, std::shared_ptr<const kernels::Level> level, const at::Tensor& x);

}  // namespace dotin::ops
