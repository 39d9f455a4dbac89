#include <algorithm>

#include "dotin/kernels/fused_layer.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/virtual_attention.h"
#include "dotin/kernels/wide_rows.h"

namespace dotin::kernels {

template <class Scalar>
void last_layer_forward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        const LayerRows<Scalar>& rows, const Level& level, const MakeMask<Scalar>& make_mask,
                        LastLayerTape<Scalar>& tape) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t d = settings.hidden, a = settings.attention, tasks = settings.tasks, graphs = level.graphs();
  const int64_t virtual_count = rows.virtual_count, out_rows = graphs * tasks;
  const auto base = [&](int64_t g) { return rows.shared_virtual ? 0 : g * tasks; };

  tape.qv.resize(static_cast<std::size_t>(virtual_count * a));
  tape.reach.resize(static_cast<std::size_t>(virtual_count * d));
  gemm(Op::plain, Op::transposed, virtual_count, a, d, static_cast<Scalar>(1 / settings.tau), rows.virtual_rows(),
       weights.query, Scalar(0), tape.qv.data());
  gemm(Op::plain, Op::plain, virtual_count, d, a, Scalar(1), tape.qv.data(), weights.key, Scalar(0), tape.reach.data());

  tape.logits_by_task.resize(static_cast<std::size_t>(level.nodes() * tasks));
  node_virtual_dots(level, rows.code, rows.shared_virtual, tasks, d, rows.table(), rows.table_rows, tape.reach.data(),
                    tape.logits_by_task.data());
  std::vector<Scalar> self_logit(static_cast<std::size_t>(virtual_count));
  for (int64_t v = 0; v < virtual_count; ++v)
    self_logit[v] = loop.dot(tape.reach.data() + v * d, rows.virtual_rows() + v * d, d);
  tape.s_from_row = tape.logits_by_task;
  softmax_virtual_rows(level, tasks, settings.edge_weights, rows.shared_virtual, self_logit.data(), tape.s_from_row,
                       tape.s_virtual_self);

  tape.mixed.resize(static_cast<std::size_t>(out_rows * d));
  wide_rows<Scalar>(level, {rows.table(), rows.table_rows, rows.code, d}, tasks, tape.s_from_row.data(),
                    tape.mixed.data());
  for (int64_t g = 0; g < graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k) {
      loop.add_scaled(tape.s_virtual_self[g * tasks + k], rows.virtual_rows() + (base(g) + k) * d,
                      tape.mixed.data() + (g * tasks + k) * d, d);
    }
  }
  tape.z.resize(tape.mixed.size());
  for (int64_t r = 0; r < out_rows; ++r) std::copy_n(weights.bias, d, tape.z.data() + r * d);
  gemm(Op::plain, Op::transposed, out_rows, d, d, Scalar(1), tape.mixed.data(), weights.linear, Scalar(1),
       tape.z.data());
  tape.mask.clear();
  if (make_mask) make_mask(out_rows, tape.mask);
  tape.mean.resize(static_cast<std::size_t>(out_rows));
  tape.inverse_deviation.resize(tape.mean.size());
  tape.next.resize(tape.mixed.size());
  loop.norm_elu(tape.z.data(), out_rows, d, weights.gamma, weights.beta, tape.mask.empty() ? nullptr : tape.mask.data(),
                nullptr, tape.mean.data(), tape.inverse_deviation.data(), tape.next.data());
  if (!settings.residual) return;
  for (int64_t g = 0; g < graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k)
      loop.add_scaled(1, rows.virtual_rows() + (base(g) + k) * d, tape.next.data() + (g * tasks + k) * d, d);
  }
}

