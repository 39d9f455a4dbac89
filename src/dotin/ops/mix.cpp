#include "dotin/ops/mix.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "dotin/core/error.h"
#include "dotin/kernels/loops.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct MixMemory : torch::CustomClassHolder {
  Mixing mixing;
  std::shared_ptr<const kernels::Level> level;
};

/// C_ij = scale_i scale_j.
std::vector<double> scales_of(Mixing mixing, const kernels::Level& level) {
  std::vector<double> scale(static_cast<std::size_t>(level.nodes()), 1);
  if (mixing == Mixing::adjacency) return scale;
  for (int32_t i = 0; i < level.nodes(); ++i) {
    const int32_t sum =
        level.row_offsets[i + 1] - level.row_offsets[i] + (mixing == Mixing::normalised_with_loops ? 1 : 0);
    scale[i] = sum > 0 ? 1 / std::sqrt(static_cast<double>(sum)) : 0;
  }
  return scale;
}

template <class Scalar>
void mixed_product(const MixMemory& memory, const Scalar* x, int64_t width, Scalar* out) {
  const kernels::Level& level = *memory.level;
  const std::vector<double> scale = scales_of(memory.mixing, level);
  const kernels::Loops<Scalar>& loop = kernels::loops<Scalar>();
  const auto add = [&](int64_t i, int64_t j) {
    loop.add_scaled(static_cast<Scalar>(scale[i] * scale[j]), x + j * width, out + i * width, width);
  };
  for (int64_t i = 0; i < level.nodes(); ++i) {
    if (memory.mixing == Mixing::normalised_with_loops) add(i, i);
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) add(i, level.columns[e]);
  }
}

at::Tensor product(const MixMemory& memory, const at::Tensor& any_x) {
  const at::Tensor x = any_x.contiguous();
  const at::Tensor out = at::zeros(x.sizes(), x.options());
  with_scalar(x, [&](auto zero) {
    using Scalar = decltype(zero);
    mixed_product(memory, x.data_ptr<Scalar>(), x.dim() == 1 ? 1 : x.size(1), out.data_ptr<Scalar>());
  });
  return out;
}

class Mix : public torch::autograd::Function<Mix> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<MixMemory>& memory) {
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    return product(*memory, x);
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    // The matrices are symmetric.
    return {product(static_cast<const MixMemory&>(*holder), d_outputs[0]), at::Tensor()};
  }
};

}  // namespace

at::Tensor mix(Mixing mixing, std::shared_ptr<const kernels::Level> level, const at::Tensor& x) {
  DOTIN_ASSERT(!level->weighted);
  const auto memory = c10::make_intrusive<MixMemory>();
  memory->mixing = mixing;
  memory->level = std::move(level);
  return Mix::apply(x, memory);
}

}  // namespace dotin::ops
