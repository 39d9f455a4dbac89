#include "dotin/network/relevance.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/gemm.h"

namespace dotin::network {

namespace {

using kernels::gemm;
using kernels::Op;

constexpr int64_t D = kRelevanceHidden;
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

/// Every row to mean 0 and deviation 1.
template <class Scalar>
void normalise(Rows<Scalar>& rows) {
  for (std::size_t first = 0; first < rows.size(); first += D) {
    Scalar mean = 0, square = 0;
    for (int64_t d = 0; d < D; ++d) mean += rows[first + d];
    mean /= D;
    for (int64_t d = 0; d < D; ++d) square += (rows[first + d] - mean) * (rows[first + d] - mean);
    const Scalar scale = 1 / std::sqrt(square / D + static_cast<Scalar>(kNormEpsilon));
    for (int64_t d = 0; d < D; ++d) rows[first + d] = (rows[first + d] - mean) * scale;
  }
}

/// rows weight^T + bias
template <class Scalar>
Rows<Scalar> linear(const Rows<Scalar>& rows, int64_t in, const FindParameter<Scalar>& find, const std::string& name,
                    int64_t out) {
  Rows<Scalar> result = repeated(find(name + ".bias"), out, static_cast<int64_t>(rows.size()) / in);
  add_product(rows, in, find(name + ".weight"), out, result);
  return result;
}

template <class Scalar>
void relu(Rows<Scalar>& rows) {
  for (Scalar& value : rows) value = std::max<Scalar>(0, value);
}

/// [nodes, D]: what the layers make of every node.
template <class Scalar>
Rows<Scalar> node_rows(const batch::Batch& batch, int64_t input_width, const FindParameter<Scalar>& find) {
  Rows<Scalar> x = input_of(batch, input_width, find("input.weight"));
  for (int64_t l = 0; l < kRelevanceLayers; ++l) {
    const std::string layer = "layers." + std::to_string(l) + ".";
    Rows<Scalar> z = linear(x, D, find, layer + "own", D);
    add_product(sums(batch, x, D), D, find(layer + "others.weight"), D, z);
    normalise(z);
    const Scalar *const gamma = find(layer + "norm.weight"), *const beta = find(layer + "norm.bias");
    for (std::size_t i = 0; i < z.size(); ++i) x[i] += std::max<Scalar>(0, z[i] * gamma[i % D] + beta[i % D]);
  }
  Rows<Scalar> inner = linear(x, D, find, "inner", D);
  relu(inner);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += inner[i];
  return x;
}

/// [graphs, 2 D]: the mean of the rows, and the largest.
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
        own[D + d] = i == first ? value : std::max(own[D + d], value);
      }
    }
  }
  return read;
}

/// Rows of two tables side by side.
template <class Scalar>
Rows<Scalar> beside(const Rows<Scalar>& left, int64_t left_width, const Rows<Scalar>& right, int64_t right_width) {
  Rows<Scalar> both;
  both.reserve(left.size() + right.size());
  for (std::size_t row = 0; row * left_width < left.size(); ++row) {
    both.insert(both.end(), left.begin() + row * left_width, left.begin() + (row + 1) * left_width);
    both.insert(both.end(), right.begin() + row * right_width, right.begin() + (row + 1) * right_width);
  }
  return both;
}

/// The mean of a node's row and its neighbours'.
template <class Scalar>
Rows<Scalar> smoothed(const batch::Batch& batch, const Rows<Scalar>& rows, int64_t width) {
  Rows<Scalar> result = sums(batch, rows, width);
  for (int64_t i = 0; i < batch.nodes(); ++i) {
    const auto share = static_cast<Scalar>(1.0 / (1 + batch.row_offsets[i + 1] - batch.row_offsets[i]));
    for (auto at = static_cast<std::size_t>(i * width); at < static_cast<std::size_t>((i + 1) * width); ++at)
      result[at] = share * (result[at] + rows[at]);
  }
  return result;
}

}  // namespace

int64_t evidence_columns(const Output& output) {
  return output.statements() > 0 ? output.statements() : kEmbeddingStatements;
}

