#include "dotin/kernels/fused_layer.h"

#include <algorithm>
#include <cmath>

#include "dotin/kernels/edge_coefficients.h"
#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/layer_steps.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/row_map.h"
#include "dotin/kernels/storage.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Each task's score of each node: own attentiveness, what S mixes of it, or the sum of both. Their sum over tasks
/// decides the drop.
template <class Scalar>
void score_nodes(const Frame<Scalar>& f, Attentiveness mode, LayerTape<Scalar>& tape) {
  const std::vector<Scalar>& own = tape.logits_by_task;
  if (mode == Attentiveness::smoothed) {
    clear_to(tape.scores, f.nodes * f.k);
  } else {
    tape.scores = own;
  }
  clear_to(tape.logits, f.nodes);
  for (int64_t i = 0; i < f.nodes; ++i) {
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar& score = tape.scores[i * f.k + k];
      if (mode != Attentiveness::own) {
        Scalar sum = tape.s_self[i] * own[i * f.k + k];
        for (int32_t e = f.level.row_offsets[i]; e < f.level.row_offsets[i + 1]; ++e)
          sum += tape.s_edge[e] * own[f.level.columns[e] * f.k + k];
        for (int64_t v = 0; v < f.k; ++v)
          sum += tape.s_to_virtual[i * f.k + v] * tape.own_virtual[(tape.virtual_row[i] + v) * f.k + k];
        score += sum;
      }
      tape.logits[i] += score;
    }
  }
}

/// lambda of the dropped nodes of graphs that merge.
template <class Scalar>
void merge_weights(const Frame<Scalar>& f, bool from_softmax, LayerTape<Scalar>& tape) {
  clear_to(tape.lambda, f.nodes);
  if (from_softmax) clear_to(tape.attentiveness, f.nodes);
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
  clear_to(tape.wide, f.nodes * count);
  clear_to(tape.merged_virtual, f.graphs * f.k);
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

/// H on the rows that are left (or H theta^T, where the map went first): virtual rows, then kept and merged ones.
template <class Scalar>
void mix(const Frame<Scalar>& f, const RowProducts<Scalar>& products, LayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const auto left = static_cast<int32_t>(tape.map.source.size());
  const int64_t virtual_rows = f.graphs * f.k;
  const MixedRows<Scalar> x = mixed_rows(f, products, tape);
  const int64_t width = x.width;
  size_to(tape.mixed, (virtual_rows + left) * width);
  loop.gather_rows(coefficients(f, tape), x, tape.map.source.data(), left, tape.mixed.data() + virtual_rows * width);
  if (!has_wide_rows(f, tape)) return;

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

/// Adds what `all` [rows that enter, width] has for each row's own input to out [rows that leave, width]; for a merged
/// row that is the sum of lambda_i times what it has for i.
template <class Scalar>
void add_inputs(const Frame<Scalar>& f, const LayerTape<Scalar>& tape, const Scalar* all, int64_t width, Scalar* out) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t virtual_rows = f.graphs * f.k;
  const Scalar* const table = all + f.virtual_count * width;
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k)
      loop.add_scaled(1, all + (f.virtual_base(g) + k) * width, out + (g * f.k + k) * width, width);
  }
  bool merges = false;
  for (std::size_t r = 0; r < tape.map.source.size(); ++r) {
    const int32_t i = tape.map.source[r];
    merges = merges || i < 0;
    if (i >= 0)
      loop.add_scaled(1, table + f.row_of(i) * width, out + (virtual_rows + static_cast<int64_t>(r)) * width, width);
  }
  if (!merges) return;
  std::vector<Scalar> merged(static_cast<std::size_t>(f.graphs * width));
  wide_rows<Scalar>(f.level, {table, f.rows.table_rows, f.rows.code, width}, 1, tape.lambda.data(), merged.data());
  for (int64_t g = 0; g < f.graphs; ++g) {
    if (tape.map.merged[g] >= 0)
      loop.add_scaled(1, merged.data() + g * width, out + (virtual_rows + tape.map.merged[g]) * width, width);
  }
}

template <class Scalar>
void add_residual(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  if (f.rows.basis != nullptr) {
    const int64_t left = rows_that_leave(f, tape);
    gemm(Op::plain, Op::plain, left, f.d, f.w, Scalar(1), tape.inputs.data(), f.rows.basis, Scalar(1),
         tape.next.data());
  } else if (!tape.inputs.empty()) {
    loops<Scalar>().add_scaled(1, tape.inputs.data(), tape.next.data(), static_cast<int64_t>(tape.inputs.size()));
  } else {
    add_inputs(f, tape, f.rows.all, f.w, tape.next.data());
  }
}

