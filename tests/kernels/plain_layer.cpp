#include "kernels/plain_layer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dotin::testing {

using kernels::Attentiveness;
using kernels::Backbone;
using kernels::EdgeWeights;
using kernels::Level;

namespace {

double elu(double number) { return number > 0 ? number : std::expm1(number); }

/// map row^T + bias, with map [out, width]; bias may be null.
Numbers affine(const double* map, const double* bias, int64_t out, const Numbers& row) {
  const auto width = static_cast<int64_t>(row.size());
  Numbers result;
  for (int64_t o = 0; o < out; ++o)
    result.push_back(std::inner_product(row.begin(), row.end(), map + o * width, bias != nullptr ? bias[o] : 0.0));
  return result;
}

/// Graph of every row, virtual nodes first.
std::vector<int64_t> graph_of_rows(const Level& level, int64_t tasks) {
  std::vector<int64_t> graph;
  for (int64_t g = 0; g < level.graphs(); ++g) graph.insert(graph.end(), static_cast<std::size_t>(tasks), g);
  for (int64_t g = 0; g < level.graphs(); ++g)
    graph.insert(graph.end(), static_cast<std::size_t>(level.node_offsets[g + 1] - level.node_offsets[g]), g);
  return graph;
}

DenseMatrix entering_rows(const kernels::LayerRows<double>& rows, const Level& level, int64_t tasks) {
  DenseMatrix x(level.graphs() * tasks + level.nodes(), rows.width);
  for (int64_t r = 0; r < x.rows; ++r) {
    const int64_t v = level.graphs() * tasks, i = r - v;
    int64_t from = rows.shared_virtual ? r % tasks : r;
    if (r >= v) from = rows.virtual_count + (rows.code != nullptr ? rows.code[i] : i);
    std::copy_n(rows.all + from * rows.width, rows.width, x.values.begin() + r * rows.width);
  }
  return x;
}

}  // namespace

DenseMatrix times_transposed(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix product(a.rows, b.rows);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.rows; ++j) {
      for (int64_t l = 0; l < a.columns; ++l) product(i, j) += a(i, l) * b(j, l);
    }
  }
  return product;
}

DenseMatrix times(const DenseMatrix& a, const DenseMatrix& b) {
  DenseMatrix turned(b.columns, b.rows);
  for (int64_t i = 0; i < b.rows; ++i) {
    for (int64_t j = 0; j < b.columns; ++j) turned(j, i) = b(i, j);
  }
  return times_transposed(a, turned);
}

DenseMatrix dense_weights(const Level& level, int64_t tasks) {
  const int64_t v = level.graphs() * tasks;
  const auto weight = [&level](const std::vector<double>& weights, int64_t i) {
    return level.weighted ? weights[i] : 1.0;
  };
  DenseMatrix dense(v + level.nodes(), v + level.nodes());
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int64_t k = g * tasks; k < (g + 1) * tasks; ++k) {
      dense(k, k) = weight(level.virtual_self, g);
      for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
        dense(k, v + i) = weight(level.virtual_to_row, i);
        dense(v + i, k) = weight(level.row_to_virtual, i);
      }
    }
  }
  for (int64_t i = 0; i < level.nodes(); ++i) {
    dense(v + i, v + i) = weight(level.self_weight, i);
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e)
      dense(v + i, v + level.columns[e]) = weight(level.edge_weight, e);
  }
  return dense;
}

PlainLayer::PlainLayer(const kernels::LayerSettings& settings, const kernels::LayerWeights<double>& weights,
                       const kernels::LayerRows<double>& rows, const Level& level)
    : x(entering_rows(rows, level, settings.tasks)),
      c(x.rows, x.rows),
      own(x.rows, settings.tasks),
      scores(x.rows, settings.tasks),
      settings_(settings),
      weights_(weights),
      rows_(rows),
      level_(level) {
  const DenseMatrix weight = dense_weights(level, settings.tasks);
  if (settings.backbone == Backbone::gat) {
    attend(weight);
  } else {
    normalise(weight);
    if (weights.task_gate != nullptr) gate_tasks();
  }
  score();
}

