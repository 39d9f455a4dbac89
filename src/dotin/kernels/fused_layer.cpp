#include "dotin/kernels/fused_layer.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/virtual_attention.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Sizes and addresses that every step of a layer needs.
template <class Scalar>
struct Frame {
  Frame(const LayerSettings& settings, const LayerRows<Scalar>& layer_rows, const Level& layer_level)
      : level(layer_level),
        rows(layer_rows),
        d(settings.hidden),
        a(settings.attention),
        k(settings.tasks),
        graphs(layer_level.graphs()),
        nodes(layer_level.nodes()),
        edges(layer_level.edges()),
        virtual_count(layer_rows.shared_virtual ? settings.tasks : graphs * settings.tasks) {}

  int64_t row_of(int64_t node) const { return rows.code != nullptr ? rows.code[node] : node; }
  int64_t virtual_base(int64_t graph) const { return rows.shared_virtual ? 0 : graph * k; }

  const Level& level;
  const LayerRows<Scalar>& rows;
  int64_t d, a, k, graphs, nodes, edges, virtual_count;
};

template <class Scalar>
std::vector<Scalar> zeros(int64_t size) {
  return std::vector<Scalar>(static_cast<std::size_t>(size), Scalar(0));
}

// ---- Forward, step by step
// -------------------------------------------------------------------------------------------------------------

/// q_i . p_j for raw entries and self-loops, q_i . v_k for entries to virtual nodes, into the attention arrays;
/// attentiveness into own.
template <class Scalar>
void compute_logits(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                    LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows;
  const auto inverse_tau = static_cast<Scalar>(1 / settings.tau);
  tape.q.resize(static_cast<std::size_t>(u * f.a));
  tape.p.resize(tape.q.size());
  tape.qv.resize(static_cast<std::size_t>(f.virtual_count * f.a));
  tape.pv.resize(tape.qv.size());
  gemm(Op::plain, Op::transposed, u, f.a, f.d, inverse_tau, f.rows.table, weights.query, Scalar(0), tape.q.data());
  gemm(Op::plain, Op::transposed, u, f.a, f.d, Scalar(1), f.rows.table, weights.key, Scalar(0), tape.p.data());
  gemm(Op::plain, Op::transposed, f.virtual_count, f.a, f.d, inverse_tau, f.rows.virtual_rows, weights.query, Scalar(0),
       tape.qv.data());
  gemm(Op::plain, Op::transposed, f.virtual_count, f.a, f.d, Scalar(1), f.rows.virtual_rows, weights.key, Scalar(0),
       tape.pv.data());

  tape.s_edge.resize(static_cast<std::size_t>(f.edges));
  tape.s_self.resize(static_cast<std::size_t>(f.nodes));
  tape.pair_table = f.rows.code != nullptr && u * u <= 2 * (f.edges + f.nodes);
  if (tape.pair_table) {
    std::vector<Scalar> pairs(static_cast<std::size_t>(u * u));
    gemm(Op::plain, Op::transposed, u, u, f.a, Scalar(1), tape.q.data(), tape.p.data(), Scalar(0), pairs.data());
    for (int64_t i = 0; i < f.nodes; ++i) {
      const Scalar* const row = pairs.data() + f.rows.code[i] * u;
      for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
        tape.s_edge[e] = row[f.rows.code[f.level.columns[e]]];
      tape.s_self[i] = row[f.rows.code[i]];
    }
  } else {
    loop.edge_dots(tape.q.data(), tape.p.data(), f.a, f.rows.code, f.level.row_offsets.data(), f.level.columns.data(),
                   static_cast<int32_t>(f.nodes), tape.s_edge.data());
    for (int64_t i = 0; i < f.nodes; ++i)
      tape.s_self[i] = loop.dot(tape.q.data() + f.row_of(i) * f.a, tape.p.data() + f.row_of(i) * f.a, f.a);
  }

  tape.s_to_virtual.resize(static_cast<std::size_t>(f.nodes * f.k));
  tape.logits_by_task.resize(tape.s_to_virtual.size());
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, tape.q.data(), u, tape.pv.data(),
                    tape.s_to_virtual.data());
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, tape.p.data(), u, tape.qv.data(),
                    tape.logits_by_task.data());

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
    for (int64_t k = 0; k < f.k; ++k)
      tape.own_virtual[v] += loop.dot(tape.qv.data() + (base + k) * f.a, tape.pv.data() + v * f.a, f.a);
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

