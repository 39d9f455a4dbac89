#include <algorithm>

#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/virtual_attention.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Gradients of everything between the wide arrays and the logits.
template <class Scalar>
struct Inner {
  explicit Inner(const Frame<Scalar>& f)
      : edge(zeros<Scalar>(f.edges)),
        self(zeros<Scalar>(f.nodes)),
        to_virtual(zeros<Scalar>(f.nodes * f.k)),
        from_row(zeros<Scalar>(f.nodes * f.k)),
        virtual_self(zeros<Scalar>(f.graphs * f.k)),
        tanh(zeros<Scalar>(f.nodes)),
        lambda(zeros<Scalar>(f.nodes)),
        logits(zeros<Scalar>(f.nodes)),
        own(zeros<Scalar>(f.nodes)),
        own_virtual(zeros<Scalar>(f.virtual_count)) {}

  std::vector<Scalar> edge, self, to_virtual, from_row, virtual_self;  // of S, then of the logits
  std::vector<Scalar> tanh, lambda, logits, own, own_virtual;
};

/// Backward of mix: from d_mixed to the rows and to S and lambda.
template <class Scalar>
void mix_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_mixed, Scalar* d_rows,
                  Scalar* d_virtual, Inner<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k, count = f.k + 1;
  const MixedRows<Scalar> x = mixed_rows(f, tape);
  const int64_t width = x.width;
  loop.gather_rows_backward(coefficients(f, tape), x, tape.map.source.data(),
                            static_cast<int32_t>(tape.map.source.size()), d_mixed + virtual_rows * width, d_rows,
                            d_virtual, {inner.edge.data(), inner.self.data(), inner.to_virtual.data()});

  std::vector<Scalar> d_wide = zeros<Scalar>(f.graphs * count * width);
  std::vector<Scalar> d_merged_virtual = zeros<Scalar>(f.graphs * f.k);
  for (int64_t g = 0; g < f.graphs; ++g) {
    const int64_t base = f.virtual_base(g);
    for (int64_t k = 0; k < f.k; ++k) {
      const Scalar* const d = d_mixed + (g * f.k + k) * width;
      std::copy_n(d, width, d_wide.data() + (g * count + k) * width);
      inner.virtual_self[g * f.k + k] = loop.dot(d, x.virtual_table + (base + k) * width, width);
      loop.add_scaled(tape.s_virtual_self[g * f.k + k], d, d_virtual + (base + k) * width, width);
    }
    if (tape.map.merged[g] < 0) continue;
    const Scalar* const d = d_mixed + (virtual_rows + tape.map.merged[g]) * width;
    std::copy_n(d, width, d_wide.data() + (g * count + f.k) * width);
    for (int64_t k = 0; k < f.k; ++k) {
      d_merged_virtual[g * f.k + k] = loop.dot(d, x.virtual_table + (base + k) * width, width);
      loop.add_scaled(tape.merged_virtual[g * f.k + k], d, d_virtual + (base + k) * width, width);
    }
  }
  std::vector<Scalar> d_weights(static_cast<std::size_t>(f.nodes * count));
  wide_rows_backward<Scalar>(f.level, {x.table, f.rows.table_rows, f.rows.code, width}, count, tape.wide.data(),
                             d_wide.data(), d_weights.data(), d_rows);
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) inner.from_row[i * f.k + k] = d_weights[i * count + k];
  }
  // c_j = sum_i lambda_i S_ij over dropped i.
  const auto d_c = [&](int64_t j) { return d_weights[j * count + f.k]; };
  for (int64_t i = 0; i < f.nodes; ++i) {
    if (tape.lambda[i] == 0) continue;
    const Scalar weight = tape.lambda[i];
    Scalar d_weight = tape.s_self[i] * d_c(i);
    inner.self[i] += weight * d_c(i);
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e) {
      d_weight += tape.s_edge[e] * d_c(f.level.columns[e]);
      inner.edge[e] += weight * d_c(f.level.columns[e]);
    }
    for (int64_t k = 0; k < f.k; ++k) {
      const Scalar d_virtual_weight = d_merged_virtual[tape.graph_of[i] * f.k + k];
      d_weight += tape.s_to_virtual[i * f.k + k] * d_virtual_weight;
      inner.to_virtual[i * f.k + k] += weight * d_virtual_weight;
    }
    inner.lambda[i] += d_weight;
  }
}

/// From the gates of rows that leave to tanh(s_i) and lambda.
template <class Scalar>
void gate_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_gate, Inner<Scalar>& inner) {
  for (int64_t i = 0; i < f.nodes; ++i) {
    const int32_t merged = tape.map.merged[tape.graph_of[i]];
    if (merged < 0 || tape.lambda[i] == 0) continue;
    inner.tanh[i] = tape.lambda[i] * d_gate[merged];
    inner.lambda[i] = tape.gate_tanh[i] * d_gate[merged];
  }
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    if (tape.map.source[r] >= 0) inner.tanh[tape.map.source[r]] = d_gate[r];
  }
}

