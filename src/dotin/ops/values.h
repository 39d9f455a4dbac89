// Values of tensors as plain numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dotin::ops {

inline std::vector<double> to_doubles(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace dotin::ops
