#include "dotin/training/benchmark.h"

#include <ATen/core/grad_mode.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>

#include "dotin/batch/drop_edges.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/core/random.h"
#include "dotin/kernels/gemm.h"
#include "dotin/training/evaluate.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/trainer.h"

namespace dotin::training {

namespace {

constexpr int64_t kUntimedSteps = 3;
/// Threads that have slept find cores of their own again only after tens of milliseconds.
constexpr double kSecondsToSettle = 0.2;

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Sums over the steps of one repetition.
struct Sums {
  double batch = 0, forward = 0, backward = 0, optimizer = 0, gemm = 0, flops = 0;
  int64_t graphs = 0, edges = 0;
  std::vector<double> layers;

  void add_layers(const std::vector<double>& seconds) {
    layers.resize(seconds.size(), 0);
    for (std::size_t l = 0; l < seconds.size(); ++l) layers[l] += seconds[l];
  }
};

/// As in a run, but predicting takes batches of the given size too, so that its figures stand beside those of training.
batch::LoaderOptions batches_of(const Learner& learner, bool training) {
  batch::LoaderOptions options = loader_options(learner, training);
  options.batch_graphs = learner.options.train.batch;
  return options;
}

class Stepper {
 public:
  Stepper(const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset,
          const BenchmarkSettings& settings)
      : training_(settings.training),
        savings_(settings.savings),
        view_(dataset),
        learner_(make_learner(options, view_)),
        bound_(bind(learner_, *dataset, data::UnknownLabels::error)),
        adam_(learner_.model->parameters()),
        loader_(view_, bound_.encoder, batches_of(learner_, settings.training)) {
    if (learner_.options.train.average > 0) average_ = copy_values(learner_.model->parameters());
    loader_.start_epoch(epoch_);
  }

  int64_t parameters() const { return learner_.model->parameters().count(); }
  int64_t weight_bytes() const {
    const int64_t copies = average_.empty() ? 4 : 5;
    return copies * parameters() * (learner_.options.model.precision == Precision::float64 ? 8 : 4);
  }

  void step(Sums& sums) {
    kernels::gemm_meter() = {};
    const Clock::time_point start = Clock::now();
    batch::Batch batch = next();
    const double drop_edge = learner_.options.train.drop_edge;
    if (training_ && drop_edge > 0) batch = batch::drop_edges(batch, drop_edge, static_cast<uint64_t>(steps_));
    const Clock::time_point batched = Clock::now();
    sums.batch += seconds_between(start, batched);
    if (training_) {
      train(batch, batched, sums);
    } else {
      const at::NoGradGuard no_gradients;
      models::ForwardOptions options;
      options.savings = savings_;
      sums.add_layers(learner_.model->forward(batch, options).layer_seconds);
      sums.forward += seconds_between(batched, Clock::now());
    }
    sums.gemm += kernels::gemm_meter().seconds;
    sums.flops += kernels::gemm_meter().flops;
    sums.graphs += batch.anchors;
    sums.edges += static_cast<int64_t>(batch.neighbours.size());
  }

 private:
  batch::Batch next() {
    for (;;) {
      if (std::optional<batch::Batch> batch = loader_.next()) return std::move(*batch);
      loader_.start_epoch(++epoch_);
    }
  }

  void train(const batch::Batch& batch, Clock::time_point start, Sums& sums) {
    models::ForwardOptions options;
    options.training = true;
    options.savings = savings_;
    options.random_key = core::mix(static_cast<uint64_t>(learner_.options.train.seed), static_cast<uint64_t>(steps_));
    const models::Forward forward = learner_.model->forward(batch, options);
    sums.add_layers(forward.layer_seconds);
    const at::Tensor loss = objective(learner_, forward, batch, bound_);
    const Clock::time_point forwarded = Clock::now();
    loss.backward();
    const Clock::time_point backwarded = Clock::now();
    adam_.step(next_step(learner_.options.train, ++steps_, learner_.model->parameters(), gradients_));
    if (const int64_t steps = steps_to_average(steps_, 0); steps > 0 && !average_.empty()) {
      update_average(average_, learner_.model->parameters(), learner_.options.train.average, steps_, steps);
    }
    sums.forward += seconds_between(start, forwarded);
    sums.backward += seconds_between(forwarded, backwarded);
    sums.optimizer += seconds_between(backwarded, Clock::now());
  }

