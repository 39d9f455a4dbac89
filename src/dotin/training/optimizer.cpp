#include "dotin/training/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/kernels/loops.h"

namespace dotin::training {

namespace {

constexpr int64_t kNumbersPerThread = 1 << 16;
constexpr int64_t kBlock = 1 << 12;  // numbers whose squares are added up before rounding to double

template <class Scalar>
void step_on_threads(const at::Tensor& parameter, const at::Tensor& gradient, const at::Tensor& first,
                     const at::Tensor& second, const kernels::AdamStep& options) {
  at::parallel_for(0, parameter.numel(), kNumbersPerThread, [&](int64_t begin, int64_t end) {
    kernels::adam(parameter.data_ptr<Scalar>() + begin, gradient.data_ptr<Scalar>() + begin,
                  first.data_ptr<Scalar>() + begin, second.data_ptr<Scalar>() + begin, end - begin, options);
  });
}

/// Block by block, so that the order of additions is the same however many threads there are.
template <class Scalar>
double sum_of_squares(const at::Tensor& values) {
  const Scalar* const first = values.data_ptr<Scalar>();
  const int64_t size = values.numel(), blocks = (size + kBlock - 1) / kBlock;
  std::vector<double> sums(static_cast<std::size_t>(blocks));
  at::parallel_for(0, blocks, kNumbersPerThread / kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const Scalar* const block = first + b * kBlock;
      sums[static_cast<std::size_t>(b)] =
          kernels::loops<Scalar>().dot(block, block, std::min(kBlock, size - b * kBlock));
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
  const at::Tensor& gradients = parameters.gradients();
  if (!gradients.defined()) return 0;
  return std::sqrt(gradients.scalar_type() == at::kDouble ? sum_of_squares<double>(gradients)
                                                          : sum_of_squares<float>(gradients));
}

double clip_spike(NormHistory& history, double norm, double times) {
  constexpr double enough = 0.1;  // what the weight is after a hundred norms
  const double decay = kernels::AdamStep().beta2;
  double scale = 1;
  if (history.weight > enough) {
    const double limit = times * std::sqrt(history.squares / history.weight);
    if (norm > limit) scale = limit / norm;
  }
  const double kept = norm * scale;
  history.squares = decay * history.squares + (1 - decay) * kept * kept;
  history.weight = decay * history.weight + (1 - decay);
  return scale;
}

double gradient_scale(const layers::ParameterSet& parameters, double clip, double clip_spikes, NormHistory& history) {
  if (clip <= 0 && clip_spikes <= 0) return 1;
  const double norm = gradient_norm(parameters);
  const double scale = clip > 0 ? std::min(1.0, clip / (norm + 1e-12)) : 1.0;
  return clip_spikes > 0 ? scale * clip_spike(history, norm * scale, clip_spikes) : scale;
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
