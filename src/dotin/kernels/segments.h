// Rows of a batch reduced graph by graph: graph g has the rows [offsets[g], offsets[g + 1]). Graphs without rows give
// 0.
#pragma once

#include <cstdint>

namespace dotin::kernels {

struct Segments {
  const int64_t* offsets;  // graphs + 1
  int64_t graphs;
};

/// out [graphs, stride], its first `width` columns: the sum of the rows [rows, width], or their mean.
template <class Scalar>
void segment_sums(const Segments& segments, const Scalar* rows, int64_t width, bool mean, Scalar* out, int64_t stride);

/// Adds to d_rows.
template <class Scalar>
void segment_sums_backward(const Segments& segments, int64_t width, bool mean, const Scalar* d_out, int64_t stride,
                           Scalar* d_rows);

/// The largest value of each column.
template <class Scalar>
void segment_max(const Segments& segments, const Scalar* rows, int64_t width, Scalar* out, int64_t stride);

/// Adds to d_rows; equal largest values share the gradient.
template <class Scalar>
void segment_max_backward(const Segments& segments, const Scalar* rows, int64_t width, const Scalar* out,
                          const Scalar* d_out, int64_t stride, Scalar* d_rows);

/// share [rows] = softmax over each graph of row . query of the graph; out [graphs, width] = the sum of share times
/// row.
template <class Scalar>
void segment_attention(const Segments& segments, const Scalar* rows, const Scalar* queries, int64_t width,
                       Scalar* share, Scalar* out);

/// Adds to d_rows and d_queries.
template <class Scalar>
void segment_attention_backward(const Segments& segments, const Scalar* rows, const Scalar* queries, int64_t width,
                                const Scalar* share, const Scalar* d_out, Scalar* d_rows, Scalar* d_queries);

}  // namespace dotin::kernels