RelevanceShape relevance_shape(int64_t input_width, const std::vector<std::shared_ptr<Output>>& outputs) {
  RelevanceShape shape{input_width, 0, static_cast<int64_t>(outputs.size())};
  for (const auto& output : outputs) shape.statements += evidence_columns(*output);
  return shape;
}

ParameterList detector_parameters(const RelevanceShape& shape, double nodes) {
  ParameterList list = {{"input.weight", {D, shape.input_width}, Start::normal, 1}};
  for (int64_t l = 0; l < kRelevanceLayers; ++l) {
    const std::string layer = "layers." + std::to_string(l) + ".";
    append(list, linear_parameters(layer + "own", D, D));
    list.push_back({layer + "others.weight", {D, D}, Start::uniform, bound_of(D)});
    list.push_back({layer + "norm.weight", {D}, Start::constant, 1});
    list.push_back({layer + "norm.bias", {D}, Start::constant, 0});
  }
  append(list, linear_parameters("inner", D, D));
  list.push_back({"evidence.weight", {shape.statements, D}, Start::uniform, 0.5 * bound_of(D)});
  list.push_back({"evidence.bias", {shape.statements}, Start::constant, -std::log(2 * nodes)});
  return list;
}

ParameterList ranker_parameters(const RelevanceShape& shape) {
  constexpr int64_t around = (1 + kRelevanceHops) * kRelevanceChannels;
  ParameterList list = linear_parameters("channels", kRelevanceChannels, D + shape.statements);
  list.push_back({"context.weight", {D, 2 * D}, Start::uniform, bound_of(2 * D)});
  append(list, linear_parameters("mixed", D, D + around));
  append(list, linear_parameters("score", shape.tasks, D));
  list.push_back({"direct.weight", {shape.tasks, around}, Start::uniform, bound_of(around)});
  return list;
}

ParameterList scorer_parameters(const RelevanceShape& shape) {
  ParameterList list = detector_parameters(shape, 1);
  append(list, ranker_parameters(shape));
  return list;
}

template <class Scalar>
std::vector<double> relevance_scores(const batch::Batch& batch, const RelevanceShape& shape,
                                     const FindParameter<Scalar>& find) {
  Rows<Scalar> rows = node_rows(batch, shape.input_width, find);
  Rows<Scalar> evidence = linear(rows, D, find, "evidence", shape.statements);
  for (Scalar& value : evidence) value = 1 / (1 + std::exp(-value));
  normalise(rows);
  Rows<Scalar> channels =
      linear(beside(rows, D, evidence, shape.statements), D + shape.statements, find, "channels", kRelevanceChannels);
  relu(channels);
  Rows<Scalar> around = channels;
  int64_t width = kRelevanceChannels;
  for (int64_t hop = 0; hop < kRelevanceHops; ++hop) {
    channels = smoothed(batch, channels, kRelevanceChannels);
    around = beside(around, width, channels, kRelevanceChannels);
    width += kRelevanceChannels;
  }
  Rows<Scalar> context(static_cast<std::size_t>(batch.graphs() * D), 0);
  add_product(read_out(rows, batch), 2 * D, find("context.weight"), D, context);
  Rows<Scalar> mixed = linear(beside(rows, D, around, width), D + width, find, "mixed", D);
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    for (int64_t at = batch.node_offsets[g] * D; at < batch.node_offsets[g + 1] * D; ++at)
      mixed[static_cast<std::size_t>(at)] += context[static_cast<std::size_t>(g * D + at % D)];
  }
  relu(mixed);
  Rows<Scalar> scores = linear(mixed, D, find, "score", shape.tasks);
  add_product(around, width, find("direct.weight"), shape.tasks, scores);
  return {scores.begin(), scores.end()};
}

template std::vector<double> relevance_scores<float>(const batch::Batch&, const RelevanceShape&,
                                                     const FindParameter<float>&);
template std::vector<double> relevance_scores<double>(const batch::Batch&, const RelevanceShape&,
                                                      const FindParameter<double>&);

}  // namespace dotin::network
