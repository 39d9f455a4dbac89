#include "dotin/ops/linear.h"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "dotin/kernels/gemm.h"
#include "dotin/ops/layer_addresses.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using kernels::gemm;
using kernels::Op;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class Linear : public torch::autograd::Function<Linear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_rows, const at::Tensor& weight,
                            const at::Tensor& bias) {
    const at::Tensor rows = any_rows.contiguous();
    const int64_t n = rows.size(0), in = rows.size(1), out = weight.size(0);
    const at::Tensor result = at::empty({n, out}, rows.options());
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      for (int64_t r = 0; r < n; ++r) std::copy_n(bias.data_ptr<Scalar>(), out, result.data_ptr<Scalar>() + r * out);
      gemm(Op::plain, Op::transposed, n, out, in, Scalar(1), rows.data_ptr<Scalar>(), weight.data_ptr<Scalar>(),
           Scalar(1), result.data_ptr<Scalar>());
    });
    context->save_for_backward({rows, weight, bias});
    return result;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &weight = saved[1];
    const at::Tensor d_result = d_outputs[0].contiguous();
    const at::Tensor d_weight = gradient_buffer(weight), d_bias = gradient_buffer(saved[2]);
    const at::Tensor d_rows = at::empty(rows.sizes(), rows.options());
    const int64_t n = rows.size(0), in = rows.size(1), out = weight.size(0);
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar* const d = d_result.data_ptr<Scalar>();
      gemm(Op::plain, Op::plain, n, in, out, Scalar(1), d, weight.data_ptr<Scalar>(), Scalar(0),
           d_rows.data_ptr<Scalar>());
      gemm(Op::transposed, Op::plain, out, in, n, Scalar(1), d, rows.data_ptr<Scalar>(), Scalar(1),
           d_weight.data_ptr<Scalar>());
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < out; ++c) d_bias.data_ptr<Scalar>()[c] += d[r * out + c];
      }
    });
    return {d_rows, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
  return Linear::apply(rows, weight, bias);
}

}  // namespace dotin::ops
