#include "dotin/training/optimizer.h"

#include <algorithm>
#include <cmath>

namespace dotin::training {

Adam::Adam(layers::ParameterSet& parameters) : parameters_(parameters) {
  for (const auto& entry : parameters_.all()) {
    first_.push_back(at::zeros_like(entry.second.detach()));
    second_.push_back(at::zeros_like(entry.second.detach()));
  }
}

void Adam::step(const kernels::AdamStep& options) {
  for (std::size_t i = 0; i < parameters_.all().size(); ++i) {
    const at::Tensor parameter = parameters_.all()[i].second.detach();
    const at::Tensor defined = parameters_.all()[i].second.grad();
    const at::Tensor gradient = defined.defined() ? defined.contiguous() : at::zeros_like(parameter);
    if (parameter.scalar_type() == at::kDouble) {
      kernels::adam(parameter.data_ptr<double>(), gradient.data_ptr<double>(), first_[i].data_ptr<double>(),
                    second_[i].data_ptr<double>(), parameter.numel(), options);
    } else {
      kernels::adam(parameter.data_ptr<float>(), gradient.data_ptr<float>(), first_[i].data_ptr<float>(),
                    second_[i].data_ptr<float>(), parameter.numel(), options);
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

void update_average(std::vector<at::Tensor>& average, const layers::ParameterSet& parameters, double decay,
                    int64_t step) {
  const double t = static_cast<double>(step);
  const double effective = std::min(decay, (1 + t) / (10 + t));
  for (std::size_t i = 0; i < average.size(); ++i) average[i].lerp_(parameters.all()[i].second.detach(), 1 - effective);
}

}  // namespace dotin::training
