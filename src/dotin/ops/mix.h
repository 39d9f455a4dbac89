// Neighbours mixed by given coefficients, as a differentiable function over kernels: the sparse products of pooling
// methods. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "dotin/kernels/level.h"

namespace dotin::ops {

/// D^-1/2 (A + I) D^-1/2 x for a level without weights and rows x [nodes, D], or a vector x [nodes].
at::Tensor mix_normalised(std::shared_ptr<const kernels::Level> level, const at::Tensor& x);

}  // namespace dotin::ops