/// The logits that decide the drop: own attentiveness, or what S mixes of it.
template <class Scalar>
void decide_logits(const Frame<Scalar>& f, bool smoothed, LayerTape<Scalar>& tape) {
  if (!smoothed) {
    tape.logits = tape.own;
    return;
  }
  tape.logits.resize(tape.own.size());
  for (int64_t i = 0; i < f.nodes; ++i) {
    Scalar sum = tape.s_self[i] * tape.own[i];
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
      sum += tape.s_edge[e] * tape.own[f.level.columns[e]];
    for (int64_t k = 0; k < f.k; ++k) sum += tape.s_to_virtual[i * f.k + k] * tape.own_virtual[tape.virtual_row[i] + k];
    tape.logits[i] = sum;
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
/// c_j = sum over dropped i of lambda_i scale_i S_ij.
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
    const Scalar weight = tape.lambda[i] * tape.scale[i];
    for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e) {
      tape.wide[f.level.columns[e] * count + f.k] += weight * tape.s_edge[e];
    }
    tape.wide[i * count + f.k] += weight * tape.s_self[i];
    for (int64_t k = 0; k < f.k; ++k)
      tape.merged_virtual[tape.graph_of[i] * f.k + k] += weight * tape.s_to_virtual[i * f.k + k];
  }
}

template <class Scalar>
MixedRows<Scalar> mixed_rows(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return {tape.table_first ? tape.transformed.data() : f.rows.table, f.rows.code,
          tape.table_first ? tape.transformed_virtual.data() : f.rows.virtual_rows, tape.virtual_row.data(), f.d};
}

template <class Scalar>
RowCoefficients<Scalar> coefficients(const Frame<Scalar>& f, const LayerTape<Scalar>& tape) {
  return {f.level.row_offsets.data(), f.level.columns.data(),   tape.s_edge.data(),
          tape.s_self.data(),         tape.s_to_virtual.data(), static_cast<int32_t>(f.k)};
}

/// H on the rows that are left (or H theta^T, where the linear map went first): virtual rows, then kept and merged
/// ones.
template <class Scalar>
void mix(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const auto left = static_cast<int32_t>(tape.map.source.size());
  const int64_t virtual_rows = f.graphs * f.k;
  tape.mixed.resize(static_cast<std::size_t>((virtual_rows + left) * f.d));
  const MixedRows<Scalar> x = mixed_rows(f, tape);
  loop.gather_rows(coefficients(f, tape), x, tape.map.source.data(), left, tape.scale.data(),
                   tape.mixed.data() + virtual_rows * f.d);

  const int64_t count = f.k + 1;
  std::vector<Scalar> wide(static_cast<std::size_t>(f.graphs * count * f.d));
  wide_rows<Scalar>(f.level, {x.table, f.rows.table_rows, f.rows.code, f.d}, count, tape.wide.data(), wide.data());
  for (int64_t g = 0; g < f.graphs; ++g) {
    const Scalar* const virtual_table = x.virtual_table + f.virtual_base(g) * f.d;
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar* const row = tape.mixed.data() + (g * f.k + k) * f.d;
      std::copy_n(wide.data() + (g * count + k) * f.d, f.d, row);
      loop.add_scaled(tape.s_virtual_self[g * f.k + k], virtual_table + k * f.d, row, f.d);
    }
    if (tape.map.merged[g] < 0) continue;
    Scalar* const row = tape.mixed.data() + (virtual_rows + tape.map.merged[g]) * f.d;
    std::copy_n(wide.data() + (g * count + f.k) * f.d, f.d, row);
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(tape.merged_virtual[g * f.k + k], virtual_table + k * f.d, row, f.d);
  }
}

