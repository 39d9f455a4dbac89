#include "dotin/kernels/input_table.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"

namespace dotin::kernels {

namespace {

/// The features of a node as they lie in memory.
class Keys {
 public:
  explicit Keys(const InputFeatures& features) : f_(features) {}

  uint64_t hash(int32_t node) const {
    uint64_t hash = 0;
    const auto add = [&hash](uint32_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 32; };
    for (int32_t b = 0; b < f_.codes_per_node; ++b) add(static_cast<uint32_t>(codes(node)[b]));
    for (int32_t c = 0; c < f_.dense_width; ++c) {
      uint32_t word;
      std::memcpy(&word, dense(node) + c, sizeof(word));
      add(word);
    }
    return hash;
  }

  bool equal(int32_t a, int32_t b) const {
    return std::equal(codes(a), codes(a) + f_.codes_per_node, codes(b)) &&
           std::equal(dense(a), dense(a) + f_.dense_width, dense(b));
  }

 private:
  const int32_t* codes(int32_t node) const { return f_.codes + static_cast<int64_t>(node) * f_.codes_per_node; }
  const float* dense(int32_t node) const { return f_.dense + static_cast<int64_t>(node) * f_.dense_width; }

  const InputFeatures& f_;
};

InputIndex own_rows(int32_t nodes) {
  InputIndex index;
  index.example.resize(static_cast<std::size_t>(nodes));
  std::iota(index.example.begin(), index.example.end(), 0);
  return index;
}

/// Columns of the features that are there, each as a row, and where each is.
template <class Scalar>
struct Columns {
  Columns(const InputFeatures& features, int64_t hidden, int64_t width)
      : used(used_columns(features, width)), place(static_cast<std::size_t>(width), -1) {
    for (std::size_t c = 0; c < used.size(); ++c) place[static_cast<std::size_t>(used[c])] = static_cast<int32_t>(c);
    rows.resize(used.size() * static_cast<std::size_t>(hidden));
  }

  std::vector<int32_t> used, place;
  std::vector<Scalar> rows;
};

/// Calls visit(table row, place of a column) for every one-hot column of every table row.
template <class Visit>
void for_each_code(const InputFeatures& features, const InputIndex& index, const std::vector<int32_t>& place,
                   const Visit& visit) {
  for (int64_t u = 0; u < index.rows(); ++u) {
    const int32_t* const codes = features.codes + static_cast<int64_t>(index.example[u]) * features.codes_per_node;
    for (int32_t b = 0; b < features.codes_per_node; ++b) {
      if (codes[b] >= 0) visit(u, int64_t{place[codes[b]]});
    }
  }
}

/// Dense columns of the example nodes, as Scalar.
template <class Scalar>
std::vector<Scalar> dense_rows(const InputFeatures& features, const InputIndex& index) {
  std::vector<Scalar> rows;
  rows.reserve(index.example.size() * static_cast<std::size_t>(features.dense_width));
  for (const int32_t node : index.example) {
    const float* const row = features.dense + static_cast<int64_t>(node) * features.dense_width;
    rows.insert(rows.end(), row, row + features.dense_width);
  }
  return rows;
}

constexpr int64_t kStrip = 16;  // rows of a weight that are walked together: a cache line of what is written

}  // namespace

InputIndex index_input(const InputFeatures& features, bool share_rows) {
  if (!share_rows) return own_rows(features.nodes);
  InputIndex index;
  index.code.resize(static_cast<std::size_t>(features.nodes));
  std::size_t slots = 16;
  while (slots < 2 * index.code.size()) slots *= 2;
  std::vector<int32_t> row_in(slots, -1);
  const Keys keys(features);
  for (int32_t i = 0; i < features.nodes; ++i) {
    std::size_t slot = keys.hash(i) & (slots - 1);
    while (row_in[slot] >= 0 && !keys.equal(index.example[row_in[slot]], i)) slot = (slot + 1) & (slots - 1);
    if (row_in[slot] < 0) {
      row_in[slot] = static_cast<int32_t>(index.example.size());
      index.example.push_back(i);
    }
    index.code[i] = row_in[slot];
  }
  if (4 * index.rows() > 3 * int64_t{features.nodes}) return own_rows(features.nodes);
  return index;
}

std::vector<int32_t> used_columns(const InputFeatures& features, int64_t feature_width) {
  std::vector<uint8_t> used(static_cast<std::size_t>(feature_width), 0);
  std::fill_n(used.begin(), features.dense_width, uint8_t{1});
  const int64_t codes = static_cast<int64_t>(features.nodes) * features.codes_per_node;
  for (int64_t c = 0; c < codes; ++c) {
    if (features.codes[c] >= 0) used[features.codes[c]] = 1;
  }
  std::vector<int32_t> columns;
  for (int32_t column = 0; column < feature_width; ++column) {
    if (used[column] != 0) columns.push_back(column);
  }
  return columns;
}

template <class Scalar>
void gather_columns(const Scalar* weight, int64_t hidden, int64_t width, const std::vector<int32_t>& columns,
                    Scalar* to) {
  for (int64_t first = 0; first < hidden; first += kStrip) {
    const int64_t end = std::min(hidden, first + kStrip);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (int64_t h = first; h < end; ++h) to[static_cast<int64_t>(c) * hidden + h] = weight[h * width + columns[c]];
    }
  }
}