/// S = softmax of q_i . p_j / tau over the entries of a row.
void PlainLayer::attend(const DenseMatrix& weight) {
  const DenseMatrix q = times_transposed(x, DenseMatrix(settings_.attention, x.columns, weights_.query));
  const DenseMatrix p = times_transposed(x, DenseMatrix(settings_.attention, x.columns, weights_.key));
  const DenseMatrix products = times_transposed(q, p);
  for (int64_t i = 0; i < c.rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < c.rows; ++j) {
      if (weight(i, j) == 0) continue;
      double logit = products(i, j) / settings_.tau;
      if (settings_.edge_weights == EdgeWeights::softmax) logit *= weight(i, j);
      if (settings_.edge_weights == EdgeWeights::multiplicity) logit += std::log(weight(i, j));
      sum += c(i, j) = std::exp(logit);
    }
    for (int64_t j = 0; j < c.rows; ++j) c(i, j) /= sum;
  }
}

/// gcn, gin and sage.
void PlainLayer::normalise(const DenseMatrix& weight) {
  const Backbone backbone = settings_.backbone;
  Numbers sum, scale;  // of each row, with the self-loop; 1 / sqrt of it where the end of an edge is scaled
  for (int64_t i = 0; i < c.rows; ++i) {
    sum.push_back(0);
    for (int64_t j = 0; j < c.rows; ++j) sum.back() += weight(i, j);
    scale.push_back(backbone == Backbone::gcn || i < virtual_rows() ? 1 / std::sqrt(sum.back()) : 1);
  }
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.rows; ++j) c(i, j) = scale[i] * weight(i, j) * scale[j];
    if (backbone == Backbone::gin) c(i, i) = scale[i] * scale[i] * (1 + *weights_.eps);
    if (backbone != Backbone::sage) continue;
    c(i, i) = 0;
    if (i < virtual_rows()) continue;
    for (int64_t j = 0; j < c.rows; ++j) c(i, j) /= sum[i] - weight(i, i);  // the mean of the others
  }
}

/// Edges into the virtual node of task k: times 2 sigmoid(x_j . u_k).
void PlainLayer::gate_tasks() {
  const DenseMatrix dots = times_transposed(x, DenseMatrix(settings_.tasks, x.columns, weights_.task_gate));
  for (int64_t v = 0; v < virtual_rows(); ++v) {
    for (int64_t j = virtual_rows(); j < c.rows; ++j) c(v, j) *= 2 / (1 + std::exp(-dots(j, v % settings_.tasks)));
  }
}

void PlainLayer::score() {
  const DenseMatrix q = times_transposed(x, DenseMatrix(settings_.attention, x.columns, weights_.query));
  const DenseMatrix p = times_transposed(x, DenseMatrix(settings_.attention, x.columns, weights_.key));
  const DenseMatrix products = times_transposed(q, p);
  const std::vector<int64_t> graph = graph_of_rows(level_, settings_.tasks);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t k = 0; k < settings_.tasks; ++k)
      own(i, k) = products(graph[i] * settings_.tasks + k, i) / settings_.tau;
  }
  const DenseMatrix smooth = times(c, own);
  row_gate.assign(static_cast<std::size_t>(x.rows), 1);
  for (int64_t i = virtual_rows(); i < x.rows; ++i) {
    logits.push_back(0);
    for (int64_t k = 0; k < settings_.tasks; ++k) {
      if (settings_.attentiveness != Attentiveness::smoothed) scores(i, k) += own(i, k);
      if (settings_.attentiveness != Attentiveness::own) scores(i, k) += smooth(i, k);
      logits.back() += scores(i, k);
      if (settings_.gate) row_gate[i] += std::tanh(scores(i, k)) / static_cast<double>(settings_.tasks);
    }
  }
}

