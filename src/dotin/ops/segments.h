// Rows of a batch, reduced graph by graph, as differentiable functions over kernels: graph g has the rows
// [offsets[g], offsets[g + 1]). Graphs without rows give 0. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dotin::ops {

/// [graphs, D]
at::Tensor segment_sums(const at::Tensor& rows, const std::vector<int64_t>& offsets);
at::Tensor segment_means(const at::Tensor& rows, const std::vector<int64_t>& offsets);

/// [graphs, D]: the largest value of each column; equal ones share the gradient.
at::Tensor segment_max(const at::Tensor& rows, const std::vector<int64_t>& offsets);

/// [graphs, 2 D]: means, then largest values.
at::Tensor segment_mean_max(const at::Tensor& rows, const std::vector<int64_t>& offsets);

/// [graphs, D]: sum of a_i x_i, a the softmax over the graph's rows of x_i . q, q the graph's row of queries.
at::Tensor segment_attention(const at::Tensor& rows, const at::Tensor& queries, const std::vector<int64_t>& offsets);

}  // namespace dotin::ops
