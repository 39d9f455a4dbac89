// Rows of nodes as differentiable functions over kernels: from features, and of some nodes. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::ops {

/// Rows of nodes, of which equal ones may be stored once: node i has row code[i], or row i where code is empty.
struct SharedRows {
  at::Tensor rows;  // [rows, D]
  std::vector<int32_t> code;
};

/// Each node's features times weight^T, weight [D, F]. One-hot features are never written out, and nodes with the same
/// share a row.
SharedRows input_rows(const batch::Batch& batch, const at::Tensor& weight);

/// The rows of these numbers, in this order; times gate [rows] where that is defined, and then each at most once.
at::Tensor select_rows(const at::Tensor& rows, const std::vector<int32_t>& chosen, const at::Tensor& gate);

}  // namespace dotin::ops