/// The dropped nodes of a graph, each with its lambda.
PlainLayer::Mixture PlainLayer::merged(int64_t graph, const std::vector<uint8_t>& keep) const {
  const int64_t first = level_.node_offsets[graph], last = level_.node_offsets[graph + 1];
  Numbers score = logits;
  if (settings_.softmax_merge_weights) {
    double sum = 0;
    for (int64_t i = first; i < last; ++i) sum += score[i] = std::exp(logits[i]);
    for (int64_t i = first; i < last; ++i) score[i] /= sum;
  }
  Mixture mixture;
  double sum = 0;
  for (int64_t i = first; i < last; ++i) {
    if (keep[i] != 0) continue;
    mixture.emplace_back(virtual_rows() + i, std::exp(score[i]));
    sum += mixture.back().second;
  }
  for (auto& [row, share] : mixture) share /= sum;
  return mixture;
}

/// From h to what norm and ELU get.
Numbers PlainLayer::map(const Numbers& h, const Numbers& input) const {
  const int64_t d = settings_.hidden;
  if (weights_.inner != nullptr) {
    Numbers inner = affine(weights_.inner, weights_.inner_bias, d, h);
    std::transform(inner.begin(), inner.end(), inner.begin(), elu);
    return affine(weights_.linear, weights_.bias, d, inner);
  }
  Numbers z = affine(weights_.linear, weights_.bias, d, h);
  if (weights_.self == nullptr) return z;
  const Numbers of_self = affine(weights_.self, nullptr, d, input);
  std::transform(z.begin(), z.end(), of_self.begin(), z.begin(), std::plus<>());
  return z;
}

DenseMatrix PlainLayer::next(const std::vector<uint8_t>& keep, const kernels::Dropout& dropout) const {
  std::vector<Mixture> leaving;
  for (int64_t v = 0; v < virtual_rows(); ++v) leaving.push_back({{v, 1}});
  for (int64_t g = 0; g < level_.graphs(); ++g) {
    for (int64_t i = level_.node_offsets[g]; i < level_.node_offsets[g + 1]; ++i) {
      if (keep[i] != 0) leaving.push_back({{virtual_rows() + i, 1}});
    }
    const Mixture dropped = merged(g, keep);
    if (settings_.merge && !dropped.empty()) leaving.push_back(dropped);
  }

  const int64_t d = settings_.hidden;
  const DenseMatrix h = times(c, x);
  const DenseMatrix residual = rows_.basis != nullptr ? times(x, DenseMatrix(x.columns, d, rows_.basis)) : x;
  DenseMatrix mask(static_cast<int64_t>(leaving.size()), d), result = mask;
  kernels::dropout_mask(dropout, mask.rows, d, mask.values.data());
  for (int64_t r = 0; r < result.rows; ++r) {
    const auto mixed = [&](const DenseMatrix& of) {
      Numbers sum(static_cast<std::size_t>(of.columns));
      for (const auto& [row, share] : leaving[r]) {
        for (int64_t col = 0; col < of.columns; ++col) sum[col] += share * of(row, col);
      }
      return sum;
    };
    double gate = 0;
    for (const auto& [row, share] : leaving[r]) gate += share * row_gate[row];
    Numbers z = map(mixed(h), mixed(x));
    if (weights_.gamma != nullptr) {
      const double mean = std::accumulate(z.begin(), z.end(), 0.0) / static_cast<double>(d);
      double square = 0;
      for (double& number : z) number -= mean, square += number * number / static_cast<double>(d);
      for (int64_t col = 0; col < d; ++col)
        z[col] = weights_.gamma[col] * z[col] / std::sqrt(square + 1e-5) + weights_.beta[col];
    }
    const Numbers input = settings_.residual ? mixed(residual) : Numbers(z.size());
    for (int64_t col = 0; col < d; ++col) result(r, col) = gate * mask(r, col) * elu(z[col]) + input[col];
  }
  return result;
}

}  // namespace dotin::testing