template <class Scalar>
void scatter_columns(const Scalar* d_rows, int64_t hidden, int64_t width, const std::vector<int32_t>& columns,
                     Scalar* d_weight) {
  for (int64_t first = 0; first < hidden; first += kStrip) {
    const int64_t end = std::min(hidden, first + kStrip);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (int64_t h = first; h < end; ++h) {
        d_weight[h * width + columns[c]] += d_rows[static_cast<int64_t>(c) * hidden + h];
      }
    }
  }
}

template <class Scalar>
void input_table(const InputFeatures& features, const InputIndex& index, const Scalar* weight, int64_t hidden,
                 int64_t width, Scalar* table) {
  Columns<Scalar> columns(features, hidden, width);
  gather_columns(weight, hidden, width, columns.used, columns.rows.data());
  if (features.dense_width > 0) {
    const std::vector<Scalar> dense = dense_rows<Scalar>(features, index);
    gemm(Op::plain, Op::plain, index.rows(), hidden, features.dense_width, Scalar(1), dense.data(), columns.rows.data(),
         Scalar(0), table);
  } else {
    std::fill_n(table, index.rows() * hidden, Scalar(0));
  }
  const Scalar* const rows = columns.rows.data();
  for_each_code(features, index, columns.place, [&](int64_t row, int64_t column) {
    loops<Scalar>().add_scaled(1, rows + column * hidden, table + row * hidden, hidden);
  });
}

template <class Scalar>
void input_table_backward(const InputFeatures& features, const InputIndex& index, int64_t hidden, int64_t width,
                          const Scalar* d_table, Scalar* d_weight) {
  Columns<Scalar> d_columns(features, hidden, width);
  if (features.dense_width > 0) {
    const std::vector<Scalar> dense = dense_rows<Scalar>(features, index);
    gemm(Op::transposed, Op::plain, features.dense_width, hidden, index.rows(), Scalar(1), dense.data(), d_table,
         Scalar(1), d_columns.rows.data());
  }
  Scalar* const d_rows = d_columns.rows.data();
  for_each_code(features, index, d_columns.place, [&](int64_t row, int64_t column) {
    loops<Scalar>().add_scaled(1, d_table + row * hidden, d_rows + column * hidden, hidden);
  });
  scatter_columns(d_rows, hidden, width, d_columns.used, d_weight);
}

template void gather_columns<float>(const float*, int64_t, int64_t, const std::vector<int32_t>&, float*);
template void gather_columns<double>(const double*, int64_t, int64_t, const std::vector<int32_t>&, double*);
template void scatter_columns<float>(const float*, int64_t, int64_t, const std::vector<int32_t>&, float*);
template void scatter_columns<double>(const double*, int64_t, int64_t, const std::vector<int32_t>&, double*);
template void input_table<float>(const InputFeatures&, const InputIndex&, const float*, int64_t, int64_t, float*);
template void input_table<double>(const InputFeatures&, const InputIndex&, const double*, int64_t, int64_t, double*);
template void input_table_backward<float>(const InputFeatures&, const InputIndex&, int64_t, int64_t, const float*,
                                          float*);
template void input_table_backward<double>(const InputFeatures&, const InputIndex&, int64_t, int64_t, const double*,
                                           double*);

}  // namespace dotin::kernels