/// Backward of add_inputs; d_out [rows that leave, W].
template <class Scalar>
void inputs_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_out, Scalar* d_table,
                     Scalar* d_virtual, Inner<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(1, d_out + (g * f.k + k) * f.w, d_virtual + (f.virtual_base(g) + k) * f.w, f.w);
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, d_out + (virtual_rows + static_cast<int64_t>(r)) * f.w, d_table + f.row_of(i) * f.w, f.w);
  }
  if (!merges) return;
  std::vector<Scalar> d_merged = zeros<Scalar>(f.graphs * f.w);
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      std::copy_n(d_out + (virtual_rows + tape.map.merged[g]) * f.w, f.w, d_merged.data() + g * f.w);
  }
  std::vector<Scalar> d_lambda(static_cast<std::size_t>(f.nodes));
  wide_rows_backward<Scalar>(f.level, {f.rows.table(), f.rows.table_rows, f.rows.code, f.w}, 1, tape.lambda.data(),
                             d_merged.data(), d_lambda.data(), d_table);
  for (int64_t i = 0; i < f.nodes; ++i) inner.lambda[i] += d_lambda[i];
}

template <class Scalar>
void residual_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_next, Scalar* d_table,
                       Scalar* d_virtual, Scalar* d_basis, Inner<Scalar>& inner) {
  if (f.rows.basis == nullptr) {
    inputs_backward(f, tape, d_next, d_table, d_virtual, inner);
    return;
  }
  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  gemm(Op::transposed, Op::plain, f.w, f.d, left, Scalar(1), tape.residual.data(), d_next, Scalar(1), d_basis);
  std::vector<Scalar> d_residual(static_cast<std::size_t>(left * f.w));
  gemm(Op::plain, Op::transposed, left, f.w, f.d, Scalar(1), d_next, f.rows.basis, Scalar(0), d_residual.data());
  inputs_backward(f, tape, d_residual.data(), d_table, d_virtual, inner);
}

/// From gate and lambda to the deciding logits, and on to S and own attentiveness.
template <class Scalar>
void decision_backward(const Frame<Scalar>& f, const LayerSettings& settings, const LayerTape<Scalar>& tape,
                       Inner<Scalar>& inner) {
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] < 0) continue;
    const int64_t first = f.level.node_offsets[g], last = f.level.node_offsets[g + 1];
    Scalar mean = 0;
    for (int64_t i = first; i < last; ++i) mean += tape.lambda[i] * inner.lambda[i];
    std::vector<Scalar> d_score(static_cast<std::size_t>(last - first));
    for (int64_t i = first; i < last; ++i) d_score[i - first] = tape.lambda[i] * (inner.lambda[i] - mean);
    if (settings.softmax_merge_weights) {
      Scalar mean_score = 0;
      for (int64_t i = first; i < last; ++i) mean_score += tape.attentiveness[i] * d_score[i - first];
      for (int64_t i = first; i < last; ++i)
        inner.logits[i] += tape.attentiveness[i] * (d_score[i - first] - mean_score);
    } else {
      for (int64_t i = first; i < last; ++i) inner.logits[i] += d_score[i - first];
    }
  }
  if (settings.gate) {
    for (int64_t i = 0; i < f.nodes; ++i)
      inner.logits[i] += inner.tanh[i] * (1 - tape.gate_tanh[i] * tape.gate_tanh[i]);
  }
  if (settings.attentiveness != Attentiveness::smoothed) inner.own = inner.logits;
  if (settings.attentiveness == Attentiveness::own) return;
  for (int64_t i = 0; i < f.nodes; ++i) {
    const Scalar d = inner.logits[i];
    inner.self[i] += d * tape.own[i];
    inner.own[i] += d * tape.s_self[i];
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e) {
      const int32_t j = f.level.columns[e];
      inner.edge[e] += d * tape.own[j];
      inner.own[j] += d * tape.s_edge[e];
    }
    for (int64_t k = 0; k < f.k; ++k) {
      inner.to_virtual[i * f.k + k] += d * tape.own_virtual[tape.virtual_row[i] + k];
      inner.own_virtual[tape.virtual_row[i] + k] += d * tape.s_to_virtual[i * f.k + k];
    }
  }
}

/// Turns the gradients of S of raw rows into those of the products q . p, in place.
template <class Scalar>
void softmax_raw_rows_backward(const Frame<Scalar>& f, EdgeWeights mode, const LayerTape<Scalar>& tape,
                               Inner<Scalar>& inner) {
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
void products_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Inner<Scalar>& inner,
                       Scalar* dq_all, Scalar* dp_all) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows, first = f.virtual_count * f.a;
  const Scalar *const qv = tape.q.data(), *const pv = tape.p.data(), *const q = qv + first, *const p = pv + first;
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
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) d_from_row[i * f.k + k] += inner.own[i];
  }
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
    for (int64_t k = 0; k < f.k; ++k) add_pair(v / f.k * f.k + k, v, inner.own_virtual[v]);
  }
}

