#include "dotin/ops/segment_products.h"

#include <torch/csrc/autograd/custom_function.h>

#include "dotin/kernels/gemm.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using kernels::Op;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// [graphs, A, B]: a_g^T b_g.
at::Tensor inner_products(const at::Tensor& any_a, const at::Tensor& any_b, const std::vector<int64_t>& offsets) {
  const at::Tensor a = any_a.contiguous(), b = any_b.contiguous();
  const int64_t graphs = static_cast<int64_t>(offsets.size()) - 1, m = a.size(1), n = b.size(1);
  const at::Tensor out = at::empty({graphs, m, n}, a.options());
  with_scalar(a, [&](auto zero) {
    using Scalar = decltype(zero);
    for (int64_t g = 0; g < graphs; ++g) {
      kernels::gemm<Scalar>(Op::transposed, Op::plain, m, n, offsets[g + 1] - offsets[g], 1,
                            a.data_ptr<Scalar>() + offsets[g] * m, b.data_ptr<Scalar>() + offsets[g] * n, 0,
                            out.data_ptr<Scalar>() + g * m * n);
    }
  });
  return out;
}

/// [rows, B]: a_g op(maps_g), op(maps_g) [A, B].
at::Tensor mapped(const at::Tensor& any_a, const at::Tensor& any_maps, Op op, const std::vector<int64_t>& offsets) {
  const at::Tensor a = any_a.contiguous(), maps = any_maps.contiguous();
  const int64_t graphs = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t k = a.size(1), n = maps.size(op == Op::plain ? 2 : 1);
  const at::Tensor out = at::empty({a.size(0), n}, a.options());
  with_scalar(a, [&](auto zero) {
    using Scalar = decltype(zero);
    for (int64_t g = 0; g < graphs; ++g) {
      kernels::gemm<Scalar>(Op::plain, op, offsets[g + 1] - offsets[g], n, k, 1, a.data_ptr<Scalar>() + offsets[g] * k,
                            maps.data_ptr<Scalar>() + g * k * n, 0, out.data_ptr<Scalar>() + offsets[g] * n);
    }
  });
  return out;
}

class SegmentProducts : public torch::autograd::Function<SegmentProducts> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                            const std::vector<int64_t>& offsets) {
    context->saved_data["offsets"] = offsets;
    context->save_for_backward({a, b});
    return inner_products(a, b, offsets);
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const std::vector<int64_t> offsets = context->saved_data["offsets"].toIntVector();
    const variable_list saved = context->get_saved_variables();
    return {mapped(saved[1], d_outputs[0], Op::transposed, offsets), mapped(saved[0], d_outputs[0], Op::plain, offsets),
            at::Tensor()};
  }
};

class SegmentMaps : public torch::autograd::Function<SegmentMaps> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& maps,
                            const std::vector<int64_t>& offsets) {
    context->saved_data["offsets"] = offsets;
    context->save_for_backward({a, maps});
    return mapped(a, maps, Op::plain, offsets);
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const std::vector<int64_t> offsets = context->saved_data["offsets"].toIntVector();
    const variable_list saved = context->get_saved_variables();
    return {mapped(d_outputs[0], saved[1], Op::transposed, offsets), inner_products(saved[0], d_outputs[0], offsets),
            at::Tensor()};
  }
};

}  // namespace

at::Tensor segment_products(const at::Tensor& a, const at::Tensor& b, const std::vector<int64_t>& offsets) {
  return SegmentProducts::apply(a, b, offsets);
}

at::Tensor segment_maps(const at::Tensor& a, const at::Tensor& maps, const std::vector<int64_t>& offsets) {
  return SegmentMaps::apply(a, maps, offsets);
}

}  // namespace dotin::ops
