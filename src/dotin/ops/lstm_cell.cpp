#include "dotin/ops/lstm_cell.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Scalar>
Scalar sigmoid(Scalar x) {
  return 1 / (1 + std::exp(-x));
}

class LstmCell : public torch::autograd::Function<LstmCell> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& any_gates, const at::Tensor& any_cell) {
    const at::Tensor gates = any_gates.contiguous(), cell = any_cell.contiguous();
    const at::Tensor open = at::empty_like(gates), state = at::empty_like(cell), next = at::empty_like(cell);
    const int64_t rows = cell.size(0), d = cell.size(1);
    with_scalar(cell, [&](auto zero) {
      using Scalar = decltype(zero);
      for (int64_t r = 0; r < rows; ++r) {
        const Scalar* const in = gates.data_ptr<Scalar>() + r * 4 * d;
        Scalar* const out = open.data_ptr<Scalar>() + r * 4 * d;
        for (int64_t c = 0; c < d; ++c) {
          const Scalar input = out[c] = sigmoid(in[c]), forget = out[d + c] = sigmoid(in[d + c]);
          const Scalar candidate = out[2 * d + c] = std::tanh(in[2 * d + c]);
          const Scalar output = out[3 * d + c] = sigmoid(in[3 * d + c]);
          const Scalar now = forget * cell.data_ptr<Scalar>()[r * d + c] + input * candidate;
          next.data_ptr<Scalar>()[r * d + c] = now;
          state.data_ptr<Scalar>()[r * d + c] = output * std::tanh(now);
        }
      }
    });
    context->save_for_backward({open, cell, next});
    return {state, next};
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &open = saved[0], &cell = saved[1], &next = saved[2];
    const at::Tensor d_state = d_outputs[0].contiguous(), d_next = d_outputs[1].contiguous();
    const at::Tensor d_gates = at::empty_like(open), d_cell = at::empty(cell.sizes(), cell.options());
    const int64_t rows = cell.size(0), d = cell.size(1);
    with_scalar(cell, [&](auto zero) {
      using Scalar = decltype(zero);
      for (int64_t r = 0; r < rows; ++r) {
        const Scalar* const gate = open.data_ptr<Scalar>() + r * 4 * d;
        Scalar* const d_gate = d_gates.data_ptr<Scalar>() + r * 4 * d;
        for (int64_t c = 0; c < d; ++c) {
          const Scalar input = gate[c], forget = gate[d + c], candidate = gate[2 * d + c], output = gate[3 * d + c];
          const Scalar squashed = std::tanh(next.data_ptr<Scalar>()[r * d + c]);
          const Scalar of_state = d_state.data_ptr<Scalar>()[r * d + c];
          const Scalar of_cell = d_next.data_ptr<Scalar>()[r * d + c] + of_state * output * (1 - squashed * squashed);
          d_gate[c] = of_cell * candidate * input * (1 - input);
          d_gate[d + c] = of_cell * cell.data_ptr<Scalar>()[r * d + c] * forget * (1 - forget);
          d_gate[2 * d + c] = of_cell * input * (1 - candidate * candidate);
          d_gate[3 * d + c] = of_state * squashed * output * (1 - output);
          d_cell.data_ptr<Scalar>()[r * d + c] = of_cell * forget;
        }
      }
    });
    return {d_gates, d_cell};
  }
};

}  // namespace

std::pair<at::Tensor, at::Tensor> lstm_cell(const at::Tensor& gates, const at::Tensor& cell) {
  const variable_list outputs = LstmCell::apply(gates, cell);
  return {outputs[0], outputs[1]};
}

}  // namespace dotin::ops
