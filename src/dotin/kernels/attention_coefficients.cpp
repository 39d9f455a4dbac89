#include <algorithm>
#include <cmath>

#include "dotin/kernels/edge_coefficients.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/storage.h"
#include "dotin/kernels/virtual_attention.h"

namespace dotin::kernels {

namespace {

/// q_i . p_j for raw entries and self-loops, q_i . v_k for entries to virtual nodes, into the attention arrays;
/// attentiveness by task into logits_by_task and own_virtual.
template <class Scalar>
void compute_logits(const Frame<Scalar>& f, const Savings& savings, const RowProducts<Scalar>& products,
                    LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows;
  const Scalar *const qv = products.q.data(), *const pv = products.p.data();
  const Scalar *const q = qv + f.virtual_count * f.a, *const p = pv + f.virtual_count * f.a;
  size_to(tape.s_edge, f.edges);
  size_to(tape.s_self, f.nodes);
  tape.pair_table = savings.pair_table && f.rows.code != nullptr && u * u <= 2 * (f.edges + f.nodes);
  if (tape.pair_table) {
    std::vector<Scalar> pairs(static_cast<std::size_t>(u * u));
    gemm(Op::plain, Op::transposed, u, u, f.a, Scalar(1), q, p, Scalar(0), pairs.data());
    for (int64_t i = 0; i < f.nodes; ++i) {
      const Scalar* const row = pairs.data() + f.rows.code[i] * u;
      for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
        tape.s_edge[e] = row[f.rows.code[f.level.columns[e]]];
      tape.s_self[i] = row[f.rows.code[i]];
    }
  } else {
    loop.edge_dots(q, p, f.a, f.rows.code, f.level.row_offsets.data(), f.level.columns.data(),
                   static_cast<int32_t>(f.nodes), tape.s_edge.data());
    for (int64_t i = 0; i < f.nodes; ++i) tape.s_self[i] = loop.dot(q + f.row_of(i) * f.a, p + f.row_of(i) * f.a, f.a);
  }

  size_to(tape.s_to_virtual, f.nodes * f.k);
  size_to(tape.logits_by_task, f.nodes * f.k);
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, q, u, pv, tape.s_to_virtual.data());
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, p, u, qv, tape.logits_by_task.data());

  // Task k's attentiveness of virtual node k' is q_k . p_k'.
  size_to(tape.own_virtual, f.virtual_count * f.k);
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    const int64_t base = v / f.k * f.k;
    for (int64_t k = 0; k < f.k; ++k)
      tape.own_virtual[v * f.k + k] = loop.dot(qv + (base + k) * f.a, pv + v * f.a, f.a);
  }
}

/// Turns the logits of raw rows into S, in place.
template <class Scalar>
void softmax_raw_rows(const Frame<Scalar>& f, EdgeWeights mode, LayerTape<Scalar>& tape) {
  const Level& level = f.level;
  if (level.weighted) {
    const auto weigh = [mode](Scalar& logit, double weight) {
      logit = mode == EdgeWeights::multiplicity ? logit + static_cast<Scalar>(std::log(weight))
                                                : logit * static_cast<Scalar>(weight);
    };
    for (int64_t e = 0; e < f.edges; ++e) weigh(tape.s_edge[e], level.edge_weight[e]);
    for (int64_t i = 0; i < f.nodes; ++i) {
      weigh(tape.s_self[i], level.self_weight[i]);
      for (int64_t k = 0; k < f.k; ++k) weigh(tape.s_to_virtual[i * f.k + k], level.row_to_virtual[i]);
    }
  }
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar* const to_virtual = tape.s_to_virtual.data() + i * f.k;
    Scalar largest = tape.s_self[i];
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e)
      largest = std::max(largest, tape.s_edge[e]);
    for (int64_t k = 0; k < f.k; ++k) largest = std::max(largest, to_virtual[k]);
    tape.s_self[i] -= largest;
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) tape.s_edge[e] -= largest;
    for (int64_t k = 0; k < f.k; ++k) to_virtual[k] -= largest;
  }
  const Loops<Scalar>& loop = loops<Scalar>();
  loop.exponentials(tape.s_edge.data(), f.edges);
  loop.exponentials(tape.s_self.data(), f.nodes);
  loop.exponentials(tape.s_to_virtual.data(), f.nodes * f.k);
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar* const to_virtual = tape.s_to_virtual.data() + i * f.k;
    Scalar sum = tape.s_self[i];
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) sum += tape.s_edge[e];
    for (int64_t k = 0; k < f.k; ++k) sum += to_virtual[k];
    const Scalar inverse = 1 / sum;
    tape.s_self[i] *= inverse;
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) tape.s_edge[e] *= inverse;
    for (int64_t k = 0; k < f.k; ++k) to_virtual[k] *= inverse;
  }
}