/// Adds each row's input to tape.next; a merged row's is sum lambda_i x_i.
template <class Scalar>
void add_residual(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k) {
      loop.add_scaled(1, f.rows.virtual_rows + (f.virtual_base(g) + k) * f.d, tape.next.data() + (g * f.k + k) * f.d,
                      f.d);
    }
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, f.rows.table + f.row_of(i) * f.d,
                      tape.next.data() + (virtual_rows + static_cast<int64_t>(r)) * f.d, f.d);
  }
  if (!merges) return;
  std::vector<Scalar> merged(static_cast<std::size_t>(f.graphs * f.d));
  wide_rows<Scalar>(f.level, {f.rows.table, f.rows.table_rows, f.rows.code, f.d}, 1, tape.lambda.data(), merged.data());
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      loop.add_scaled(1, merged.data() + g * f.d, tape.next.data() + (virtual_rows + tape.map.merged[g]) * f.d, f.d);
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
  compute_logits(f, settings, weights, tape);
  softmax_raw_rows(f, settings.edge_weights, tape);
  tape.s_from_row = tape.logits_by_task;
  virtual_softmax(level, f.k, settings.edge_weights, rows.shared_virtual, tape.qv.data(), tape.pv.data(), f.a,
                  tape.s_from_row, tape.s_virtual_self);
  decide_logits(f, settings.smoothed, tape);

  tape.keep.resize(static_cast<std::size_t>(f.nodes));
  choose(tape.logits.data(), level, tape.keep.data());
  coarsen(level, tape.keep.data(), settings.merge, settings.edge_weights, settings.tasks, tape.next_level, tape.map);
  tape.gate_tanh.resize(tape.logits.size());
  tape.scale.assign(tape.logits.size(), Scalar(1));
  if (settings.gate) {
    for (std::size_t i = 0; i < tape.logits.size(); ++i) tape.scale[i] += tape.gate_tanh[i] = std::tanh(tape.logits[i]);
  }
  merge_weights(f, settings.softmax_merge_weights, tape);
  wide_weights(f, tape);

  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  tape.table_first = rows.code != nullptr && rows.table_rows < left;
  if (tape.table_first) {
    tape.transformed.resize(static_cast<std::size_t>(rows.table_rows * f.d));
    tape.transformed_virtual.resize(static_cast<std::size_t>(f.virtual_count * f.d));
    gemm(Op::plain, Op::transposed, rows.table_rows, f.d, f.d, Scalar(1), rows.table, weights.linear, Scalar(0),
         tape.transformed.data());
    gemm(Op::plain, Op::transposed, f.virtual_count, f.d, f.d, Scalar(1), rows.virtual_rows, weights.linear, Scalar(0),
         tape.transformed_virtual.data());
  }
  mix(f, tape);
  if (tape.table_first) {
    tape.z.swap(tape.mixed);
    for (int64_t r = 0; r < left; ++r) loops<Scalar>().add_scaled(1, weights.bias, tape.z.data() + r * f.d, f.d);
  } else {
    tape.z.resize(static_cast<std::size_t>(left * f.d));
    for (int64_t r = 0; r < left; ++r) std::copy_n(weights.bias, f.d, tape.z.data() + r * f.d);
    gemm(Op::plain, Op::transposed, left, f.d, f.d, Scalar(1), tape.mixed.data(), weights.linear, Scalar(1),
         tape.z.data());
  }
  tape.mask.clear();
  if (make_mask) make_mask(left, tape.mask);
  tape.mean.resize(static_cast<std::size_t>(left));
  tape.inverse_deviation.resize(tape.mean.size());
  tape.next.resize(static_cast<std::size_t>(left * f.d));
  loops<Scalar>().norm_elu(tape.z.data(), left, f.d, weights.gamma, weights.beta,
                           tape.mask.empty() ? nullptr : tape.mask.data(), tape.mean.data(),
                           tape.inverse_deviation.data(), tape.next.data());
  if (settings.residual) add_residual(f, tape);
}

// ---- Backward
// --------------------------------------------------------------------------------------------------------------------------

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
        scale(zeros<Scalar>(f.nodes)),
        lambda(zeros<Scalar>(f.nodes)),
        logits(zeros<Scalar>(f.nodes)),
        own(zeros<Scalar>(f.nodes)),
        own_virtual(zeros<Scalar>(f.virtual_count)) {}

  std::vector<Scalar> edge, self, to_virtual, from_row, virtual_self;  // of S, then of the logits
  std::vector<Scalar> scale, lambda, logits, own, own_virtual;
};

