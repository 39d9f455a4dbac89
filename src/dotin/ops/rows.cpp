#include "dotin/ops/rows.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "dotin/core/error.h"
#include "dotin/kernels/input_table.h"
#include "dotin/kernels/loops.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A batch's features, which live longer than it.
struct FeatureMemory : torch::CustomClassHolder {
  explicit FeatureMemory(const batch::Batch& batch)
      : codes(batch.codes),
        dense(batch.dense),
        features{codes.data(), batch.codes_per_node, dense.data(), batch.dense_width, batch.nodes()},
        index(kernels::index_input(features, /*share_rows=*/true)) {}

  std::vector<int32_t> codes;
  std::vector<float> dense;
  kernels::InputFeatures features;
  kernels::InputIndex index;
};

class InputRows : public torch::autograd::Function<InputRows> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& weight,
                            const c10::intrusive_ptr<FeatureMemory>& memory) {
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    context->save_for_backward({weight});
    const at::Tensor rows = at::empty({memory->index.rows(), weight.size(0)}, weight.options());
    with_scalar(weight, [&](auto zero) {
      using Scalar = decltype(zero);
      kernels::input_table(memory->features, memory->index, weight.data_ptr<Scalar>(), weight.size(0), weight.size(1),
                           rows.data_ptr<Scalar>());
    });
    return rows;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    const auto& memory = static_cast<const FeatureMemory&>(*holder);
    const at::Tensor weight = context->get_saved_variables()[0];
    const at::Tensor d_rows = d_outputs[0].contiguous(), d_weight = at::zeros_like(weight.detach());
    with_scalar(weight, [&](auto zero) {
      using Scalar = decltype(zero);
      kernels::input_table_backward(memory.features, memory.index, weight.size(0), weight.size(1),
                                    d_rows.data_ptr<Scalar>(), d_weight.data_ptr<Scalar>());
    });
    return {d_weight, at::Tensor()};
  }
};

struct ChosenMemory : torch::CustomClassHolder {
  std::vector<int32_t> chosen;
};

class SelectRows : public torch::autograd::Function<SelectRows> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& all_rows,
                            const c10::optional<at::Tensor>& all_gate, const c10::intrusive_ptr<ChosenMemory>& memory) {
    const at::Tensor rows = all_rows.contiguous(), gate = all_gate ? all_gate->contiguous() : at::Tensor();
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    context->save_for_backward({rows, gate});
    const int64_t width = rows.size(1), left = static_cast<int64_t>(memory->chosen.size());
    const at::Tensor out = at::zeros({left, width}, rows.options());
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar* const from = rows.data_ptr<Scalar>();
      const Scalar* const scale = gate.defined() ? gate.data_ptr<Scalar>() : nullptr;
      for (int64_t r = 0; r < left; ++r) {
        const int64_t i = memory->chosen[r];
        kernels::loops<Scalar>().add_scaled(scale != nullptr ? scale[i] : Scalar(1), from + i * width,
                                            out.data_ptr<Scalar>() + r * width, width);
      }
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    const std::vector<int32_t>& chosen = static_cast<const ChosenMemory&>(*holder).chosen;
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &gate = saved[1];
    const at::Tensor d_out = d_outputs[0].contiguous(), d_rows = at::zeros_like(rows.detach());
    const at::Tensor d_gate = gate.defined() ? at::zeros_like(gate.detach()) : at::Tensor();
    const int64_t width = rows.size(1);
    with_scalar(rows, [&](auto zero) {
      using Scalar = decltype(zero);
      const kernels::Loops<Scalar>& loop = kernels::loops<Scalar>();
      for (std::size_t r = 0; r < chosen.size(); ++r) {
        const int64_t i = chosen[r];
        const Scalar* const d = d_out.data_ptr<Scalar>() + static_cast<int64_t>(r) * width;
        const Scalar scale = gate.defined() ? gate.data_ptr<Scalar>()[i] : Scalar(1);
        loop.add_scaled(scale, d, d_rows.data_ptr<Scalar>() + i * width, width);
        if (gate.defined()) d_gate.data_ptr<Scalar>()[i] = loop.dot(d, rows.data_ptr<Scalar>() + i * width, width);
      }
    });
    return {d_rows, d_gate, at::Tensor()};
  }
};

}  // namespace

SharedRows input_rows(const batch::Batch& batch, const at::Tensor& weight) {
  DOTIN_ASSERT(batch.dense_width <= weight.size(1));
  DOTIN_ASSERT(batch.codes.empty() || *std::max_element(batch.codes.begin(), batch.codes.end()) < weight.size(1));
  const auto memory = c10::make_intrusive<FeatureMemory>(batch);
  return {InputRows::apply(weight, memory), memory->index.code};
}

at::Tensor select_rows(const at::Tensor& rows, const std::vector<int32_t>& chosen, const at::Tensor& gate) {
  const auto memory = c10::make_intrusive<ChosenMemory>();
  memory->chosen = chosen;
  return SelectRows::apply(rows, gate.defined() ? c10::make_optional(gate) : c10::nullopt, memory);
}

}  // namespace dotin::ops