/// z: what norm and ELU get, of rows that were mapped before mixing or are after it.
template <class Scalar>
void mix_and_map(const Frame<Scalar>& f, const LayerWeights<Scalar>& weights, const RowProducts<Scalar>& products,
                 LayerTape<Scalar>& tape) {
  const int64_t left = rows_that_leave(f, tape);
  mix(f, products, tape);
  if (products.table_first) {
    tape.z.swap(tape.mixed);
    add_first_bias(left, f.d, weights, tape.z);
    if (weights.self != nullptr) add_inputs(f, tape, products.transformed_self.data(), f.d, tape.z.data());
  } else {
    map_mixed(left, f.d, f.w, weights, tape.mixed.data(), tape.inputs.data(), tape.z);
  }
  finish_map(left, f.d, weights, tape.inner, tape.z);
}

/// 1 + the mean over tasks of tanh(score) for kept rows, the lambda-weighted mean of it for merged ones, 1 for virtual
/// ones. Each task has a tanh of its own, lest one that is sure of a node closes the gate for the others and leaves
/// them no gradient.
template <class Scalar>
void open_gates(const Frame<Scalar>& f, LayerTape<Scalar>& tape) {
  const int64_t virtual_rows = f.graphs * f.k;
  tape.task_tanh = tape.scores;
  tape.gate_tanh.assign(tape.logits.size(), Scalar(0));
  tape.gate.assign(static_cast<std::size_t>(virtual_rows) + tape.map.source.size(), Scalar(1));
  for (std::size_t i = 0; i < tape.logits.size(); ++i) {
    for (int64_t k = 0; k < f.k; ++k) {
      Scalar& task = tape.task_tanh[static_cast<int64_t>(i) * f.k + k];
      task = std::tanh(task);
      tape.gate_tanh[i] += task / static_cast<Scalar>(f.k);
    }
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
void decide_nodes(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                  const Level& level, const RowProducts<Scalar>& products, const Choose<Scalar>& choose,
                  LayerTape<Scalar>& tape) {
  const Frame<Scalar> f(settings, rows, level);
  size_to(tape.graph_of, f.nodes);
  size_to(tape.virtual_row, f.nodes);
  for (int64_t g = 0; g < f.graphs; ++g) {
    std::fill(tape.graph_of.begin() + level.node_offsets[g], tape.graph_of.begin() + level.node_offsets[g + 1],
              static_cast<int32_t>(g));
    std::fill(tape.virtual_row.begin() + level.node_offsets[g], tape.virtual_row.begin() + level.node_offsets[g + 1],
              static_cast<int32_t>(f.virtual_base(g)));
  }
  if (settings.backbone == Backbone::gat) {
    attention_coefficients(f, settings, products, tape);
  } else {
    fixed_coefficients(f, settings, weights, tape);
  }
  score_nodes(f, settings.attentiveness, tape);

  size_to(tape.keep, f.nodes);
  choose(tape.logits.data(), level, tape.keep.data());
  coarsen(level, tape.keep.data(), settings.merge, settings.edge_weights, settings.tasks, tape.next_level, tape.map);
  tape.rows_left = rows_that_leave(f, tape);
}

template <class Scalar>
void next_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
               const Level& level, const RowProducts<Scalar>& products, const Dropout& dropout,
               LayerTape<Scalar>& tape) {
  const Frame<Scalar> f(settings, rows, level);
  merge_weights(f, settings.softmax_merge_weights, tape);
  if (settings.gate) open_gates(f, tape);
  wide_weights(f, tape);

  const int64_t left = rows_that_leave(f, tape);
  tape.inputs.clear();
  if (writes_inputs(f, settings, weights, products)) {
    clear_to(tape.inputs, left * f.w);
    add_inputs(f, tape, rows.all, f.w, tape.inputs.data());
  }
  mix_and_map(f, weights, products, tape);
  tape.dropout = dropout;
  size_to(tape.mean, left);
  size_to(tape.inverse_deviation, left);
  size_to(tape.next, left * f.d);
  loops<Scalar>().norm_elu(tape.z.data(), left, f.d, weights.gamma, weights.beta, dropout,
                           settings.gate ? tape.gate.data() : nullptr, tape.mean.data(), tape.inverse_deviation.data(),
                           tape.next.data());
  if (settings.residual) add_residual(f, tape);
}

template <class Scalar>
void layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                   const Level& level, const Choose<Scalar>& choose, const Dropout& dropout, LayerTape<Scalar>& tape) {
  project_rows(settings, weights, rows, tape.products);
  decide_nodes(settings, weights, rows, level, tape.products, choose, tape);
  map_rows(settings, weights, rows, tape.rows_left, tape.products);
  next_rows(settings, weights, rows, level, tape.products, dropout, tape);
}

#define DOTIN_INSTANTIATE(S)                                                                                      \
  template void decide_nodes<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, const Level&,  \
                                const RowProducts<S>&, const Choose<S>&, LayerTape<S>&);                          \
  template void next_rows<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, const Level&,     \
                             const RowProducts<S>&, const Dropout&, LayerTape<S>&);                               \
  template void layer_forward<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, const Level&, \
                                 const Choose<S>&, const Dropout&, LayerTape<S>&);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