/// Backward of mix: from d_mixed to the rows and to S, scale and lambda.
template <class Scalar>
void mix_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_mixed, Scalar* d_rows,
                  Scalar* d_virtual, Inner<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k, count = f.k + 1;
  const MixedRows<Scalar> x = mixed_rows(f, tape);
  loop.gather_rows_backward(coefficients(f, tape), x, tape.map.source.data(),
                            static_cast<int32_t>(tape.map.source.size()), tape.scale.data(),
                            d_mixed + virtual_rows * f.d, d_rows, d_virtual,
                            {inner.edge.data(), inner.self.data(), inner.to_virtual.data()}, inner.scale.data());

  std::vector<Scalar> d_wide = zeros<Scalar>(f.graphs * count * f.d);
  std::vector<Scalar> d_merged_virtual = zeros<Scalar>(f.graphs * f.k);
  for (int64_t g = 0; g < f.graphs; ++g) {
    const int64_t base = f.virtual_base(g);
    for (int64_t k = 0; k < f.k; ++k) {
      const Scalar* const d = d_mixed + (g * f.k + k) * f.d;
      std::copy_n(d, f.d, d_wide.data() + (g * count + k) * f.d);
      inner.virtual_self[g * f.k + k] = loop.dot(d, x.virtual_table + (base + k) * f.d, f.d);
      loop.add_scaled(tape.s_virtual_self[g * f.k + k], d, d_virtual + (base + k) * f.d, f.d);
    }
    if (tape.map.merged[g] < 0) continue;
    const Scalar* const d = d_mixed + (virtual_rows + tape.map.merged[g]) * f.d;
    std::copy_n(d, f.d, d_wide.data() + (g * count + f.k) * f.d);
    for (int64_t k = 0; k < f.k; ++k) {
      d_merged_virtual[g * f.k + k] = loop.dot(d, x.virtual_table + (base + k) * f.d, f.d);
      loop.add_scaled(tape.merged_virtual[g * f.k + k], d, d_virtual + (base + k) * f.d, f.d);
    }
  }
  std::vector<Scalar> d_weights(static_cast<std::size_t>(f.nodes * count));
  wide_rows_backward<Scalar>(f.level, {x.table, f.rows.table_rows, f.rows.code, f.d}, count, tape.wide.data(),
                             d_wide.data(), d_weights.data(), d_rows);
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) inner.from_row[i * f.k + k] = d_weights[i * count + k];
  }
  // c_j = sum_i lambda_i scale_i S_ij over dropped i.
  const auto d_c = [&](int64_t j) { return d_weights[j * count + f.k]; };
  for (int64_t i = 0; i < f.nodes; ++i) {
    if (tape.lambda[i] == 0) continue;
    const Scalar weight = tape.lambda[i] * tape.scale[i];
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
    inner.lambda[i] += tape.scale[i] * d_weight;
    inner.scale[i] += tape.lambda[i] * d_weight;
  }
}

template <class Scalar>
void residual_backward(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* d_next, Scalar* d_table,
                       Scalar* d_virtual, Inner<Scalar>& inner) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(1, d_next + (g * f.k + k) * f.d, d_virtual + (f.virtual_base(g) + k) * f.d, f.d);
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, d_next + (virtual_rows + static_cast<int64_t>(r)) * f.d, d_table + f.row_of(i) * f.d, f.d);
  }
  if (!merges) return;
  std::vector<Scalar> d_merged = zeros<Scalar>(f.graphs * f.d);
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      std::copy_n(d_next + (virtual_rows + tape.map.merged[g]) * f.d, f.d, d_merged.data() + g * f.d);
  }
  std::vector<Scalar> d_lambda(static_cast<std::size_t>(f.nodes));
  wide_rows_backward<Scalar>(f.level, {f.rows.table, f.rows.table_rows, f.rows.code, f.d}, 1, tape.lambda.data(),
                             d_merged.data(), d_lambda.data(), d_table);
  for (int64_t i = 0; i < f.nodes; ++i) inner.lambda[i] += d_lambda[i];
}

