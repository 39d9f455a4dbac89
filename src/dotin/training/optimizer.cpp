#include "dotin/training/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dotin::training {

namespace {

constexpr int64_t kNumbersPerThread = 1 << 16;

template <class Scalar>
void step_on_threads(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& first,
                     const at::Tensor& second, const kernels::AdamStep& options) {
  at::parallel_for(0, parameter.numel(), kNumbersPerThread, [&](int64_t begin, int64_t end) {
    kernels::adam(parameter.data_ptr<Scalar>() + begin, gradient.data_ptr<Scalar>() + begin,
                  first.data_ptr<Scalar>() + begin, second.data_ptr<Scalar>() + begin, end - begin, options);
  });
}

/// In pieces that do not depend on the number of threads.
template <class Scalar>
double square_sum_on_threads(const at::Tensor& tensor) {
  const Scalar* const values = tensor.data_ptr<Scalar>();
  const int64_t size = tensor.numel(), pieces = (size + kNumbersPerThread - 1) / kNumbersPerThread;
  std::vector<double> sums(static_cast<std::size_t>(pieces));
  at::parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * kNumbersPerThread;
      sums[static_cast<std::size_t>(p)] =
          kernels::square_sum(values + first, std::min(kNumbersPerThread, size - first));
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

Adam::Adam(layers::ParameterSet& parameters) : parameters_(parameters) {
  parameters_.zero_gradients();
  for (const auto& entry : parameters_.all()) {
    first_.push_back(at::zeros_like(entry.second.detach()));
    second_.push_back(at::zeros_like(entry.second.detach()));
  }
}

void Adam::step(const kernels::AdamStep& options) {
  for (std::size_t i = 0; i < parameters_.all().size(); ++i) {
    const at::Tensor parameter = parameters_.all()[i].second.detach();
    const at::Tensor gradient = parameters_.all()[i].second.grad();
    if (parameter.scalar_type() == at::kDouble) {
      step_on_threads<double>(parameter, gradient, first_[i], second_[i], options);
    } else {
      step_on_threads<float>(parameter, gradient, first_[i], second_[i], options);
    }
  }
}

double gradient_norm(const layers::ParameterSet& parameters) {
  double sum = 0;
  for (const auto& entry : parameters.all()) {
    const at::Tensor gradient = entry.second.grad();
    if (!gradient.defined()) continue;
    sum += gradient.scalar_type() == at::kDouble ? square_sum_on_threads<double>(gradient)
                                                 : square_sum_on_threads<float>(gradient);
  }
  return std::sqrt(sum);
}

double gradient_scale(double norm, double clip, double clip_bursts, GradientMemory& memory) {
  constexpr int64_t kStepsToKnow = 10;  // before that there is nothing to compare with
  constexpr double kShareOfOne = 0.02;  // of the mean, once there are fifty
  double longest = std::numeric_limits<double>::infinity();
  if (clip > 0) longest = clip;
  if (clip_bursts > 0 && memory.steps >= kStepsToKnow && memory.mean_norm > 0)
    longest = std::min(longest, clip_bursts * memory.mean_norm);
  const double used = std::min(norm, longest);
  if (!std::isfinite(used)) return 1;  // whoever looks at the weights will see it
  ++memory.steps;
  memory.mean_norm += (used - memory.mean_norm) * std::max(kShareOfOne, 1 / static_cast<double>(memory.steps));
  return used < norm ? used / norm : 1;
}

kernels::AdamStep next_step(const TrainOptions& options, int64_t number, const layers::ParameterSet& parameters,
                            GradientMemory& memory) {
  kernels::AdamStep step;
  step.lr = options.lr;
  step.weight_decay = options.weight_decay;
  step.decoupled = options.weight_decay_kind == "decoupled";
  step.step = number;
  if (options.clip > 0 || options.clip_bursts > 0)
    step.gradient_scale = gradient_scale(gradient_norm(parameters), options.clip, options.clip_bursts, memory);
  return step;
}

std::vector<at::Tensor> copy_values(const layers::ParameterSet& parameters) {
  std::vector<at::Tensor> values;
  for (const auto& entry : parameters.all()) values.push_back(entry.second.detach().clone());
  return values;
}

void assign_values(layers::ParameterSet& parameters, const std::vector<at::Tensor>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) parameters.all()[i].second.detach().copy_(values[i]);
}

int64_t steps_to_average(int64_t batch, int64_t batches) {
  constexpr int64_t at_once = 8;
  const int64_t rest = batch % at_once;
  if (rest == 0) return at_once;
  return batch == batches ? rest : 0;
}

void update_average(std::vector<at::Tensor>& average, const layers::ParameterSet& parameters, double decay,
                    int64_t step, int64_t steps) {
  const double t = static_cast<double>(step);
  const double effective = std::pow(std::min(decay, (1 + t) / (10 + t)), static_cast<double>(steps));
  for (std::size_t i = 0; i < average.size(); ++i) average[i].lerp_(parameters.all()[i].second.detach(), 1 - effective);
}

}  // namespace dotin::training
