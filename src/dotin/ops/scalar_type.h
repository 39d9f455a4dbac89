// From the type of a tensor's numbers to that of a kernel's.
#pragma once

#include <ATen/core/Tensor.h>

namespace dotin::ops {

/// f(double()) or f(float()), as the tensor's numbers are.
template <class F>
auto with_scalar(const at::Tensor& tensor, const F& f) {
  return tensor.scalar_type() == at::kDouble ? f(double()) : f(float());
}

}  // namespace dotin::ops
