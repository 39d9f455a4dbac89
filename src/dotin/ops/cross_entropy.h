// The loss of classification as one differentiable function: a step of a small model is no longer than the dozen small
// tensors that it takes libtorch. Float or double; on another device, its rows come to the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dotin::ops {

/// Mean cross entropy of the first labels.size() rows of logits [n, classes] that have a label (>= 0); 0 where none
/// has. class_weights: one for each class, or empty. smoothing: the share of each target that all classes get in equal
/// parts. As at::cross_entropy_loss.
at::Tensor cross_entropy(const at::Tensor& logits, const std::vector<int64_t>& labels,
                         const std::vector<double>& class_weights, double smoothing);

}  // namespace dotin::ops
