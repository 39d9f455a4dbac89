#include "dotin/training/optimizer.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dotin::training {

namespace {

/// Numbers of one tensor that one thread passes over.
struct Piece {
  std::size_t tensor;
  int64_t first, size;
};

constexpr int64_t kPieceSize = 1 << 15;
constexpr int64_t kLeastShared = 1 << 17;  // numbers below which threads are not worth their waking

/// Calls work(p, piece) for every piece p of all tensors, on threads where there are many. Pieces do not depend on the
/// number of threads.
template <class Work>
void for_each_piece(const std::vector<Piece>& pieces, int64_t numbers, const Work& work) {
  const auto count = static_cast<int64_t>(pieces.size());
  at::parallel_for(0, count, numbers < kLeastShared ? count : 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) work(p, pieces[static_cast<std::size_t>(p)]);
  });
}

std::vector<Piece> pieces_of(const layers::ParameterSet& parameters) {
  std::vector<Piece> pieces;
  for (std::size_t t = 0; t < parameters.all().size(); ++t) {
    const int64_t size = parameters.all()[t].second.numel();
    for (int64_t first = 0; first < size; first += kPieceSize)
      pieces.push_back({t, first, std::min(kPieceSize, size - first)});
  }
  return pieces;
}

template <class Scalar>
double square_sum(const layers::ParameterSet& parameters) {
  const std::vector<Piece> pieces = pieces_of(parameters);
  std::vector<double> sums(pieces.size());
  for_each_piece(pieces, parameters.count(), [&](int64_t p, const Piece& piece) {
    const at::Tensor& gradient = parameters.all()[piece.tensor].second.grad();
    if (gradient.defined())
      sums[static_cast<std::size_t>(p)] = kernels::square_sum(gradient.data_ptr<Scalar>() + piece.first, piece.size);
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

template <class Scalar>
void Adam::step_all(const kernels::AdamStep& options) {
  for_each_piece(pieces_of(parameters_), parameters_.count(), [&](int64_t /*p*/, const Piece& piece) {
    const auto at = [&](const at::Tensor& tensor) { return tensor.data_ptr<Scalar>() + piece.first; };
    const at::Tensor& parameter = parameters_.all()[piece.tensor].second;
    kernels::adam(at(parameter), at(parameter.grad()), at(first_[piece.tensor]), at(second_[piece.tensor]), piece.size,
                  options);
  });
}

void Adam::step(const kernels::AdamStep& options) {
  if (parameters_.type() == at::kDouble) {
    step_all<double>(options);
  } else {
    step_all<float>(options);
  }
}

double gradient_norm(const layers::ParameterSet& parameters) {
  return std::sqrt(parameters.type() == at::kDouble ? square_sum<double>(parameters) : square_sum<float>(parameters));
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

kernels::AdamStep next_step(const network::TrainOptions& options, int64_t number,
                            const layers::ParameterSet& parameters, GradientMemory& memory) {
  kernels::AdamStep step;
  step.lr = options.lr;
  step.weight_decay = options.weight_decay;
  step.decoupled = options.weight_decay_kind == WeightDecayKind::decoupled;
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
