#include "dotin/training/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

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
    if (entry.second.grad().defined()) sum += entry.second.grad().to(at::kDouble).square().sum().item<double>();
  }
  return std::sqrt(sum);
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
