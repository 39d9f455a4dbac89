#include "dotin/ops/cross_entropy.h"

#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Adds one row's loss, - sum_c target_c log softmax(logits)_c, and writes its gradient.
template <class Scalar>
double row_loss(const Scalar* logits, const std::vector<double>& target, Scalar* d_logits) {
  const auto classes = static_cast<int64_t>(target.size());
  const double largest = *std::max_element(logits, logits + classes);
  double sum = 0, target_sum = 0;
  for (int64_t c = 0; c < classes; ++c) sum += std::exp(logits[c] - largest);
  for (const double share : target) target_sum += share;
  const double log_sum = largest + std::log(sum);
  double loss = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const double log_probability = logits[c] - log_sum;
    if (target[c] != 0) loss -= target[c] * log_probability;
    d_logits[c] = static_cast<Scalar>(target_sum * std::exp(log_probability) - target[c]);
  }
  return loss;
}

class CrossEntropy : public torch::autograd::Function<CrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_logits, const std::vector<int64_t>& labels,
                            const std::vector<double>& class_weights, double smoothing) {
    const at::Tensor logits = any_logits.contiguous();
    const int64_t classes = logits.size(1);
    const at::Tensor d_logits = at::zeros(logits.sizes(), logits.options());
    const at::Tensor loss = at::zeros({}, logits.options());
    const auto weight = [&](int64_t c) { return class_weights.empty() ? 1.0 : class_weights[c]; };
    double weights = 0;
    for (const int64_t label : labels) weights += label < 0 ? 0 : weight(label);
    if (weights > 0) {
      with_scalar(logits, [&](auto zero) {
        using Scalar = decltype(zero);
        std::vector<double> target(static_cast<std::size_t>(classes));
        double sum = 0;
        for (std::size_t r = 0; r < labels.size(); ++r) {
          if (labels[r] < 0) continue;
          for (int64_t c = 0; c < classes; ++c)
            target[c] =
                weight(c) * (smoothing / static_cast<double>(classes) + (c == labels[r] ? 1 - smoothing : 0)) / weights;
          const int64_t first = static_cast<int64_t>(r) * classes;
          sum += row_loss(logits.data_ptr<Scalar>() + first, target, d_logits.data_ptr<Scalar>() + first);
        }
        *loss.data_ptr<Scalar>() = static_cast<Scalar>(sum);
      });
    }
    context->save_for_backward({d_logits});
    return loss;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    const at::Tensor none;
    return {context->get_saved_variables()[0] * d_outputs[0], none, none, none};
  }
};

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const std::vector<int64_t>& labels,
                         const std::vector<double>& class_weights, double smoothing) {
  DOTIN_ASSERT(static_cast<int64_t>(labels.size()) <= logits.size(0));
  return CrossEntropy::apply(logits.cpu(), labels, class_weights, smoothing);
}

}  // namespace dotin::ops