/// From scale and lambda to the deciding logits, and on to S and own attentiveness.
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
      inner.logits[i] += inner.scale[i] * (1 - tape.gate_tanh[i] * tape.gate_tanh[i]);
  }
  if (!settings.smoothed) {
    inner.own = inner.logits;
    return;
  }
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

/// From the products q . p to q, p, the rows and the query and key weights.
template <class Scalar>
void logits_backward(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                     const LayerTape<Scalar>& tape, const Inner<Scalar>& inner, const LayerGradients<Scalar>& gradients,
                     Scalar* d_table, Scalar* d_virtual) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t u = f.rows.table_rows;
  std::vector<Scalar> dq = zeros<Scalar>(u * f.a), dp = zeros<Scalar>(u * f.a);
  std::vector<Scalar> dqv = zeros<Scalar>(f.virtual_count * f.a), dpv = zeros<Scalar>(f.virtual_count * f.a);
  if (tape.pair_table) {
    std::vector<Scalar> d_pairs = zeros<Scalar>(u * u);
    for (int64_t i = 0; i < f.nodes; ++i) {
      Scalar* const row = d_pairs.data() + f.rows.code[i] * u;
      for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
        row[f.rows.code[f.level.columns[e]]] += inner.edge[e];
      row[f.rows.code[i]] += inner.self[i];
    }
    gemm(Op::plain, Op::plain, u, f.a, u, Scalar(1), d_pairs.data(), tape.p.data(), Scalar(1), dq.data());
    gemm(Op::transposed, Op::plain, u, f.a, u, Scalar(1), d_pairs.data(), tape.q.data(), Scalar(1), dp.data());
  } else {
    loop.edge_dots_backward(inner.edge.data(), tape.q.data(), tape.p.data(), f.a, f.rows.code,
                            f.level.row_offsets.data(), f.level.columns.data(), static_cast<int32_t>(f.nodes),
                            dq.data(), dp.data());
    for (int64_t i = 0; i < f.nodes; ++i) {
      const int64_t row = f.row_of(i) * f.a;
      loop.add_scaled(inner.self[i], tape.p.data() + row, dq.data() + row, f.a);
      loop.add_scaled(inner.self[i], tape.q.data() + row, dp.data() + row, f.a);
    }
  }
  // q_g . p_i enters the virtual row's attention and the attentiveness.
  std::vector<Scalar> d_from_row = inner.from_row;
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) d_from_row[i * f.k + k] += inner.own[i];
  }
  node_virtual_dots_backward(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, tape.q.data(), u, tape.pv.data(),
                             inner.to_virtual.data(), dq.data(), dpv.data());
  node_virtual_dots_backward(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.a, tape.p.data(), u, tape.qv.data(),
                             d_from_row.data(), dp.data(), dqv.data());
  const auto add_pair = [&](int64_t query, int64_t key, Scalar d) {
    loop.add_scaled(d, tape.pv.data() + key * f.a, dqv.data() + query * f.a, f.a);
    loop.add_scaled(d, tape.qv.data() + query * f.a, dpv.data() + key * f.a, f.a);
  };
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      add_pair(f.virtual_base(g) + k, f.virtual_base(g) + k, inner.virtual_self[g * f.k + k]);
  }
  for (int64_t v = 0; v < f.virtual_count; ++v) {
    for (int64_t k = 0; k < f.k; ++k) add_pair(v / f.k * f.k + k, v, inner.own_virtual[v]);
  }

  const auto inverse_tau = static_cast<Scalar>(1 / settings.tau);
  gemm(Op::transposed, Op::plain, f.a, f.d, u, inverse_tau, dq.data(), f.rows.table, Scalar(1), gradients.query);
  gemm(Op::transposed, Op::plain, f.a, f.d, f.virtual_count, inverse_tau, dqv.data(), f.rows.virtual_rows, Scalar(1),
       gradients.query);
  gemm(Op::transposed, Op::plain, f.a, f.d, u, Scalar(1), dp.data(), f.rows.table, Scalar(1), gradients.key);
  gemm(Op::transposed, Op::plain, f.a, f.d, f.virtual_count, Scalar(1), dpv.data(), f.rows.virtual_rows, Scalar(1),
       gradients.key);
  gemm(Op::plain, Op::plain, u, f.d, f.a, inverse_tau, dq.data(), weights.query, Scalar(1), d_table);
  gemm(Op::plain, Op::plain, u, f.d, f.a, Scalar(1), dp.data(), weights.key, Scalar(1), d_table);
  gemm(Op::plain, Op::plain, f.virtual_count, f.d, f.a, inverse_tau, dqv.data(), weights.query, Scalar(1), d_virtual);
  gemm(Op::plain, Op::plain, f.virtual_count, f.d, f.a, Scalar(1), dpv.data(), weights.key, Scalar(1), d_virtual);
}

}  // namespace

