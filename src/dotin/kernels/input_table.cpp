#include "dotin/kernels/input_table.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"

namespace dotin::kernels {

InputIndex index_input(const InputFeatures& features, bool share_rows) {
  InputIndex index;
  if (features.dense_width > 0 || !share_rows) {
    index.example.resize(static_cast<std::size_t>(features.nodes));
    std::iota(index.example.begin(), index.example.end(), 0);
    return index;
  }
  index.code.resize(static_cast<std::size_t>(features.nodes));
  std::unordered_map<std::string, int32_t> known;
  const std::size_t key_bytes = static_cast<std::size_t>(features.codes_per_node) * sizeof(int32_t);
  std::string key;
  for (int32_t i = 0; i < features.nodes; ++i) {
    key.assign(reinterpret_cast<const char*>(features.codes + static_cast<int64_t>(i) * features.codes_per_node),
               key_bytes);
    const auto [found, is_new] = known.try_emplace(key, static_cast<int32_t>(index.example.size()));
    if (is_new) index.example.push_back(i);
    index.code[i] = found->second;
  }
  return index;
}

namespace {

/// dense columns of the example nodes, as Scalar.
template <class Scalar>
std::vector<Scalar> dense_rows(const InputFeatures& features) {
  return {features.dense, features.dense + static_cast<int64_t>(features.nodes) * features.dense_width};
}

}  // namespace

template <class Scalar>
void input_table(const InputFeatures& features, const InputIndex& index, const Scalar* weight, int64_t hidden,
                 int64_t width, Scalar* table) {
  // Columns of the weight are wanted as rows.
  std::vector<Scalar> columns(static_cast<std::size_t>(hidden * width));
  for (int64_t h = 0; h < hidden; ++h) {
    for (int64_t c = 0; c < width; ++c) columns[c * hidden + h] = weight[h * width + c];
  }
  if (features.dense_width > 0) {
    const std::vector<Scalar> dense = dense_rows<Scalar>(features);
    gemm(Op::plain, Op::plain, index.rows(), hidden, features.dense_width, Scalar(1), dense.data(), columns.data(),
         Scalar(0), table);
  } else {
    std::fill_n(table, index.rows() * hidden, Scalar(0));
  }
  for (int64_t u = 0; u < index.rows(); ++u) {
    for (int32_t b = 0; b < features.codes_per_node; ++b) {
      const int64_t column = features.codes[static_cast<int64_t>(index.example[u]) * features.codes_per_node + b];
      if (column >= 0) loops<Scalar>().add_scaled(1, columns.data() + column * hidden, table + u * hidden, hidden);
    }
  }
}

template <class Scalar>
void input_table_backward(const InputFeatures& features, const InputIndex& index, int64_t hidden, int64_t width,
                          const Scalar* d_table, Scalar* d_weight) {
  std::vector<Scalar> d_columns(static_cast<std::size_t>(hidden * width), Scalar(0));
  if (features.dense_width > 0) {
    const std::vector<Scalar> dense = dense_rows<Scalar>(features);
    gemm(Op::transposed, Op::plain, features.dense_width, hidden, index.rows(), Scalar(1), dense.data(), d_table,
         Scalar(1), d_columns.data());
  }
  for (int64_t u = 0; u < index.rows(); ++u) {
    for (int32_t b = 0; b < features.codes_per_node; ++b) {
      const int64_t column = features.codes[static_cast<int64_t>(index.example[u]) * features.codes_per_node + b];
      if (column >= 0) loops<Scalar>().add_scaled(1, d_table + u * hidden, d_columns.data() + column * hidden, hidden);
    }
  }
  for (int64_t h = 0; h < hidden; ++h) {
    for (int64_t c = 0; c < width; ++c) d_weight[h * width + c] += d_columns[c * hidden + h];
  }
}

template void input_table<float>(const InputFeatures&, const InputIndex&, const float*, int64_t, int64_t, float*);
template void input_table<double>(const InputFeatures&, const InputIndex&, const double*, int64_t, int64_t, double*);
template void input_table_backward<float>(const InputFeatures&, const InputIndex&, int64_t, int64_t, const float*,
                                          float*);
template void input_table_backward<double>(const InputFeatures&, const InputIndex&, int64_t, int64_t, const double*,
                                           double*);

}  // namespace dotin::kernels
