// Rows that mix all nodes of a graph, such as those of virtual and merged nodes: a few dense rows per graph instead of
// many edges.
#pragma once

#include <cstdint>

#include "dotin/kernels/level.h"

namespace dotin::kernels {

/// Node i is row code[i] of table, or row i where code is null.
template <class Scalar>
struct NodeRows {
  const Scalar* table;
  int64_t table_rows;
  const int32_t* code;
  int64_t width;

  int64_t row_of(int64_t node) const { return code != nullptr ? code[node] : node; }
  const Scalar* row(int64_t node) const { return table + row_of(node) * width; }
};

/// out[g * count + r] = sum over nodes i of graph g of coefficients[i * count + r] x_i. out: graphs * count rows.
template <class Scalar>
void wide_rows(const Level& level, const NodeRows<Scalar>& x, int64_t count, const Scalar* coefficients, Scalar* out);

/// d_coefficients[i * count + r] = d_out[g * count + r] . x_i (null: not wanted); d_table gets coefficients[i * count +
/// r] d_out[g * count + r] added at row i.
template <class Scalar>
void wide_rows_backward(const Level& level, const NodeRows<Scalar>& x, int64_t count, const Scalar* coefficients,
                        const Scalar* d_out, Scalar* d_coefficients, Scalar* d_table);

}  // namespace dotin::kernels
