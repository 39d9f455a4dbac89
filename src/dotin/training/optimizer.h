// Adam over all parameters, and a running average of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dotin/kernels/adam.h"
#include "dotin/layers/parameters.h"

namespace dotin::training {

class Adam {
 public:
  /// Sets all gradients to 0.
  explicit Adam(layers::ParameterSet& parameters);

  /// options.step is the number of this step, from 1. Gradients are 0 again afterwards.
  void step(const kernels::AdamStep& options);

  /// In the order of the parameters.
  std::vector<at::Tensor>& first_moments() { return first_; }
  std::vector<at::Tensor>& second_moments() { return second_; }

 private:
  layers::ParameterSet& parameters_;
  std::vector<at::Tensor> first_, second_;
};

/// Euclidean norm of all gradients together, summed in double.
double gradient_norm(const layers::ParameterSet& parameters);

/// A copy of all values, in the order of the parameters.
std::vector<at::Tensor> copy_values(const layers::ParameterSet& parameters);
void assign_values(layers::ParameterSet& parameters, const std::vector<at::Tensor>& values);

/// How many steps an average takes in after this batch of an epoch, counted from 1: eight at once, because passing over
/// all weights after every step would cost a tenth of it, and what is left after the last batch; otherwise 0.
int64_t steps_to_average(int64_t batch, int64_t batches);

/// average <- d average + (1 - d) parameters with d = decay^steps, the steps since the last time; at the start decay is
/// smaller, so that the first guess is forgotten. step: the number of the last one, from 1.
void update_average(std::vector<at::Tensor>& average, const layers::ParameterSet& parameters, double decay,
                    int64_t step, int64_t steps);

}  // namespace dotin::training
