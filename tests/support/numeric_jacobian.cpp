#include "support/numeric_jacobian.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "dotin/core/random.h"

namespace dotin::testing {

at::Tensor random_tensor(std::initializer_list<int64_t> shape, uint64_t seed) {
  at::Tensor tensor = at::empty(at::IntArrayRef(shape), at::kDouble);
  core::Rng rng(seed);
  double* const values = tensor.data_ptr<double>();
  for (int64_t i = 0; i < tensor.numel(); ++i) values[i] = rng.normal();
  return tensor;
}

::testing::AssertionResult gradients_match(const std::function<at::Tensor()>& function,
                                           const std::vector<at::Tensor>& inputs, const GradientTolerance& tolerance) {
  for (const at::Tensor& input : inputs) {
    if (input.scalar_type() != at::kDouble || !input.is_contiguous() || !input.is_leaf()) {
      return ::testing::AssertionFailure() << "inputs must be contiguous leaf tensors of doubles";
    }
    input.requires_grad_(true);
    input.mutable_grad() = at::Tensor();
  }
  const at::Tensor output = function();
  const at::Tensor projection = random_tensor({output.numel()}, 0x9e3779b9).reshape(output.sizes());
  const auto scalar = [&](const at::Tensor& out) { return (out * projection).sum(); };
  scalar(output).backward();

  const at::NoGradGuard no_gradients;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    const at::Tensor& input = inputs[t];
    const at::Tensor gradient = input.grad().defined() ? input.grad().contiguous() : at::zeros_like(input);
    double* const values = input.data_ptr<double>();
    for (int64_t i = 0; i < input.numel(); ++i) {
      const double saved = values[i];
      values[i] = saved + tolerance.step;
      const double above = scalar(function()).item<double>();
      values[i] = saved - tolerance.step;
      const double below = scalar(function()).item<double>();
      values[i] = saved;
      const double numeric = (above - below) / (2 * tolerance.step);
      const double exact = gradient.data_ptr<double>()[i];
      const double allowed = tolerance.absolute + tolerance.relative * std::max(std::abs(numeric), std::abs(exact));
      if (!(std::abs(numeric - exact) <= allowed)) {
        return ::testing::AssertionFailure() << "input " << t << ", number " << i << ": autograd gives " << exact
                                             << ", central differences give " << numeric;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace dotin::testing