/// Turns the gradients of S of raw rows into those of the products q . p, in place.
template <class Scalar>
void softmax_raw_rows_backward(const Frame<Scalar>& f, EdgeWeights mode, const LayerTape<Scalar>& tape,
                               NarrowGradients<Scalar>& inner) {
  const Level& level = f.level;
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar mean = tape.s_self[i] * inner.self[i];
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) mean += tape.s_edge[e] * inner.edge[e];
    for (int64_t k = 0; k < f.k; ++k) mean += tape.s_to_virtual[i * f.k + k] * inner.to_virtual[i * f.k + k];
    inner.self[i] = tape.s_self[i] * (inner.self[i] - mean);
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e)
      inner.edge[e] = tape.s_edge[e] * (inner.edge[e] - mean);
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar& d = inner.to_virtual[i * f.k + k];
      d = tape.s_to_virtual[i * f.k + k] * (d - mean);
    }
  }
  if (!level.weighted || mode != EdgeWeights::softmax) return;
  for (int64_t e = 0; e < f.edges; ++e) inner.edge[e] *= static_cast<Scalar>(level.edge_weight[e]);
  for (int64_t i = 0; i < f.nodes; ++i) {
    inner.self[i] *= static_cast<Scalar>(level.self_weight[i]);
    for (int64_t k = 0; k < f.k; ++k) inner.to_virtual[i * f.k + k] *= static_cast<Scalar>(level.row_to_virtual[i]);
  }
}

/// From the products q . p to q and p, [all rows, A].
template <class Scalar>
void products_backward(const Frame<Scalar>& f, const RowProducts<Scalar>& products, const LayerTape<Scalar>& tape,
                       const NarrowGradients<Scalar>& inner, Scalar* dq_all, Scalar* dp_all) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows, first = f.virtual_count * f.a;
  const Scalar *const qv = products.q.data(), *const pv = products.p.data();
  const Scalar *const q = qv + first, *const p = pv + first;
  Scalar *const dqv = dq_all, *const dpv = dp_all, *const dq = dqv + first, *const dp = dpv + first;
  if (tape.pair_table) {
    std::vector<Scalar> d_pairs = zeros<Scalar>(u * u);
    for (int64_t i = 0; i < f.nodes; ++i) {
      Scalar* const row = d_pairs.data() + f.rows.code[i] * u;
      for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
        row[f.rows.code[f.level.columns[e]]] += inner.edge[e];
      row[f.rows.code[i]] += inner.self[i];
    }
    gemm(Op::plain, Op::plain, u, f.a, u, Scalar(1), d_pairs.data(), p, Scalar(1), dq);
    gemm(Op::transposed, Op::plain, u, f.a, u, Scalar(1), d_pairs.data(), q, Scalar(1), dp);
  } else {
    loop.edge_dots_backward(inner.edge.data(), q, p, f.a, f.rows.code, f.level.row_offsets.data(),
                            f.level.columns.data(), static_cast<int32_t>(f.nodes), dq, dp);
    for (int64_t i = 0; i < f.nodes; ++i) {
      const int64_t row = f.row_of(i) * f.a;
      loop.add_scaled(inner.self[i], p + row, dq + row, f.a);
      loop.add_scaled(inner.self[i], q + row, dp + row, f.a);
    }
  }
  // q_g . p_i enters the virtual row's attention and the attentiveness.
  std::vector<Scalar> d_from_row = inner.from_row;
  for (std::size_t i = 0; i < d_from_row.size(); ++i) d_from_row[i] += inner.own[i];
  node_virtual_dots_backward(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, q, u, pv, inner.to_virtual.data(),
                             dq, dpv);
  node_virtual_dots_backward(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, p, u, qv, d_from_row.data(), dp,
                             dqv);
  const auto add_pair = [&](int64_t query, int64_t key, Scalar d) {
    loop.add_scaled(d, pv + key * f.a, dqv + query * f.a, f.a);
    loop.add_scaled(d, qv + query * f.a, dpv + key * f.a, f.a);
  };
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      add_pair(f.virtual_base(g) + k, f.virtual_base(g) + k, inner.virtual_self[g * f.k + k]);
  }
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    for (int64_t k = 0; k < f.k; ++k) add_pair(v / f.k * f.k + k, v, inner.own_virtual[v * f.k + k]);
  }
}

}  // namespace

template <class Scalar>
void attention_coefficients(const Frame<Scalar>& f, const LayerSettings& settings, const RowProducts<Scalar>& products,
                            LayerTape<Scalar>& tape) {
  compute_logits(f, settings.savings, products, tape);
  softmax_raw_rows(f, settings.edge_weights, tape);
  tape.s_from_row = tape.logits_by_task;
  virtual_softmax(f.level, f.k, settings.edge_weights, f.rows.shared_virtual, products.q.data(), products.p.data(), f.a,
                  tape.s_from_row, tape.s_virtual_self);
}

template <class Scalar>
void attention_coefficients_backward(const Frame<Scalar>& f, const LayerSettings& settings,
                                     const RowProducts<Scalar>& products, const LayerTape<Scalar>& tape,
                                     NarrowGradients<Scalar>& inner, RowGradients<Scalar>& d_products) {
  softmax_raw_rows_backward(f, settings.edge_weights, tape, inner);
  virtual_softmax_backward(f.level, f.k, settings.edge_weights, tape.s_from_row, tape.s_virtual_self, inner.from_row,
                           inner.virtual_self);
  products_backward(f, products, tape, inner, d_products.q.data(), d_products.p.data());
}

#define DOTIN_INSTANTIATE(S)                                                                                     \
  template void attention_coefficients<S>(const Frame<S>&, const LayerSettings&, const RowProducts<S>&,          \
                                          LayerTape<S>&);                                                        \
  template void attention_coefficients_backward<S>(const Frame<S>&, const LayerSettings&, const RowProducts<S>&, \
                                                   const LayerTape<S>&, NarrowGradients<S>&, RowGradients<S>&);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
