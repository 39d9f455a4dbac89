#include <algorithm>
#include <utility>

#include "dotin/kernels/edge_coefficients.h"
#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/reach.h"
#include "dotin/kernels/row_map.h"
#include "dotin/kernels/storage.h"
#include "dotin/kernels/virtual_attention.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

namespace {

/// Each virtual node's input, one row per graph and task.
template <class Scalar>
std::vector<Scalar> virtual_inputs(const Frame<Scalar>& f) {
  std::vector<Scalar> inputs(static_cast<std::size_t>(f.graphs * f.k * f.d));
  for (int64_t g = 0; g < f.graphs; ++g)
    std::copy_n(f.rows.virtual_rows() + f.virtual_base(g) * f.d, f.k * f.d, inputs.data() + g * f.k * f.d);
  return inputs;
}

}  // namespace

template <class Scalar>
void last_layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        const LayerRows<Scalar>& rows, const Level& level, const Dropout& dropout,
                        LastLayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const Frame<Scalar> f(settings, rows, level);
  const int64_t d = f.d, out_rows = f.graphs * f.k;
  reach_nodes(f, settings.tau, weights, tape.reach, tape.logits_by_task);
  if (settings.backbone == Backbone::gat) {
    std::vector<Scalar> self_logit(static_cast<std::size_t>(f.virtual_count));
    for (int64_t v = 0; v < f.virtual_count; ++v)
      self_logit[v] = loop.dot(tape.reach.row.data() + v * d, rows.virtual_rows() + v * d, d);
    tape.s_from_row = tape.logits_by_task;
    softmax_virtual_rows(level, f.k, settings.edge_weights, rows.shared_virtual, self_logit.data(), tape.s_from_row,
                         tape.s_virtual_self);
  } else {
    fixed_virtual_rows(f, settings.backbone, weights, tape.task_gate, tape.s_from_row, tape.s_virtual_self);
  }

  const std::vector<Scalar> inputs = virtual_inputs(f);
  size_to(tape.mixed, out_rows * d);
  wide_rows<Scalar>(level, {rows.table(), rows.table_rows, rows.code, d}, f.k, tape.s_from_row.data(),
                    tape.mixed.data());
  for (int64_t r = 0; r < out_rows; ++r)
    loop.add_scaled(tape.s_virtual_self[r], inputs.data() + r * d, tape.mixed.data() + r * d, d);
  map_mixed(out_rows, d, d, weights, tape.mixed.data(), inputs.data(), tape.z);
  finish_map(out_rows, d, weights, tape.inner, tape.z);
  tape.dropout = dropout;
  size_to(tape.mean, out_rows);
  size_to(tape.inverse_deviation, out_rows);
  size_to(tape.next, out_rows * d);
  loop.norm_elu(tape.z.data(), out_rows, d, weights.gamma, weights.beta, tape.dropout, nullptr, tape.mean.data(),
                tape.inverse_deviation.data(), tape.next.data());
  if (settings.residual) loop.add_scaled(1, inputs.data(), tape.next.data(), out_rows * d);
}

template <class Scalar>
void last_layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                         const LayerRows<Scalar>& rows, const Level& level, const LastLayerTape<Scalar>& tape,
                         const Scalar* d_next, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const Frame<Scalar> f(settings, rows, level);
  const int64_t d = f.d, out_rows = f.graphs * f.k;
  const Scalar* const inputs = gradients.later->hold(virtual_inputs(f));

  std::vector<Scalar> dz(static_cast<std::size_t>(out_rows * d)), d_mixed(dz.size()), d_inputs(dz.size());
  loop.norm_elu_backward(tape.z.data(), out_rows, d, weights.gamma, weights.beta, tape.dropout, nullptr,
                         tape.mean.data(), tape.inverse_deviation.data(), d_next, dz.data(), gradients.gamma,
                         gradients.beta, nullptr);
  finish_map_backward(out_rows, d, weights, tape.inner, gradients, dz);
  map_mixed_backward(out_rows, d, d, weights, tape.mixed.data(), inputs, std::move(dz), gradients, d_mixed.data(),
                     d_inputs.data());
  if (settings.residual) loop.add_scaled(1, d_next, d_inputs.data(), out_rows * d);

  std::vector<Scalar> d_from_row(tape.s_from_row.size()), d_self(static_cast<std::size_t>(out_rows));
  wide_rows_backward<Scalar>(level, {rows.table(), rows.table_rows, rows.code, d}, f.k, tape.s_from_row.data(),
                             d_mixed.data(), d_from_row.data(), d_rows + f.virtual_count * d);
  for (int64_t r = 0; r < out_rows; ++r) {
    d_self[r] = loop.dot(d_mixed.data() + r * d, inputs + r * d, d);
    loop.add_scaled(tape.s_virtual_self[r], d_mixed.data() + r * d, d_inputs.data() + r * d, d);
  }
  for (int64_t g = 0; g < f.graphs; ++g)
    loop.add_scaled(1, d_inputs.data() + g * f.k * d, d_rows + f.virtual_base(g) * d, f.k * d);
  if (settings.backbone != Backbone::gat) {
    fixed_virtual_rows_backward(f, weights, tape.task_gate, tape.s_from_row, d_from_row, d_self, gradients, d_rows);
    return;
  }
  virtual_softmax_backward(level, f.k, settings.edge_weights, tape.s_from_row, tape.s_virtual_self, d_from_row, d_self);
  std::vector<Scalar> d_reach = zeros<Scalar>(f.virtual_count * d);
  for (int64_t g = 0; g < f.graphs; ++g) {
    for (int64_t k = 0; k < f.k; ++k) {
      const int64_t v = (f.virtual_base(g) + k) * d;
      loop.add_scaled(d_self[g * f.k + k], rows.virtual_rows() + v, d_reach.data() + v, d);
      loop.add_scaled(d_self[g * f.k + k], tape.reach.row.data() + v, d_rows + v, d);
    }
  }
  reach_nodes_backward(f, settings.tau, weights, tape.reach, d_from_row, std::move(d_reach), gradients, d_rows);
}

template void last_layer_forward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                        const Level&, const Dropout&, LastLayerTape<float>&);
template void last_layer_forward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                         const Level&, const Dropout&, LastLayerTape<double>&);
template void last_layer_backward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                         const Level&, const LastLayerTape<float>&, const float*,
                                         const LayerGradients<float>&, float*);
template void last_layer_backward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                          const Level&, const LastLayerTape<double>&, const double*,
                                          const LayerGradients<double>&, double*);

}  // namespace dotin::kernels
