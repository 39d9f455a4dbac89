// Rows through a linear map whose gradients go where they belong. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

namespace dotin::ops {

/// rows [n, in] weight^T + bias, with weight [out, in] and bias [out]. Backward adds to .grad of weight and bias
/// (ops/layer_addresses.h says why), and gives the gradient of the rows.
at::Tensor linear(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace dotin::ops
