// Adam over all parameters, and a running average of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dotin/kernels/adam.h"
#include "dotin/layers/parameters.h"
#include "dotin/network/run_options.h"

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
  template <class Scalar>
  void step_all(const kernels::AdamStep& options);

  layers::ParameterSet& parameters_;
  std::vector<at::Tensor> first_, second_;
};

/// Euclidean norm of all gradients together. The same for every number of threads.
double gradient_norm(const layers::ParameterSet& parameters);

/// What a run remembers of the gradients behind it.
struct GradientMemory {
  double mean_norm = 0;  // as they were used; older ones fade
  int64_t steps = 0;
};

/// What to multiply this step's gradient of the given norm with, so that it is no longer than `clip` and no longer than
/// `clip_bursts` times the mean of those before; 0 means no such limit. After long peace a single batch can
/// have a gradient hundreds of times those before: Adam, which divides by its memory of small ones, would then move all
/// weights by many times the learning rate.
double gradient_scale(double norm, double clip, double clip_bursts, GradientMemory& memory);

/// The next step as the options have it, its gradient clipped; the learning rate is the one before any schedule.
kernels::AdamStep next_step(const network::TrainOptions& options, int64_t number,
                            const layers::ParameterSet& parameters, GradientMemory& memory);

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