template <class Scalar>
void last_layer_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                         const LayerRows<Scalar>& rows, const Level& level, const LastLayerTape<Scalar>& tape,
                         const Scalar* d_next, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  const Loops<Scalar>& loop = loops<Scalar>();
  const int64_t d = settings.hidden, a = settings.attention, tasks = settings.tasks, graphs = level.graphs();
  const int64_t virtual_count = rows.virtual_count, out_rows = graphs * tasks;
  const auto base = [&](int64_t g) { return rows.shared_virtual ? 0 : g * tasks; };

  Scalar *const d_virtual = d_rows, *const d_table = d_rows + virtual_count * d;

  std::vector<Scalar> dz(static_cast<std::size_t>(out_rows * d)), d_mixed(dz.size());
  loop.norm_elu_backward(tape.z.data(), out_rows, d, weights.gamma, weights.beta,
                         tape.mask.empty() ? nullptr : tape.mask.data(), nullptr, tape.mean.data(),
                         tape.inverse_deviation.data(), d_next, dz.data(), gradients.gamma, gradients.beta, nullptr);
  for (int64_t r = 0; r < out_rows; ++r) loop.add_scaled(1, dz.data() + r * d, gradients.bias, d);
  gemm(Op::transposed, Op::plain, d, d, out_rows, Scalar(1), dz.data(), tape.mixed.data(), Scalar(1), gradients.linear);
  gemm(Op::plain, Op::plain, out_rows, d, d, Scalar(1), dz.data(), weights.linear, Scalar(0), d_mixed.data());

  std::vector<Scalar> d_from_row(tape.s_from_row.size()), d_self(static_cast<std::size_t>(out_rows));
  wide_rows_backward<Scalar>(level, {rows.table(), rows.table_rows, rows.code, d}, tasks, tape.s_from_row.data(),
                             d_mixed.data(), d_from_row.data(), d_table);
  for (int64_t g = 0; g < graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k) {
      const int64_t out = (g * tasks + k) * d, v = (base(g) + k) * d;
      d_self[g * tasks + k] = loop.dot(d_mixed.data() + out, rows.virtual_rows() + v, d);
      loop.add_scaled(tape.s_virtual_self[g * tasks + k], d_mixed.data() + out, d_virtual + v, d);
      if (settings.residual) loop.add_scaled(1, d_next + out, d_virtual + v, d);
    }
  }
  virtual_softmax_backward(level, tasks, settings.edge_weights, tape.s_from_row, tape.s_virtual_self, d_from_row,
                           d_self);

  std::vector<Scalar> d_reach(static_cast<std::size_t>(virtual_count * d), Scalar(0)),
      dqv(static_cast<std::size_t>(virtual_count * a));
  node_virtual_dots_backward(level, rows.code, rows.shared_virtual, tasks, d, rows.table(), rows.table_rows,
                             tape.reach.data(), d_from_row.data(), d_table, d_reach.data());
  for (int64_t g = 0; g < graphs; ++g) {
    for (int64_t k = 0; k < tasks; ++k) {
      const int64_t v = (base(g) + k) * d;
      loop.add_scaled(d_self[g * tasks + k], rows.virtual_rows() + v, d_reach.data() + v, d);
      loop.add_scaled(d_self[g * tasks + k], tape.reach.data() + v, d_virtual + v, d);
    }
  }
  const auto inverse_tau = static_cast<Scalar>(1 / settings.tau);
  gemm(Op::plain, Op::transposed, virtual_count, a, d, Scalar(1), d_reach.data(), weights.key, Scalar(0), dqv.data());
  gemm(Op::transposed, Op::plain, a, d, virtual_count, Scalar(1), tape.qv.data(), d_reach.data(), Scalar(1),
       gradients.key);
  gemm(Op::transposed, Op::plain, a, d, virtual_count, inverse_tau, dqv.data(), rows.virtual_rows(), Scalar(1),
       gradients.query);
  gemm(Op::plain, Op::plain, virtual_count, d, a, inverse_tau, dqv.data(), weights.query, Scalar(1), d_virtual);
}

template void last_layer_forward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                        const Level&, const MakeMask<float>&, LastLayerTape<float>&);
template void last_layer_forward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                         const Level&, const MakeMask<double>&, LastLayerTape<double>&);
template void last_layer_backward<float>(const LayerSettings&, const LayerWeights<float>&, const LayerRows<float>&,
                                         const Level&, const LastLayerTape<float>&, const float*,
                                         const LayerGradients<float>&, float*);
template void last_layer_backward<double>(const LayerSettings&, const LayerWeights<double>&, const LayerRows<double>&,
                                          const Level&, const LastLayerTape<double>&, const double*,
                                          const LayerGradients<double>&, double*);

}  // namespace dotin::kernels
