// The rows of the first layer: nodes with equal features share one row of a table.
#pragma once

#include <cstdint>
#include <vector>

namespace dotin::kernels {

/// Features of a batch: one-hot codes (a column that is 1, or -1 for none) and dense columns, which are the first ones.
struct InputFeatures {
  const int32_t* codes;  // nodes x codes_per_node
  int32_t codes_per_node;
  const float* dense;  // nodes x dense_width
  int32_t dense_width;
  int32_t nodes;
};

/// Which table row each node has, and one node for each table row. Where rows are not to be shared, or sharing would
/// save less than a quarter of them, every node has a row of its own and code is empty.
struct InputIndex {
  std::vector<int32_t> code;
  std::vector<int32_t> example;
  int64_t rows() const { return static_cast<int64_t>(example.size()); }
};
InputIndex index_input(const InputFeatures& features, bool share_rows);

/// Dense columns, then those one-hot columns that some node has.
std::vector<int32_t> used_columns(const InputFeatures& features, int64_t feature_width);

/// to [columns, hidden] = the given columns of weight [hidden, width], as rows.
template <class Scalar>
void gather_columns(const Scalar* weight, int64_t hidden, int64_t width, const std::vector<int32_t>& columns,
                    Scalar* to);

/// The way back: adds to d_weight [hidden, width].
template <class Scalar>
void scatter_columns(const Scalar* d_rows, int64_t hidden, int64_t width, const std::vector<int32_t>& columns,
                     Scalar* d_weight);

/// table [rows, hidden] = features of each example node times weight^T, with weight [hidden, width] as in the model
/// file.
template <class Scalar>
void input_table(const InputFeatures& features, const InputIndex& index, const Scalar* weight, int64_t hidden,
                 int64_t width, Scalar* table);

/// Adds to d_weight [hidden, width].
template <class Scalar>
void input_table_backward(const InputFeatures& features, const InputIndex& index, int64_t hidden, int64_t width,
                          const Scalar* d_table, Scalar* d_weight);

}  // namespace dotin::kernels
