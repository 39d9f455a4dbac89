// Products of the rows of each graph, as differentiable functions over BLAS: graph g has the rows
// [offsets[g], offsets[g + 1]). CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dotin::ops {

/// [graphs, A, B]: a_g^T b_g for rows a [rows, A] and b [rows, B]; 0 for graphs without rows.
at::Tensor segment_products(const at::Tensor& a, const at::Tensor& b, const std::vector<int64_t>& offsets);

/// [rows, B]: a_g maps_g for rows a [rows, A] and a matrix of each graph, maps [graphs, A, B].
at::Tensor segment_maps(const at::Tensor& a, const at::Tensor& maps, const std::vector<int64_t>& offsets);

}  // namespace dotin::ops
