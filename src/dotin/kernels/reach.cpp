#include "dotin/kernels/reach.h"

#include <utility>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/storage.h"
#include "dotin/kernels/virtual_attention.h"

namespace dotin::kernels {

template <class Scalar>
void reach_nodes(const Frame<Scalar>& f, double tau, const LayerWeights<Scalar>& weights, Reach<Scalar>& reach,
                 std::vector<Scalar>& logits_by_task) {
  size_to(reach.query, f.virtual_count * f.a);
  size_to(reach.row, f.virtual_count * f.w);
  gemm(Op::plain, Op::transposed, f.virtual_count, f.a, f.w, static_cast<Scalar>(1 / tau), f.rows.virtual_rows(),
       weights.query, Scalar(0), reach.query.data());
  gemm(Op::plain, Op::plain, f.virtual_count, f.w, f.a, Scalar(1), reach.query.data(), weights.key, Scalar(0),
       reach.row.data());
  size_to(logits_by_task, f.nodes * f.k);
  node_virtual_dots(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.w, f.rows.table(), f.rows.table_rows,
                    reach.row.data(), logits_by_task.data());
}

template <class Scalar>
void reach_nodes_backward(const Frame<Scalar>& f, double tau, const LayerWeights<Scalar>& weights,
                          const Reach<Scalar>& reach, const std::vector<Scalar>& d_logits_by_task,
                          std::vector<Scalar> d_reach_rows, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  node_virtual_dots_backward(f.level, f.rows.code, f.rows.shared_virtual, f.k, f.w, f.rows.table(), f.rows.table_rows,
                             reach.row.data(), d_logits_by_task.data(), d_rows + f.virtual_count * f.w,
                             d_reach_rows.data());
  const auto inverse_tau = static_cast<Scalar>(1 / tau);
  const Scalar* const d_reach = gradients.later->hold(std::move(d_reach_rows));
  std::vector<Scalar> d_query_rows(reach.query.size());
  gemm(Op::plain, Op::transposed, f.virtual_count, f.a, f.w, Scalar(1), d_reach, weights.key, Scalar(0),
       d_query_rows.data());
  const Scalar* const d_query = gradients.later->hold(std::move(d_query_rows));
  gradients.later->add(f.a, f.w, f.virtual_count, 1, reach.query.data(), d_reach, gradients.key);
  gradients.later->add(f.a, f.w, f.virtual_count, inverse_tau, d_query, f.rows.virtual_rows(), gradients.query);
  gemm(Op::plain, Op::plain, f.virtual_count, f.w, f.a, inverse_tau, d_query, weights.query, Scalar(1), d_rows);
}

#define DOTIN_INSTANTIATE(S)                                                                                 \
  template void reach_nodes<S>(const Frame<S>&, double, const LayerWeights<S>&, Reach<S>&, std::vector<S>&); \
  template void reach_nodes_backward<S>(const Frame<S>&, double, const LayerWeights<S>&, const Reach<S>&,    \
                                        const std::vector<S>&, std::vector<S>, const LayerGradients<S>&, S*);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
