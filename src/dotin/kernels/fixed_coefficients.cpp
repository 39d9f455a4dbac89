#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dotin/kernels/edge_coefficients.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/reach.h"
#include "dotin/kernels/storage.h"
#include "dotin/kernels/virtual_attention.h"

namespace dotin::kernels {

namespace {

/// C_ij = row_i w_ij column_j between different nodes. Virtual nodes of a graph share theirs, the same at either end.
struct Factors {
  std::vector<double> row, column;  // per node
  std::vector<double> of_virtual;   // per graph
};

/// As layers/ bounds sums of weights.
double bounded(double sum) { return std::max(sum, 1e-12); }

/// 1 / sqrt(d) of every graph's virtual nodes, whatever the backbone. d: sum of the row, with the self-loop.
std::vector<double> virtual_factors(const Level& level) {
  std::vector<double> factors;
  for (int32_t g = 0; g < level.graphs(); ++g) {
    const int32_t first = level.node_offsets[g], last = level.node_offsets[g + 1];
    double sum = static_cast<double>(last - first + 1);
    if (level.weighted) {
      sum = std::accumulate(level.virtual_to_row.begin() + first, level.virtual_to_row.begin() + last,
                            static_cast<double>(level.virtual_self[g]));
    }
    factors.push_back(1 / std::sqrt(bounded(sum)));
  }
  return factors;
}

/// Raw nodes: gcn 1 / sqrt(d_i d_j); sage 1 / d_i; gin 1. d: sums of the rows, with the self-loop for gcn.
Factors factors_of(const Level& level, Backbone backbone, int64_t tasks) {
  const bool gcn = backbone == Backbone::gcn;
  Factors factors;
  factors.row.assign(static_cast<std::size_t>(level.nodes()), 1);
  for (int32_t i = 0; i < level.nodes() && backbone != Backbone::gin; ++i) {
    const int32_t first = level.row_offsets[i], last = level.row_offsets[i + 1];
    double sum = static_cast<double>(last - first + tasks + (gcn ? 1 : 0));
    if (level.weighted) {
      sum = std::accumulate(level.edge_weight.begin() + first, level.edge_weight.begin() + last,
                            static_cast<double>(tasks) * level.row_to_virtual[i] + (gcn ? level.self_weight[i] : 0));
    }
    factors.row[i] = 1 / (gcn ? std::sqrt(bounded(sum)) : bounded(sum));
  }
  factors.column = gcn ? factors.row : std::vector<double>(factors.row.size(), 1);
  factors.of_virtual = virtual_factors(level);
  return factors;
}

/// C_ii, factor being that of the node at either end: of gcn with its weight, of gin with 1 + eps; sage has none.
template <class Scalar>
Scalar self_coefficient(Backbone backbone, const LayerWeights<Scalar>& weights, double factor, double weight) {
  if (backbone == Backbone::gin) return static_cast<Scalar>(factor * factor * (1 + *weights.eps));
  return backbone == Backbone::gcn ? static_cast<Scalar>(factor * factor * weight) : Scalar(0);
}

template <class Scalar>
void virtual_rows(const Frame<Scalar>& f, Backbone backbone, const LayerWeights<Scalar>& weights,
                  const Factors& factors, std::vector<Scalar>& task_gate, std::vector<Scalar>& from_row,
                  std::vector<Scalar>& self) {
  const Level& level = f.level;
  size_to(from_row, f.nodes * f.k);
  size_to(self, f.graphs * f.k);
  for (int64_t g = 0; g < f.graphs; ++g) {
    const double factor = factors.of_virtual[g];
    std::fill_n(self.begin() + g * f.k, f.k,
                self_coefficient(backbone, weights, factor, level.weighted ? level.virtual_self[g] : 1.0));
    for (int64_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) {
      const double weight = level.weighted ? level.virtual_to_row[i] : 1.0;
      std::fill_n(from_row.begin() + i * f.k, f.k, static_cast<Scalar>(factor * weight * factors.column[i]));
    }
  }
  if (weights.task_gate == nullptr) return;
  size_to(task_gate, f.nodes * f.k);
  node_virtual_dots(level, f.rows.code, true, f.k, f.w, f.rows.table(), f.rows.table_rows, weights.task_gate,
                    task_gate.data());
  for (std::size_t i = 0; i < task_gate.size(); ++i) {
    task_gate[i] = 2 / (1 + std::exp(-task_gate[i]));
    from_row[i] *= task_gate[i];
  }
}

}  // namespace

template <class Scalar>
void fixed_virtual_rows(const Frame<Scalar>& f, Backbone backbone, const LayerWeights<Scalar>& weights,
                        std::vector<Scalar>& task_gate, std::vector<Scalar>& from_row, std::vector<Scalar>& self) {
  virtual_rows(f, backbone, weights, factors_of(f.level, backbone, f.k), task_gate, from_row, self);
}

template <class Scalar>
void fixed_virtual_rows_backward(const Frame<Scalar>& f, const LayerWeights<Scalar>& weights,
                                 const std::vector<Scalar>& task_gate, const std::vector<Scalar>& from_row,
                                 const std::vector<Scalar>& d_from_row, const std::vector<Scalar>& d_self,
                                 const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  if (weights.eps != nullptr) {
    const std::vector<double> factors = virtual_factors(f.level);
    double sum = 0;
    for (std::size_t v = 0; v < d_self.size(); ++v) {
      const double factor = factors[v / static_cast<std::size_t>(f.k)];
      sum += factor * factor * d_self[v];
    }
    *gradients.eps += static_cast<Scalar>(sum);
  }
  if (weights.task_gate == nullptr) return;
  // With gate 2 sigmoid(y), d gate / d y = gate (1 - gate / 2).
  std::vector<Scalar> d_dots(from_row.size());
  for (std::size_t i = 0; i < d_dots.size(); ++i) d_dots[i] = d_from_row[i] * from_row[i] * (1 - task_gate[i] / 2);
  node_virtual_dots_backward(f.level, f.rows.code, true, f.k, f.w, f.rows.table(), f.rows.table_rows, weights.task_gate,
                             d_dots.data(), d_rows + f.virtual_count * f.w, gradients.task_gate);
}

template <class Scalar>
void fixed_coefficients(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        LayerTape<Scalar>& tape) {
  const Level& level = f.level;
  const Factors factors = factors_of(level, settings.backbone, f.k);
  size_to(tape.s_edge, f.edges);
  size_to(tape.s_self, f.nodes);
  size_to(tape.s_to_virtual, f.nodes * f.k);
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) {
      const double weight = level.weighted ? level.edge_weight[e] : 1.0;
      tape.s_edge[e] = static_cast<Scalar>(factors.row[i] * weight * factors.column[level.columns[e]]);
    }
    tape.s_self[i] =
        self_coefficient(settings.backbone, weights, factors.row[i], level.weighted ? level.self_weight[i] : 1.0);
    const double weight = level.weighted ? level.row_to_virtual[i] : 1.0;
    std::fill_n(tape.s_to_virtual.begin() + i * f.k, f.k,
                static_cast<Scalar>(factors.row[i] * weight * factors.of_virtual[tape.graph_of[i]]));
  }
  virtual_rows(f, settings.backbone, weights, factors, tape.task_gate, tape.s_from_row, tape.s_virtual_self);

  reach_nodes(f, settings.tau, weights, tape.reach, tape.logits_by_task);
  size_to(tape.own_virtual, f.virtual_count * f.k);
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    for (int64_t k = 0; k < f.k; ++k) {
      tape.own_virtual[v * f.k + k] =
          loops<Scalar>().dot(tape.reach.row.data() + (v / f.k * f.k + k) * f.w, f.rows.virtual_rows() + v * f.w, f.w);
    }
  }
}

