// Gradients against central differences, in double: makes a gradient test three lines.
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <vector>

namespace dotin::testing {

/// Two derivatives agree if they differ by at most absolute + relative * the larger magnitude. Central differences with
/// a step of 1e-5 on numbers near 1 are off by about 1e-10 (the third derivative) plus 1e-11 (rounding).
struct GradientTolerance {
  double step = 1e-5;
  double relative = 1e-6;
  double absolute = 1e-8;
};

/// Whether autograd and central differences agree on the derivative of a fixed random projection of the function's
/// output, for every number of every input. The function reads the inputs, which are leaf tensors of doubles.
::testing::AssertionResult gradients_match(const std::function<at::Tensor()>& function,
                                           const std::vector<at::Tensor>& inputs,
                                           const GradientTolerance& tolerance = {});

/// Standard normal doubles, the same for the same seed.
at::Tensor random_tensor(std::initializer_list<int64_t> shape, uint64_t seed);

}  // namespace dotin::testing
