#include "dotin/ops/mix.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/kernels/loops.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct MixMemory : torch::CustomClassHolder {
  std::shared_ptr<const kernels::Level> level;
};

/// C x, or C^T x for the backward pass.
template <class Scalar>
void normalised_product(const kernels::Level& level, const Scalar* x, int64_t width, Scalar* out) {
  const int32_t nodes = level.nodes();
  std::vector<Scalar> scale(static_cast<std::size_t>(nodes));
  for (int32_t i = 0; i < nodes; ++i)
    scale[i] = static_cast<Scalar>(1 / std::sqrt(1.0 + level.row_offsets[i + 1] - level.row_offsets[i]));
  const kernels::Loops<Scalar>& loop = kernels::loops<Scalar>();
  for (int64_t i = 0; i < nodes; ++i) {
    Scalar* const row = out + i * width;
    loop.add_scaled(scale[i] * scale[i], x + i * width, row, width);
    for (int32_t e = level.row_offsets[i]; e < level.row_offsets[i + 1]; ++e) {
      const int64_t j = level.columns[e];
      loop.add_scaled(scale[i] * scale[j], x + j * width, row, width);
    }
  }
}

at::Tensor product(const kernels::Level& level, const at::Tensor& any_x) {
  const at::Tensor x = any_x.contiguous();
  const at::Tensor out = at::zeros(x.sizes(), x.options());
  with_scalar(x, [&](auto zero) {
    using Scalar = decltype(zero);
    normalised_product(level, x.data_ptr<Scalar>(), x.dim() == 1 ? 1 : x.size(1), out.data_ptr<Scalar>());
  });
  return out;
}

class MixNormalised : public torch::autograd::Function<MixNormalised> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<MixMemory>& memory) {
    context->saved_data["memory"] = c10::IValue::make_capsule(memory);
    return product(*memory->level, x);
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const auto holder = context->saved_data["memory"].toCapsule();
    // The matrix is symmetric.
    return {product(*static_cast<const MixMemory&>(*holder).level, d_outputs[0]), at::Tensor()};
  }
};

}  // namespace

at::Tensor mix_normalised(std::shared_ptr<const kernels::Level> level, const at::Tensor& x) {
  DOTIN_ASSERT(!level->weighted);
  const auto memory = c10::make_intrusive<MixMemory>();
  memory->level = std::move(level);
  return MixNormalised::apply(x, memory);
}

}  // namespace dotin::ops