template <class Scalar>
void fixed_coefficients_backward(const Frame<Scalar>& f, const LayerSettings& settings,
                                 const LayerWeights<Scalar>& weights, const LayerTape<Scalar>& tape,
                                 const NarrowGradients<Scalar>& inner, const LayerGradients<Scalar>& gradients,
                                 Scalar* d_rows) {
  fixed_virtual_rows_backward(f, weights, tape.task_gate, tape.s_from_row, inner.from_row, inner.virtual_self,
                              gradients, d_rows);
  if (weights.eps != nullptr)  // a small difference of what thousands of nodes want
    *gradients.eps += static_cast<Scalar>(std::accumulate(inner.self.begin(), inner.self.end(), 0.0));

  const Loops<Scalar>& loop = loops<Scalar>();
  std::vector<Scalar> d_reach = zeros<Scalar>(f.virtual_count * f.w);
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    for (int64_t k = 0; k < f.k; ++k) {
      const int64_t query = (v / f.k * f.k + k) * f.w;
      const Scalar d = inner.own_virtual[v * f.k + k];
      loop.add_scaled(d, f.rows.virtual_rows() + v * f.w, d_reach.data() + query, f.w);
      loop.add_scaled(d, tape.reach.row.data() + query, d_rows + v * f.w, f.w);
    }
  }
  reach_nodes_backward(f, settings.tau, weights, tape.reach, inner.own, std::move(d_reach), gradients, d_rows);
}

#define DOTIN_INSTANTIATE(S)                                                                                         \
  template void fixed_coefficients<S>(const Frame<S>&, const LayerSettings&, const LayerWeights<S>&, LayerTape<S>&); \
  template void fixed_coefficients_backward<S>(const Frame<S>&, const LayerSettings&, const LayerWeights<S>&,        \
                                               const LayerTape<S>&, const NarrowGradients<S>&,                       \
                                               const LayerGradients<S>&, S*);                                        \
  template void fixed_virtual_rows<S>(const Frame<S>&, Backbone, const LayerWeights<S>&, std::vector<S>&,            \
                                      std::vector<S>&, std::vector<S>&);                                             \
  template void fixed_virtual_rows_backward<S>(const Frame<S>&, const LayerWeights<S>&, const std::vector<S>&,       \
                                               const std::vector<S>&, const std::vector<S>&, const std::vector<S>&,  \
                                               const LayerGradients<S>&, S*);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