template <class Scalar>
void layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                    const Level& level, const LayerTape<Scalar>& tape, const Scalar* d_next,
                    const LayerGradients<Scalar>& gradients, Scalar* d_table, Scalar* d_virtual) {
  const Frame<Scalar> f(settings, rows, level);
  const int64_t left = f.graphs * f.k + static_cast<int64_t>(tape.map.source.size());
  std::vector<Scalar> dz(static_cast<std::size_t>(left * f.d));
  loops<Scalar>().norm_elu_backward(tape.z.data(), left, f.d, weights.gamma, weights.beta,
                                    tape.mask.empty() ? nullptr : tape.mask.data(), tape.mean.data(),
                                    tape.inverse_deviation.data(), d_next, dz.data(), gradients.gamma, gradients.beta);
  for (int64_t r = 0; r < left; ++r) loops<Scalar>().add_scaled(1, dz.data() + r * f.d, gradients.bias, f.d);

  Inner<Scalar> inner(f);
  if (tape.table_first) {
    std::vector<Scalar> d_transformed = zeros<Scalar>(rows.table_rows * f.d),
                        d_transformed_virtual = zeros<Scalar>(f.virtual_count * f.d);
    mix_backward(f, tape, dz.data(), d_transformed.data(), d_transformed_virtual.data(), inner);
    gemm(Op::transposed, Op::plain, f.d, f.d, rows.table_rows, Scalar(1), d_transformed.data(), rows.table, Scalar(1),
         gradients.linear);
    gemm(Op::transposed, Op::plain, f.d, f.d, f.virtual_count, Scalar(1), d_transformed_virtual.data(),
         rows.virtual_rows, Scalar(1), gradients.linear);
    gemm(Op::plain, Op::plain, rows.table_rows, f.d, f.d, Scalar(1), d_transformed.data(), weights.linear, Scalar(1),
         d_table);
    gemm(Op::plain, Op::plain, f.virtual_count, f.d, f.d, Scalar(1), d_transformed_virtual.data(), weights.linear,
         Scalar(1), d_virtual);
  } else {
    std::vector<Scalar> d_mixed(static_cast<std::size_t>(left * f.d));
    gemm(Op::transposed, Op::plain, f.d, f.d, left, Scalar(1), dz.data(), tape.mixed.data(), Scalar(1),
         gradients.linear);
    gemm(Op::plain, Op::plain, left, f.d, f.d, Scalar(1), dz.data(), weights.linear, Scalar(0), d_mixed.data());
    mix_backward(f, tape, d_mixed.data(), d_table, d_virtual, inner);
  }
  if (settings.residual) residual_backward(f, tape, d_next, d_table, d_virtual, inner);
  decision_backward(f, settings, tape, inner);
  softmax_raw_rows_backward(f, settings.edge_weights, tape, inner);
  virtual_softmax_backward(level, f.k, settings.edge_weights, tape.s_from_row, tape.s_virtual_self, inner.from_row,
                           inner.virtual_self);
  logits_backward(f, settings, weights, tape, inner, gradients, d_table, d_virtual);
}

template void layer_forward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                   const Level&, const Choose<float>&, const MakeMask<float>&, LayerTape<float>&);
template void layer_forward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                    const Level&, const Choose<double>&, const MakeMask<double>&, LayerTape<double>&);
template void layer_backward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                    const Level&, const LayerTape<float>&, const float*, const LayerGradients<float>&,
                                    float*, float*);
template void layer_backward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                     const Level&, const LayerTape<double>&, const double*,
                                     const LayerGradients<double>&, double*, double*);

}  // namespace dotin::kernels
