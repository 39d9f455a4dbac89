// Rows of nodes as differentiable functions over kernels: from features, and of some nodes. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::ops {

/// [nodes, D]: each node's features times weight^T, weight [D, F]. One-hot features are never written out.
at::Tensor input_rows(const batch::Batch& batch, const at::Tensor& weight);

/// The rows of `kept` nodes, in this order, each once; times gate [nodes] where that is defined.
at::Tensor select_rows(const at::Tensor& rows, const std::vector<int32_t>& kept, const at::Tensor& gate);

}  // namespace dotin::ops
