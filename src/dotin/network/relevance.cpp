#include "dotin/network/relevance.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/gemm.h"

namespace dotin::network {

namespace {

using kernels::gemm;
using kernels::Op;

constexpr int64_t D = kScorerHidden;
constexpr double kNormEpsilon = 1e-5;

template <class Scalar>
using Rows = std::vector<Scalar>;

/// The feature rows times the input map.
template <class Scalar>
Rows<Scalar> input_of(const batch::Batch& batch, int64_t width, const Scalar* weight) {
  const int64_t nodes = batch.nodes();
  Rows<Scalar> rows(static_cast<std::size_t>(nodes * D), 0);
  for (int64_t i = 0; i < nodes; ++i) {
    Scalar* const row = rows.data() + i * D;
    for (int64_t c = 0; c < batch.dense_width; ++c) {
      const auto value = static_cast<Scalar>(batch.dense[static_cast<std::size_t>(i * batch.dense_width + c)]);
      for (int64_t d = 0; d < D; ++d) row[d] += value * weight[d * width + c];
    }
    for (int64_t b = 0; b < batch.codes_per_node; ++b) {
      const int32_t column = batch.codes[static_cast<std::size_t>(i * batch.codes_per_node + b)];
      for (int64_t d = 0; column >= 0 && d < D; ++d) row[d] += weight[d * width + column];
    }
  }
  return rows;
}

/// For every node the sum over its neighbours.
template <class Scalar>
Rows<Scalar> sums(const batch::Batch& batch, const Rows<Scalar>& rows, int64_t width) {
  Rows<Scalar> result(rows.size(), 0);
  for (int64_t i = 0; i < batch.nodes(); ++i) {
    for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) {
      const Scalar* const other = rows.data() + batch.neighbours[static_cast<std::size_t>(e)] * width;
      for (int64_t d = 0; d < width; ++d) result[static_cast<std::size_t>(i * width + d)] += other[d];
    }
  }
  return result;
}

/// result += rows weight^T
template <class Scalar>
void add_product(const Rows<Scalar>& rows, int64_t in, const Scalar* weight, int64_t out, Rows<Scalar>& result) {
  const int64_t count = static_cast<int64_t>(rows.size()) / in;
  gemm(Op::plain, Op::transposed, count, out, in, Scalar(1), rows.data(), weight, Scalar(1), result.data());
}

template <class Scalar>
Rows<Scalar> repeated(const Scalar* row, int64_t width, int64_t count) {
  Rows<Scalar> rows;
  rows.reserve(static_cast<std::size_t>(count * width));
  for (int64_t i = 0; i < count; ++i) rows.insert(rows.end(), row, row + width);
  return rows;
}

/// x += ReLU(norm(z)), row by row.
template <class Scalar>
void add_normed(const Rows<Scalar>& z, const Scalar* gamma, const Scalar* beta, Rows<Scalar>& x) {
  for (std::size_t first = 0; first < z.size(); first += D) {
    Scalar mean = 0, square = 0;
    for (int64_t d = 0; d < D; ++d) mean += z[first + d];
    mean /= D;
    for (int64_t d = 0; d < D; ++d) square += (z[first + d] - mean) * (z[first + d] - mean);
    const Scalar scale = 1 / std::sqrt(square / D + static_cast<Scalar>(kNormEpsilon));
    for (int64_t d = 0; d < D; ++d)
      x[first + d] += std::max<Scalar>(0, (z[first + d] - mean) * scale * gamma[d] + beta[d]);
  }
}

/// [graphs, 2 D]: the mean of the rows, and the largest of what is above 0.
template <class Scalar>
Rows<Scalar> read_out(const Rows<Scalar>& rows, const batch::Batch& batch) {
  Rows<Scalar> read(static_cast<std::size_t>(batch.graphs() * 2 * D), 0);
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    Scalar* const own = read.data() + static_cast<int64_t>(g) * 2 * D;
    const int32_t first = batch.node_offsets[g], last = batch.node_offsets[g + 1];
    for (int64_t i = first; i < last; ++i) {
      for (int64_t d = 0; d < D; ++d) {
        const Scalar value = rows[static_cast<std::size_t>(i * D + d)];
        own[d] += value / static_cast<Scalar>(last - first);
        own[D + d] = std::max(own[D + d], value);
      }
    }
  }
  return read;
}

}  // namespace

template <class Scalar>
std::vector<double> relevance_scores(const batch::Batch& batch, int64_t input_width, int64_t tasks,
                                     const FindParameter<Scalar>& find) {
  const int64_t nodes = batch.nodes();
  Rows<Scalar> x = input_of(batch, input_width, find("input.weight"));
  for (int64_t l = 0; l < kScorerLayers; ++l) {
    const auto of_layer = [&](const char* name) { return find("layers." + std::to_string(l) + "." + name); };
    Rows<Scalar> z = repeated(of_layer("own.bias"), D, nodes);
    add_product(x, D, of_layer("own.weight"), D, z);
    add_product(sums(batch, x, D), D, of_layer("others.weight"), D, z);
    add_normed(z, of_layer("norm.weight"), of_layer("norm.bias"), x);
  }
  Rows<Scalar> context(static_cast<std::size_t>(batch.graphs() * D), 0);
  add_product(read_out(x, batch), 2 * D, find("context.weight"), D, context);
  Rows<Scalar> inner = repeated(find("inner.bias"), D, nodes);
  add_product(x, D, find("inner.weight"), D, inner);
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    for (int64_t i = batch.node_offsets[g]; i < batch.node_offsets[g + 1]; ++i) {
      for (int64_t d = 0; d < D; ++d) {
        const auto at = static_cast<std::size_t>(i * D + d);
        x[at] += std::max<Scalar>(0, inner[at] + context[static_cast<std::size_t>(g * D + d)]);
      }
    }
  }
  Rows<Scalar> both = repeated(find("score.bias"), 2 * tasks, nodes);
  add_product(x, D, find("score.weight"), 2 * tasks, both);
  Rows<Scalar> wide;
  for (int64_t i = 0; i < nodes; ++i)
    wide.insert(wide.end(), both.begin() + (2 * i + 1) * tasks, both.begin() + (2 * i + 2) * tasks);
  for (int hop = 0; hop < 2; ++hop) {
    const Rows<Scalar> others = sums(batch, wide, tasks);
    for (int64_t i = 0; i < nodes; ++i) {
      const auto share = static_cast<Scalar>(1.0 / (1 + batch.row_offsets[i + 1] - batch.row_offsets[i]));
      for (auto at = static_cast<std::size_t>(i * tasks); at < static_cast<std::size_t>((i + 1) * tasks); ++at)
        wide[at] = share * (wide[at] + others[at]);
    }
  }
  std::vector<double> scores;
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t k = 0; k < tasks; ++k)
      scores.push_back(both[static_cast<std::size_t>(2 * i * tasks + k)] +
                       wide[static_cast<std::size_t>(i * tasks + k)]);
  }
  return scores;
}

template std::vector<double> relevance_scores<float>(const batch::Batch&, int64_t, int64_t,
                                                     const FindParameter<float>&);
template std::vector<double> relevance_scores<double>(const batch::Batch&, int64_t, int64_t,
                                                      const FindParameter<double>&);

}  // namespace dotin::network
