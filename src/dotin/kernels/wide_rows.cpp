#include "dotin/kernels/wide_rows.h"

#include <algorithm>
#include <vector>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"

namespace dotin::kernels {

namespace {

/// Summing coefficients by table row first pays where graphs share few distinct rows.
template <class Scalar>
bool by_histogram(const Level& level, const NodeRows<Scalar>& x) {
  return x.code != nullptr &&
         static_cast<int64_t>(level.graphs()) * x.table_rows <= 8 * static_cast<int64_t>(level.nodes());
}

/// [graphs * count, table rows]: how much of each table row goes into each wide row. Added up in double: where
/// thousands of equal numbers are added to a float one by one, rounding goes the same way every time.
template <class Scalar>
std::vector<Scalar> histogram(const Level& level, const NodeRows<Scalar>& x, int64_t count,
                              const Scalar* coefficients) {
  const int64_t size = count * x.table_rows;
  std::vector<Scalar> result(static_cast<std::size_t>(level.graphs() * size));
  std::vector<double> sums(static_cast<std::size_t>(size));
  for (int32_t g = 0; g < level.graphs(); ++g) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      for (int64_t r = 0; r < count; ++r) sums[r * x.table_rows + x.code[i]] += coefficients[i * count + r];
    }
    std::transform(sums.begin(), sums.end(), result.begin() + g * size,
                   [](double sum) { return static_cast<Scalar>(sum); });
  }
  return result;
}

/// Whether a graph's sums are worth a call of BLAS, which costs as much as some thousand numbers do in plain loops.
bool worth_gemm(int64_t count, int64_t nodes) { return count * nodes > 64; }

}  // namespace

template <class Scalar>
void wide_rows(const Level& level, const NodeRows<Scalar>& x, int64_t count, const Scalar* coefficients, Scalar* out) {
  const int64_t rows = level.graphs() * count;
  if (by_histogram(level, x)) {
    const std::vector<Scalar> sums = histogram(level, x, count, coefficients);
    gemm<Scalar>(Op::plain, Op::plain, rows, x.width, x.table_rows, 1, sums.data(), x.table, 0, out);
    return;
  }
  for (int32_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.node_offsets[g], nodes = level.node_offsets[g + 1] - first;
    Scalar* const wide = out + g * count * x.width;
    if (x.code == nullptr && worth_gemm(count, nodes)) {
      gemm<Scalar>(Op::transposed, Op::plain, count, x.width, nodes, 1, coefficients + first * count,
                   x.table + first * x.width, 0, wide);
      continue;
    }
    std::fill_n(wide, count * x.width, Scalar(0));
    for (int64_t i = first; i < first + nodes; ++i) {
      for (int64_t r = 0; r < count; ++r) {
        loops<Scalar>().add_scaled(coefficients[i * count + r], x.row(i), wide + r * x.width, x.width);
      }
    }
  }
}

template <class Scalar>
void wide_rows_backward(const Level& level, const NodeRows<Scalar>& x, int64_t count, const Scalar* coefficients,
                        const Scalar* d_out, Scalar* d_coefficients, Scalar* d_table) {
  const int64_t rows = level.graphs() * count;
  if (by_histogram(level, x)) {
    const std::vector<Scalar> sums = histogram(level, x, count, coefficients);
    gemm<Scalar>(Op::transposed, Op::plain, x.table_rows, x.width, rows, 1, sums.data(), d_out, 1, d_table);
    if (d_coefficients == nullptr) return;
    std::vector<Scalar> products(static_cast<std::size_t>(rows * x.table_rows));
    gemm<Scalar>(Op::plain, Op::transposed, rows, x.table_rows, x.width, 1, d_out, x.table, 0, products.data());
    for (int32_t g = 0; g < level.graphs(); ++g) {
      const Scalar* const of_graph = products.data() + g * count * x.table_rows;
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
        for (int64_t r = 0; r < count; ++r) d_coefficients[i * count + r] = of_graph[r * x.table_rows + x.code[i]];
      }
    }
    return;
  }
  for (int32_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.node_offsets[g], nodes = level.node_offsets[g + 1] - first;
    const Scalar* const d = d_out + g * count * x.width;
    if (x.code == nullptr && worth_gemm(count, nodes)) {
      gemm<Scalar>(Op::plain, Op::plain, nodes, x.width, count, 1, coefficients + first * count, d, 1,
                   d_table + first * x.width);
      if (d_coefficients != nullptr) {
        gemm<Scalar>(Op::plain, Op::transposed, nodes, count, x.width, 1, x.table + first * x.width, d, 0,
                     d_coefficients + first * count);
      }
      continue;
    }
    for (int64_t i = first; i < first + nodes; ++i) {
      for (int64_t r = 0; r < count; ++r) {
        const Scalar* const row = d + r * x.width;
        loops<Scalar>().add_scaled(coefficients[i * count + r], row, d_table + x.row_of(i) * x.width, x.width);
        if (d_coefficients != nullptr) d_coefficients[i * count + r] = loops<Scalar>().dot(row, x.row(i), x.width);
      }
    }
  }
}

template void wide_rows<float>(const Level&, const NodeRows<float>&, int64_t, const float*, float*);
template void wide_rows<double>(const Level&, const NodeRows<double>&, int64_t, const double*, double*);
template void wide_rows_backward<float>(const Level&, const NodeRows<float>&, int64_t, const float*, const float*,
                                        float*, float*);
template void wide_rows_backward<double>(const Level&, const NodeRows<double>&, int64_t, const double*, const double*,
                                         double*, double*);

}  // namespace dotin::kernels