/// From q and p to the rows and the query and key weights.
template <class Scalar>
void project_backward(const Frame<Scalar>& f, const LayerSettings& settings, const LayerTape<Scalar>& tape,
                      const Scalar* dq, const Scalar* dp, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  const int64_t count = f.rows.count();
  std::vector<Scalar> both(static_cast<std::size_t>(count * 2 * f.a)), d_projection(tape.projection.size());
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(dq + r * f.a, f.a, both.data() + 2 * r * f.a);
    std::copy_n(dp + r * f.a, f.a, both.data() + (2 * r + 1) * f.a);
  }
  gemm(Op::transposed, Op::plain, 2 * f.a, f.w, count, Scalar(1), both.data(), f.rows.all, Scalar(0),
       d_projection.data());
  gemm(Op::plain, Op::plain, count, f.w, 2 * f.a, Scalar(1), both.data(), tape.projection.data(), Scalar(1), d_rows);
  const Loops<Scalar>& loop = loops<Scalar>();
  loop.add_scaled(static_cast<Scalar>(1 / settings.tau), d_projection.data(), gradients.query, f.a * f.w);
  loop.add_scaled(1, d_projection.data() + f.a * f.w, gradients.key, f.a * f.w);
}

}  // namespace

template <class Scalar>
void layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                    const Level& level, const LayerTape<Scalar>& tape, const Scalar* d_next,
                    const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  const Frame<Scalar> f(settings, rows, level);
  Scalar *const d_virtual = d_rows, *const d_table = d_rows + f.virtual_count * f.w;
  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  std::vector<Scalar> dz(static_cast<std::size_t>(left * f.d));
  std::vector<Scalar> d_gate(static_cast<std::size_t>(settings.gate ? left : 0));
  loops<Scalar>().norm_elu_backward(
      tape.z.data(), left, f.d, weights.gamma, weights.beta, tape.mask.empty() ? nullptr : tape.mask.data(),
      settings.gate ? tape.gate.data() : nullptr, tape.mean.data(), tape.inverse_deviation.data(), d_next, dz.data(),
      gradients.gamma, gradients.beta, settings.gate ? d_gate.data() : nullptr);
  for (int64_t r = 0; r < left; ++r) loops<Scalar>().add_scaled(1, dz.data() + r * f.d, gradients.bias, f.d);

  Inner<Scalar> inner(f);
  if (settings.gate) gate_backward(f, tape, d_gate.data() + f.graphs * f.k, inner);
  if (tape.table_first) {
    std::vector<Scalar> d_transformed = zeros<Scalar>(rows.count() * f.d);
    mix_backward(f, tape, dz.data(), d_transformed.data() + f.virtual_count * f.d, d_transformed.data(), inner);
    gemm(Op::transposed, Op::plain, f.d, f.w, rows.count(), Scalar(1), d_transformed.data(), rows.all, Scalar(1),
         gradients.linear);
    gemm(Op::plain, Op::plain, rows.count(), f.w, f.d, Scalar(1), d_transformed.data(), weights.linear, Scalar(1),
         d_rows);
  } else {
    std::vector<Scalar> d_mixed(static_cast<std::size_t>(left * f.w));
    gemm(Op::transposed, Op::plain, f.d, f.w, left, Scalar(1), dz.data(), tape.mixed.data(), Scalar(1),
         gradients.linear);
    gemm(Op::plain, Op::plain, left, f.w, f.d, Scalar(1), dz.data(), weights.linear, Scalar(0), d_mixed.data());
    mix_backward(f, tape, d_mixed.data(), d_table, d_virtual, inner);
  }
  if (settings.residual) residual_backward(f, tape, d_next, d_table, d_virtual, gradients.basis, inner);
  decision_backward(f, settings, tape, inner);
  softmax_raw_rows_backward(f, settings.edge_weights, tape, inner);
  virtual_softmax_backward(level, f.k, settings.edge_weights, tape.s_from_row, tape.s_virtual_self, inner.from_row,
                           inner.virtual_self);
  std::vector<Scalar> dq = zeros<Scalar>(rows.count() * f.a), dp = zeros<Scalar>(rows.count() * f.a);
  products_backward(f, tape, inner, dq.data(), dp.data());
  project_backward(f, settings, tape, dq.data(), dp.data(), gradients, d_rows);
}

template void layer_backward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                    const Level&, const LayerTape<float>&, const float*, const LayerGradients<float>&,
                                    float*);
template void layer_backward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                     const Level&, const LayerTape<double>&, const double*,
                                     const LayerGradients<double>&, double*);

}  // namespace dotin::kernels
