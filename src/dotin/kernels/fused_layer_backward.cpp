#include <algorithm>
#include <utility>

#include "dotin/kernels/edge_coefficients.h"
#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/layer_steps.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/row_map.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Backward of mix: from d_mixed to the rows and to S and lambda. Where coefficients do not depend on the rows, those
/// of neighbours need no gradient.
template <class Scalar>
void mix_backward(const Frame<Scalar>& f, Backbone backbone, const RowProducts<Scalar>& products,
                  const LayerTape<Scalar>& tape, const Scalar* d_mixed, Scalar* d_rows, Scalar* d_virtual,
                  NarrowGradients<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k, count = f.k + 1;
  const MixedRows<Scalar> x = mixed_rows(f, products, tape);
  const int64_t width = x.width;
  const bool learned = backbone == Backbone::gat;
  loop.gather_rows_backward(
      coefficients(f, tape), x, tape.map.source.data(), static_cast<int32_t>(tape.map.source.size()),
      d_mixed + virtual_rows * width, d_rows, d_virtual,
      {learned ? inner.edge.data() : nullptr, inner.self.data(), learned ? inner.to_virtual.data() : nullptr});
  if (!has_wide_rows(f, tape)) return;

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
void gate_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_gate,
                   NarrowGradients<Scalar>& inner) {
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

/// Backward of add_inputs: d_out [rows that leave, width], d_all [rows that enter, width].
template <class Scalar>
void inputs_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* all, int64_t width,
                     const Scalar* d_out, Scalar* d_all, NarrowGradients<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  const Scalar* const table = all + f.virtual_count * width;
  Scalar* const d_table = d_all + f.virtual_count * width;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(1, d_out + (g * f.k + k) * width, d_all + (f.virtual_base(g) + k) * width, width);
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, d_out + (virtual_rows + static_cast<int64_t>(r)) * width, d_table + f.row_of(i) * width,
                      width);
  }
  if (!merges) return;
  std::vector<Scalar> d_merged = zeros<Scalar>(f.graphs * width);
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      std::copy_n(d_out + (virtual_rows + tape.map.merged[g]) * width, width, d_merged.data() + g * width);
  }
  std::vector<Scalar> d_lambda(static_cast<std::size_t>(f.nodes));
  wide_rows_backward<Scalar>(f.level, {table, f.rows.table_rows, f.rows.code, width}, 1, tape.lambda.data(),
                             d_merged.data(), d_lambda.data(), d_table);
  for (int64_t i = 0; i < f.nodes; ++i) inner.lambda[i] += d_lambda[i];
}

/// d_inputs [rows that leave, W] holds what comes of sage's own map; empty where inputs were not written out.
template <class Scalar>
void residual_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_next,
                       std::vector<Scalar>& d_inputs, const LayerGradients<Scalar>& gradients, Scalar* d_rows,
                       NarrowGradients<Scalar>& inner) {
  if (f.rows.basis != nullptr) {
    const int64_t left = rows_that_leave(f, tape);
    gemm(Op::transposed, Op::plain, f.w, f.d, left, Scalar(1), tape.inputs.data(), d_next, Scalar(1), gradients.basis);
    gemm(Op::plain, Op::transposed, left, f.w, f.d, Scalar(1), d_next, f.rows.basis, Scalar(1), d_inputs.data());
  } else if (!d_inputs.empty()) {
    loops<Scalar>().add_scaled(1, d_next, d_inputs.data(), static_cast<int64_t>(d_inputs.size()));
  } else {
    inputs_backward(f, tape, f.rows.all, f.w, d_next, d_rows, inner);
  }
}

/// Backward of mix_and_map: from dz to the rows or what the maps made of them, to the maps, S and lambda. d_inputs is
/// added to.
template <class Scalar>
void mix_and_map_backward(const Frame<Scalar>& f, Backbone backbone, const LayerWeights<Scalar>& weights,
                          const RowProducts<Scalar>& products, const LayerTape<Scalar>& tape, std::vector<Scalar> dz,
                          const LayerGradients<Scalar>& gradients, RowGradients<Scalar>& d_products, Scalar* d_inputs,
                          Scalar* d_rows, NarrowGradients<Scalar>& inner) {
  const int64_t left = rows_that_leave(f, tape);
  finish_map_backward(left, f.d, weights, tape.inner, gradients, dz);
  if (!products.table_first) {
    std::vector<Scalar> d_mixed(static_cast<std::size_t>(left * f.w));
    map_mixed_backward(left, f.d, f.w, weights, tape.mixed.data(), tape.inputs.data(), std::move(dz), gradients,
                       d_mixed.data(), d_inputs);
    mix_backward(f, backbone, products, tape, d_mixed.data(), d_rows + f.virtual_count * f.w, d_rows, inner);
    return;
  }
  Scalar* const d_transformed = d_products.transformed.data();
  mix_backward(f, backbone, products, tape, dz.data(), d_transformed + f.virtual_count * f.d, d_transformed, inner);
  if (weights.self == nullptr) return;
  inputs_backward(f, tape, products.transformed_self.data(), f.d, dz.data(), d_products.transformed_self.data(), inner);
}

