#include "dotin/kernels/fused_layer.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/virtual_attention.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Queries (divided by tau) and keys of all rows, in one product: it reads the rows once.
template <class Scalar>
void project(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
             LayerTape<Scalar>& tape) {
  const int64_t count = f.rows.count();
  const auto inverse_tau = static_cast<Scalar>(1 / settings.tau);
  tape.projection.resize(static_cast<std::size_t>(2 * f.a * f.w));
  for (int64_t i = 0; i < f.a * f.w; ++i) tape.projection[i] = inverse_tau * weights.query[i];
  std::copy_n(weights.key, f.a * f.w, tape.projection.data() + f.a * f.w);
  std::vector<Scalar> both(static_cast<std::size_t>(count * 2 * f.a));
  gemm(Op::plain, Op::transposed, count, 2 * f.a, f.w, Scalar(1), f.rows.all, tape.projection.data(), Scalar(0),
       both.data());
  tape.q.resize(static_cast<std::size_t>(count * f.a));
  tape.p.resize(tape.q.size());
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(both.data() + 2 * r * f.a, f.a, tape.q.data() + r * f.a);
    std::copy_n(both.data() + (2 * r + 1) * f.a, f.a, tape.p.data() + r * f.a);
  }
}

/// q_i . p_j for raw entries and self-loops, q_i . v_k for entries to virtual nodes, into the attention arrays;
/// attentiveness into own.
template <class Scalar>
void compute_logits(const Frame<Scalar>& f, const Savings& savings, LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows;
  const Scalar *const qv = tape.q.data(), *const pv = tape.p.data();
  const Scalar *const q = qv + f.virtual_count * f.a, *const p = pv + f.virtual_count * f.a;
  tape.s_edge.resize(static_cast<std::size_t>(f.edges));
  tape.s_self.resize(static_cast<std::size_t>(f.nodes));
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

  tape.s_to_virtual.resize(static_cast<std::size_t>(f.nodes * f.k));
  tape.logits_by_task.resize(tape.s_to_virtual.size());
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, q, u, pv, tape.s_to_virtual.data());
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, p, u, qv, tape.logits_by_task.data());

  tape.own.resize(static_cast<std::size_t>(f.nodes));
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar sum = 0;
    for (int64_t k = 0; k < f.k; ++k) sum += tape.logits_by_task[i * f.k + k];
    tape.own[i] = sum;
  }
  // s of virtual node k' is sum_k q_k . p_k'.
  tape.own_virtual = zeros<Scalar>(f.virtual_count);
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    const int64_t base = v / f.k * f.k;
    for (int64_t k = 0; k < f.k; ++k) tape.own_virtual[v] += loop.dot(qv + (base + k) * f.a, pv + v * f.a, f.a);
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

/// The logits that decide the drop: own attentiveness, what S mixes of it, or the sum of both.
template <class Scalar>
void decide_logits(const Frame<Scalar>& f, Attentiveness mode, LayerTape<Scalar>& tape) {
  tape.logits = mode == Attentiveness::smoothed ? zeros<Scalar>(f.nodes) : tape.own;
  if (mode == Attentiveness::own) return;
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar sum = tape.s_self[i] * tape.own[i];
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
      sum += tape.s_edge[e] * tape.own[f.level.columns[e]];
    for (int64_t k = 0; k < f.k; ++k) sum += tape.s_to_virtual[i * f.k + k] * tape.own_virtual[tape.virtual_row[i] + k];
    tape.logits[i] += sum;
  }
}

/// lambda of the dropped nodes of graphs that merge.
template <class Scalar>
void merge_weights(const Frame<Scalar>& f, bool from_softmax, LayerTape<Scalar>& tape) {
  tape.lambda = zeros<Scalar>(f.nodes);
  if (from_softmax) tape.attentiveness = zeros<Scalar>(f.nodes);
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] < 0) continue;
    const int64_t first = f.level.node_offsets[g], last = f.level.node_offsets[g + 1];
    if (from_softmax) {
      const Scalar largest = *std::max_element(tape.logits.begin() + first, tape.logits.begin() + last);
      Scalar sum = 0;
      for (int64_t i = first; i < last; ++i) sum += tape.attentiveness[i] = std::exp(tape.logits[i] - largest);
      for (int64_t i = first; i < last; ++i) tape.attentiveness[i] /= sum;
    }
    const std::vector<Scalar>& score = from_softmax ? tape.attentiveness : tape.logits;
    Scalar largest = -INFINITY;
    for (int64_t i = first; i < last; ++i) {
      if (!tape.keep[i]) largest = std::max(largest, score[i]);
    }
    Scalar sum = 0;
    for (int64_t i = first; i < last; ++i) {
      if (!tape.keep[i]) sum += tape.lambda[i] = std::exp(score[i] - largest);
    }
    for (int64_t i = first; i < last; ++i) tape.lambda[i] /= sum;
  }
}