  bool training_;
  kernels::Savings savings_;
  data::View view_;
  Learner learner_;
  BoundData bound_;
  Adam adam_;
  GradientMemory gradients_;
  std::vector<at::Tensor> average_;
  batch::Loader loader_;
  int64_t epoch_ = 0, steps_ = 0;
};

}  // namespace

BenchmarkResult benchmark(const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset,
                          const BenchmarkSettings& settings, core::Progress& progress) {
  DOTIN_CHECK(settings.steps > 0 && settings.repetitions > 0, "a benchmark needs at least one step and repetition");
  BenchmarkResult result;
  malloc_trim(0);  // what earlier work freed must not hide what this one takes
  core::reset_peak_resident();
  const int64_t before = core::resident_bytes();
  Stepper stepper(options, dataset, settings);
  Sums untimed;
  for (int64_t i = 0; i < kUntimedSteps; ++i) stepper.step(untimed);

  std::vector<double> step, batch, forward, backward, optimizer, gemm, flops, graphs, edges;
  std::vector<std::vector<double>> layers;  // per layer its repetitions
  const auto steps = static_cast<double>(settings.steps);
  for (int64_t r = 0; r < settings.repetitions; ++r) {
    Sums sums;
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < settings.steps; ++i) stepper.step(sums);
    const double seconds = seconds_between(start, Clock::now());
    step.push_back(seconds / steps);
    batch.push_back(sums.batch / steps);
    forward.push_back(sums.forward / steps);
    backward.push_back(sums.backward / steps);
    optimizer.push_back(sums.optimizer / steps);
    gemm.push_back(sums.gemm / steps);
    layers.resize(sums.layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) layers[l].push_back(sums.layers[l] / steps);
    flops.push_back(sums.flops / seconds);
    graphs.push_back(static_cast<double>(sums.graphs) / seconds);
    edges.push_back(static_cast<double>(sums.edges) / seconds);
    progress.update(r + 1, settings.repetitions, "repetitions");
  }
  result.step = median(step);
  result.fastest_step = *std::min_element(step.begin(), step.end());
  result.slowest_step = *std::max_element(step.begin(), step.end());
  result.batch = median(batch);
  result.forward = median(forward);
  for (const std::vector<double>& layer : layers) result.forward_layers.push_back(median(layer));
  result.backward = median(backward);
  result.optimizer = median(optimizer);
  result.gemm = median(gemm);
  result.steps_per_second = 1 / result.step;
  result.graphs_per_second = median(graphs);
  result.edges_per_second = median(edges);
  result.gemm_flops = median(flops);
  result.peak_bytes = std::max<int64_t>(0, core::peak_resident_bytes() - before);
  result.parameters = stepper.parameters();
  result.weight_bytes = settings.training ? stepper.weight_bytes() : 0;
  return result;
}

ThreadGain thread_gain(const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset,
                       const BenchmarkSettings& settings, int threads, core::Progress& progress) {
  DOTIN_CHECK(settings.steps > 0 && settings.repetitions > 0, "a benchmark needs at least one step and repetition");
  // Two of them, so that both see the same batches.
  Stepper on_one(options, dataset, settings), on_all(options, dataset, settings);
  const auto seconds_of = [&settings](Stepper& stepper, int count) {
    set_threads(count);
    Sums sums;
    const Clock::time_point before = Clock::now();
    for (int64_t i = 0; i < kUntimedSteps || seconds_between(before, Clock::now()) < kSecondsToSettle; ++i)
      stepper.step(sums);
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < settings.steps; ++i) stepper.step(sums);
    return seconds_between(start, Clock::now());
  };
  std::vector<double> gains;
  for (int64_t r = 0; r < settings.repetitions; ++r) {
    const double one = seconds_of(on_one, 1);
    gains.push_back(one / seconds_of(on_all, threads));
    progress.update(r + 1, settings.repetitions, "repetitions");
  }
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  return {median(gains), *least, *most};
}

double measured_gemm_flops() {
  constexpr int64_t size = 512;
  constexpr double warm_seconds = 0.05, timed_seconds = 0.1;  // a thread may have to find its core first
  const std::vector<float> a(size * size, 0.5f), b(size * size, 0.25f);
  std::vector<float> c(size * size);
  std::vector<double> rates;
  const Clock::time_point start = Clock::now();
  for (;;) {
    const double begun = seconds_between(start, Clock::now());
    if (!rates.empty() && begun > warm_seconds + timed_seconds) return median(rates);
    kernels::gemm_meter() = {};
    kernels::gemm(kernels::Op::plain, kernels::Op::plain, size, size, size, 1.0f, a.data(), b.data(), 0.0f, c.data());
    if (begun > warm_seconds) rates.push_back(kernels::gemm_meter().flops / kernels::gemm_meter().seconds);
  }
}

}  // namespace dotin::training