/// From the deciding logits and the gate to the scores of each task, [nodes, K].
template <class Scalar>
std::vector<Scalar> scores_backward(const Frame<Scalar>& f, bool gate, const LayerTape<Scalar>& tape,
                                    const NarrowGradients<Scalar>& inner) {
  std::vector<Scalar> d_scores(static_cast<std::size_t>(f.nodes * f.k));
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar& d = d_scores[i * f.k + k];
      d = inner.logits[i];
      if (!gate) continue;
      const Scalar task = tape.task_tanh[i * f.k + k];
      d += inner.tanh[i] * (1 - task * task) / static_cast<Scalar>(f.k);
    }
  }
  return d_scores;
}

/// From gate and lambda to the deciding logits, and on to S and own attentiveness.
template <class Scalar>
void decision_backward(const Frame<Scalar>& f, const LayerSettings& settings, const LayerTape<Scalar>& tape,
                       NarrowGradients<Scalar>& inner) {
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
  const std::vector<Scalar> d_scores = scores_backward(f, settings.gate, tape, inner);
  if (settings.attentiveness != Attentiveness::smoothed) inner.own = d_scores;
  if (settings.attentiveness == Attentiveness::own) return;
  const std::vector<Scalar>& own = tape.logits_by_task;
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) {
      const Scalar d = d_scores[i * f.k + k];
      inner.self[i] += d * own[i * f.k + k];
      inner.own[i * f.k + k] += d * tape.s_self[i];
      for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e) {
        const int64_t j = f.level.columns[e] * f.k + k;
        inner.edge[e] += d * own[j];
        inner.own[j] += d * tape.s_edge[e];
      }
      for (int64_t v = 0; v < f.k; ++v) {
        const int64_t virtual_score = (tape.virtual_row[i] + v) * f.k + k;
        inner.to_virtual[i * f.k + v] += d * tape.own_virtual[virtual_score];
        inner.own_virtual[virtual_score] += d * tape.s_to_virtual[i * f.k + v];
      }
    }
  }
}

}  // namespace

template <class Scalar>
void next_rows_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        const LayerRows<Scalar>& rows, const Level& level, const RowProducts<Scalar>& products,
                        const LayerTape<Scalar>& tape, const Scalar* d_next, const LayerGradients<Scalar>& gradients,
                        RowGradients<Scalar>& d_products, Scalar* d_rows) {
  const Frame<Scalar> f(settings, rows, level);
  const int64_t left = rows_that_leave(f, tape);
  std::vector<Scalar> dz(static_cast<std::size_t>(left * f.d));
  std::vector<Scalar> d_gate(static_cast<std::size_t>(settings.gate ? left : 0));
  loops<Scalar>().norm_elu_backward(tape.z.data(), left, f.d, weights.gamma, weights.beta, tape.dropout,
                                    settings.gate ? tape.gate.data() : nullptr, tape.mean.data(),
                                    tape.inverse_deviation.data(), d_next, dz.data(), gradients.gamma, gradients.beta,
                                    settings.gate ? d_gate.data() : nullptr);

  NarrowGradients<Scalar> inner(f);
  if (settings.gate) gate_backward(f, tape, d_gate.data() + f.graphs * f.k, inner);
  std::vector<Scalar> d_inputs(tape.inputs.size(), Scalar(0));
  mix_and_map_backward(f, settings.backbone, weights, products, tape, std::move(dz), gradients, d_products,
                       d_inputs.data(), d_rows, inner);
  if (settings.residual) residual_backward(f, tape, d_next, d_inputs, gradients, d_rows, inner);
  if (!d_inputs.empty()) inputs_backward(f, tape, rows.all, f.w, d_inputs.data(), d_rows, inner);
  decision_backward(f, settings, tape, inner);
  if (settings.backbone == Backbone::gat) {
    attention_coefficients_backward(f, settings, products, tape, inner, d_products);
  } else {
    fixed_coefficients_backward(f, settings, weights, tape, inner, gradients, d_rows);
  }
}

template <class Scalar>
void layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                    const Level& level, const LayerTape<Scalar>& tape, const Scalar* d_next,
                    const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  RowGradients<Scalar> d_products(tape.products);
  next_rows_backward(settings, weights, rows, level, tape.products, tape, d_next, gradients, d_products, d_rows);
  row_products_backward(settings, weights, rows, tape.products, std::move(d_products), gradients, d_rows);
}

#define DOTIN_INSTANTIATE(S)                                                                                           \
  template void next_rows_backward<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, const Level&, \
                                      const RowProducts<S>&, const LayerTape<S>&, const S*, const LayerGradients<S>&,  \
                                      RowGradients<S>&, S*);                                                           \
  template void layer_backward<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, const Level&,     \
                                  const LayerTape<S>&, const S*, const LayerGradients<S>&, S*);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
