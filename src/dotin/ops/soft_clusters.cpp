#include "dotin/ops/soft_clusters.h"

#include <torch/csrc/autograd/custom_function.h>

#include "dotin/core/error.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using kernels::gemm;
using kernels::Op;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What the backward needs beside tensors.
struct ClusterMemory : torch::CustomClassHolder {
  GraphMatrices matrices;  // without `dense`, which may have a gradient
  std::vector<int64_t> offsets;
};

/// f(graph, its first row, its rows)
template <class F>
void for_each_graph(const std::vector<int64_t>& offsets, const F& f) {
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    f(static_cast<int64_t>(g), offsets[g], offsets[g + 1] - offsets[g]);
  }
}

/// With G the gradient of S^T M S and M symmetric, that of S is M S (G + G^T): one product, where two factors have one
/// each.
at::Tensor symmetric(const at::Tensor& matrices) { return (matrices + matrices.transpose(1, 2)).contiguous(); }

class SoftClustering : public torch::autograd::Function<SoftClustering> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& any_logits, const at::Tensor& any_x,
                               const c10::optional<at::Tensor>& any_dense,
                               const c10::intrusive_ptr<ClusterMemory>& memory) {
    const at::Tensor logits = any_logits.contiguous(), x = any_x.contiguous();
    const at::Tensor dense = any_dense ? any_dense->contiguous() : at::Tensor();
    const std::vector<int64_t>& offsets = memory->offsets;
    const auto graphs = static_cast<int64_t>(offsets.size()) - 1;
    const int64_t rows = logits.size(0), clusters = logits.size(1), width = x.size(1);
    const auto empty = [&logits](const std::vector<int64_t>& sizes) { return at::empty(sizes, logits.options()); };
    const at::Tensor share = empty({rows, clusters}), normaliser = empty({rows}), entropy = empty({rows});
    const at::Tensor coarse_x = empty({graphs, clusters, width}), adjacency = empty({graphs, clusters, clusters}),
                     overlap = empty({graphs, clusters, clusters});
    at::Tensor mixed;
    with_scalar(logits, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar* const s = share.data_ptr<Scalar>();
      kernels::loops<Scalar>().softmax_rows(logits.data_ptr<Scalar>(), rows, clusters, share.data_ptr<Scalar>(),
                                            normaliser.data_ptr<Scalar>(), entropy.data_ptr<Scalar>());
      if (dense.defined()) {
        mixed = empty({rows, clusters});
        for_each_graph(offsets, [&](int64_t g, int64_t first, int64_t n) {
          gemm<Scalar>(Op::plain, Op::plain, n, clusters, n, 1, dense.data_ptr<Scalar>() + g * n * n,
                       s + first * clusters, 0, mixed.data_ptr<Scalar>() + first * clusters);
        });
      } else {
        mixed = mix(memory->matrices.mixing, memory->matrices.level, share);
      }
      for_each_graph(offsets, [&](int64_t g, int64_t first, int64_t n) {
        const auto inner = [&](const Scalar* b, int64_t columns, const at::Tensor& out) {
          gemm<Scalar>(Op::transposed, Op::plain, clusters, columns, n, 1, s + first * clusters, b + first * columns, 0,
                       out.data_ptr<Scalar>() + g * clusters * columns);
        };
        inner(x.data_ptr<Scalar>(), width, coarse_x);
        inner(mixed.data_ptr<Scalar>(), clusters, adjacency);
        inner(s, clusters, overlap);
      });
    });
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    context->save_for_backward({logits, x, dense, share, normaliser, entropy, mixed});
    context->set_materialize_grads(false);
    return {share, entropy, coarse_x, adjacency, overlap};
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    const std::vector<int64_t>& offsets = static_cast<const ClusterMemory&>(*holder).offsets;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &logits = saved[0], &x = saved[1], &dense = saved[2], &share = saved[3], &normaliser = saved[4],
                     &entropy = saved[5], &mixed = saved[6];
    const auto numbers = [](const at::Tensor& d) { return d.defined() ? d.contiguous() : d; };
    const at::Tensor d_entropy = numbers(d_outputs[1]), d_coarse_x = numbers(d_outputs[2]),
                     d_adjacency = numbers(d_outputs[3]);
    const at::Tensor by_mixed = d_adjacency.defined() ? symmetric(d_adjacency) : at::Tensor();
    const at::Tensor by_share = d_outputs[4].defined() ? symmetric(d_outputs[4]) : at::Tensor();
    // The terms of the gradient of S are added up in place; it then becomes that of the logits.
    const at::Tensor d_logits = d_outputs[0].defined() ? d_outputs[0].clone(at::MemoryFormat::Contiguous)
                                                       : at::zeros(logits.sizes(), logits.options());
    const at::Tensor d_x = d_coarse_x.defined() ? at::empty(x.sizes(), x.options()) : at::Tensor();
    const at::Tensor d_dense =
        dense.defined() && d_adjacency.defined() ? at::empty(dense.sizes(), dense.options()) : at::Tensor();
    const int64_t clusters = logits.size(1), width = x.size(1);
    with_scalar(logits, [&](auto zero) {
      using Scalar = decltype(zero);
      std::vector<Scalar> shared;
      for_each_graph(offsets, [&](int64_t g, int64_t first, int64_t n) {
        const Scalar* const s = share.data_ptr<Scalar>() + first * clusters;
        Scalar* const d = d_logits.data_ptr<Scalar>() + first * clusters;
        if (d_coarse_x.defined()) {
          const Scalar* const d_out = d_coarse_x.data_ptr<Scalar>() + g * clusters * width;
          gemm<Scalar>(Op::plain, Op::transposed, n, clusters, width, 1, x.data_ptr<Scalar>() + first * width, d_out, 1,
                       d);
          gemm<Scalar>(Op::plain, Op::plain, n, width, clusters, 1, s, d_out, 0,
                       d_x.data_ptr<Scalar>() + first * width);
        }
        const int64_t own = g * clusters * clusters;
        if (by_mixed.defined()) {
          gemm<Scalar>(Op::plain, Op::plain, n, clusters, clusters, 1, mixed.data_ptr<Scalar>() + first * clusters,
                       by_mixed.data_ptr<Scalar>() + own, 1, d);
        }
        if (by_share.defined()) {
          gemm<Scalar>(Op::plain, Op::plain, n, clusters, clusters, 1, s, by_share.data_ptr<Scalar>() + own, 1, d);
        }
        if (d_dense.defined()) {
          shared.resize(static_cast<std::size_t>(n * clusters));
          gemm<Scalar>(Op::plain, Op::plain, n, clusters, clusters, 1, s, d_adjacency.data_ptr<Scalar>() + own, 0,
                       shared.data());
          gemm<Scalar>(Op::plain, Op::transposed, n, n, clusters, 1, shared.data(), s, 0,
                       d_dense.data_ptr<Scalar>() + g * n * n);
        }
      });
      kernels::loops<Scalar>().softmax_rows_backward(
          logits.data_ptr<Scalar>(), share.data_ptr<Scalar>(), normaliser.data_ptr<Scalar>(),
          entropy.data_ptr<Scalar>(), logits.size(0), clusters,
          d_entropy.defined() ? d_entropy.data_ptr<Scalar>() : nullptr, d_logits.data_ptr<Scalar>());
    });
    return {d_logits, d_x, d_dense, at::Tensor()};
  }
};

}  // namespace

SoftClusters soft_clusters(const at::Tensor& logits, const at::Tensor& x, const GraphMatrices& matrices,
                           const std::vector<int64_t>& offsets) {
  DOTIN_ASSERT(matrices.dense.defined() != (matrices.level != nullptr));
  const auto memory = c10::make_intrusive<ClusterMemory>();
  memory->matrices = {matrices.mixing, matrices.level, {}};
  memory->offsets = offsets;
  const variable_list out = SoftClustering::apply(
      logits, x, matrices.dense.defined() ? c10::make_optional(matrices.dense) : c10::nullopt, memory);
  return {out[0], out[1], out[2], out[3], out[4]};
}

}  // namespace dotin::ops