/// Weight of every node in the wide rows of its graph: K virtual rows, then the merged row, h_new = sum_j c_j x_j with
/// c_j = sum over dropped i of lambda_i S_ij.
template <class Scalar>
void wide_weights(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const int64_t count = f.k + 1;
  tape.wide = zeros<Scalar>(f.nodes * count);
  tape.merged_virtual = zeros<Scalar>(f.graphs * f.k);
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) tape.wide[i * count + k] = tape.s_from_row[i * f.k + k];
  }
  for (int64_t i = 0; i < f.nodes; ++i) {
    if (tape.lambda[i] == 0) continue;
    const Scalar weight = tape.lambda[i];
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e) {
      tape.wide[f.level.columns[e] * count + f.k] += weight * tape.s_edge[e];
    }
    tape.wide[i * count + f.k] += weight * tape.s_self[i];
    for (int64_t k = 0; k < f.k; ++k)
      tape.merged_virtual[tape.graph_of[i] * f.k + k] += weight * tape.s_to_virtual[i * f.k + k];
  }
}

/// H on the rows that are left (or H theta^T, where the linear map went first): virtual rows, then kept and merged
/// ones.
template <class Scalar>
void mix(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const auto left = static_cast<int32_t>(tape.map.source.size());
  const int64_t virtual_rows = f.graphs * f.k;
  const MixedRows<Scalar> x = mixed_rows(f, tape);
  const int64_t width = x.width;
  tape.mixed.resize(static_cast<std::size_t>((virtual_rows + left) * width));
  loop.gather_rows(coefficients(f, tape), x, tape.map.source.data(), left, tape.mixed.data() + virtual_rows * width);

  const int64_t count = f.k + 1;
  std::vector<Scalar> wide(static_cast<std::size_t>(f.graphs * count * width));
  wide_rows<Scalar>(f.level, {x.table, f.rows.table_rows, f.rows.code, width}, count, tape.wide.data(), wide.data());
  for (int64_t g = 0; g < f.graphs; ++g) {
    const Scalar* const virtual_table = x.virtual_table + f.virtual_base(g) * width;
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar* const row = tape.mixed.data() + (g * f.k + k) * width;
      std::copy_n(wide.data() + (g * count + k) * width, width, row);
      loop.add_scaled(tape.s_virtual_self[g * f.k + k], virtual_table + k * width, row, width);
    }
    if (tape.map.merged[g] < 0) continue;
    Scalar* const row = tape.mixed.data() + (virtual_rows + tape.map.merged[g]) * width;
    std::copy_n(wide.data() + (g * count + f.k) * width, width, row);
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(tape.merged_virtual[g * f.k + k], virtual_table + k * width, row, width);
  }
}

/// Adds each row's input to `out` [rows that leave, W]; a merged row's is sum lambda_i x_i.
template <class Scalar>
void add_inputs(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, Scalar* out) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(1, f.rows.virtual_rows() + (f.virtual_base(g) + k) * f.w, out + (g * f.k + k) * f.w, f.w);
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, f.rows.table() + f.row_of(i) * f.w, out + (virtual_rows + static_cast<int64_t>(r)) * f.w, f.w);
  }
  if (!merges) return;
  std::vector<Scalar> merged(static_cast<std::size_t>(f.graphs * f.w));
  wide_rows<Scalar>(f.level, {f.rows.table(), f.rows.table_rows, f.rows.code, f.w}, 1, tape.lambda.data(),
                    merged.data());
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      loop.add_scaled(1, merged.data() + g * f.w, out + (virtual_rows + tape.map.merged[g]) * f.w, f.w);
  }
}

template <class Scalar>
void add_residual(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  if (f.rows.basis == nullptr) {
    add_inputs(f, tape, tape.next.data());
    return;
  }
  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  tape.residual = zeros<Scalar>(left * f.w);
  add_inputs(f, tape, tape.residual.data());
  gemm(Op::plain, Op::plain, left, f.d, f.w, Scalar(1), tape.residual.data(), f.rows.basis, Scalar(1),
       tape.next.data());
}

/// 1 + tanh(s_i) for kept rows, the lambda-weighted mean of it for merged ones, 1 for virtual ones.
template <class Scalar>
void open_gates(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const int64_t virtual_rows = f.graphs * f.k;
  tape.gate_tanh.resize(tape.logits.size());
  tape.gate.assign(static_cast<std::size_t>(virtual_rows) + tape.map.source.size(), Scalar(1));
  for (std::size_t i = 0; i < tape.logits.size(); ++i) {
    tape.gate_tanh[i] = std::tanh(tape.logits[i]);
    const int32_t merged = tape.map.merged[tape.graph_of[i]];
    if (merged >= 0) tape.gate[virtual_rows + merged] += tape.lambda[i] * tape.gate_tanh[i];
  }
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    if (tape.map.source[r] >= 0)
      tape.gate[virtual_rows + static_cast<int64_t>(r)] += tape.gate_tanh[tape.map.source[r]];
  }
}

}  // namespace

template <class Scalar>
void layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                   const Level& level, const Choose<Scalar>& choose, const MakeMask<Scalar>& make_mask,
                   LayerTape<Scalar>& tape) {
  const Frame<Scalar> f(settings, rows, level);
  tape.graph_of.resize(static_cast<std::size_t>(f.nodes));
  tape.virtual_row.resize(tape.graph_of.size());
  for (int64_t g = 0; g < f.graphs; ++g) {
    std::fill(tape.graph_of.begin() + level.node_offsets[g], tape.graph_of.begin() + level.node_offsets[g + 1],
              static_cast<int32_t>(g));
    std::fill(tape.virtual_row.begin() + level.node_offsets[g], tape.virtual_row.begin() + level.node_offsets[g + 1],
              static_cast<int32_t>(f.virtual_base(g)));
  }
  project(f, settings, weights, tape);
  compute_logits(f, settings.savings, tape);
  softmax_raw_rows(f, settings.edge_weights, tape);
  tape.s_from_row = tape.logits_by_task;
  virtual_softmax(level, f.k, settings.edge_weights, rows.shared_virtual, tape.q.data(), tape.p.data(), f.a,
                  tape.s_from_row, tape.s_virtual_self);
  decide_logits(f, settings.attentiveness, tape);

  tape.keep.resize(static_cast<std::size_t>(f.nodes));
  choose(tape.logits.data(), level, tape.keep.data());
  coarsen(level, tape.keep.data(), settings.merge, settings.edge_weights, settings.tasks, tape.next_level, tape.map);
  merge_weights(f, settings.softmax_merge_weights, tape);
  if (settings.gate) open_gates(f, tape);
  wide_weights(f, tape);

  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  tape.table_first = settings.savings.linear_first && rows.code != nullptr && rows.table_rows < left;
  if (tape.table_first) {
    tape.transformed.resize(static_cast<std::size_t>(rows.count() * f.d));
    gemm(Op::plain, Op::transposed, rows.count(), f.d, f.w, Scalar(1), rows.all, weights.linear, Scalar(0),
         tape.transformed.data());
  }
  mix(f, tape);
  if (tape.table_first) {
    tape.z.swap(tape.mixed);
    for (int64_t r = 0; r < left; ++r) loops<Scalar>().add_scaled(1, weights.bias, tape.z.data() + r * f.d, f.d);
  } else {
    tape.z.resize(static_cast<std::size_t>(left * f.d));
    for (int64_t r = 0; r < left; ++r) std::copy_n(weights.bias, f.d, tape.z.data() + r * f.d);
    gemm(Op::plain, Op::transposed, left, f.d, f.w, Scalar(1), tape.mixed.data(), weights.linear, Scalar(1),
         tape.z.data());
  }
  tape.mask.clear();
  if (make_mask) make_mask(left, tape.mask);
  tape.mean.resize(static_cast<std::size_t>(left));
  tape.inverse_deviation.resize(tape.mean.size());
  tape.next.resize(static_cast<std::size_t>(left * f.d));
  loops<Scalar>().norm_elu(tape.z.data(), left, f.d, weights.gamma, weights.beta,
                           tape.mask.empty() ? nullptr : tape.mask.data(), settings.gate ? tape.gate.data() : nullptr,
                           tape.mean.data(), tape.inverse_deviation.data(), tape.next.data());
  if (settings.residual) add_residual(f, tape);
}

template void layer_forward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                   const Level&, const Choose<float>&, const MakeMask<float>&, LayerTape<float>&);
template void layer_forward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                    const Level&, const Choose<double>&, const MakeMask<double>&, LayerTape<double>&);

}  // namespace dotin::kernels
