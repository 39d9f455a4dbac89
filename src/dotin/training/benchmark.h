// How fast a model trains and predicts on some data, and where the time goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/core/progress.h"
#include "dotin/data/dataset.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/network/run_options.h"

namespace dotin::training {

struct BenchmarkSettings {
  bool training = true;  // or prediction only
  int64_t steps = 50;    // batches per repetition
  int64_t repetitions = 5;
  kernels::Savings savings = {};
};

/// Seconds per step are medians over the repetitions. The phases add up to about the step: batch is the time spent
/// waiting for the loader, which prepares the next batch meanwhile.
struct BenchmarkResult {
  double step = 0, fastest_step = 0, slowest_step = 0;
  double batch = 0, forward = 0, backward = 0, optimizer = 0;
  std::vector<double> forward_layers;  // of forward, without heads and read-out
  double gemm = 0;                     // of forward and backward, on the fused engine: inside matrix products
  double steps_per_second = 0, graphs_per_second = 0,
         edges_per_second = 0;  // edges: directed, of the graphs as they came
  double gemm_flops = 0;        // per second of step
  int64_t peak_bytes = 0;       // above what the process held before the model was made
  int64_t weight_bytes = 0;     // of training: weights, their gradients, moments and averages
  int64_t parameters = 0;
};

/// Three steps are run before any is timed. The weights are trained on, as they would be.
BenchmarkResult benchmark(const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset,
                          const BenchmarkSettings& settings, core::Progress& progress);

/// How many times as fast as one thread: the median over the repetitions, the least and the most.
struct ThreadGain {
  double median = 0, least = 0, most = 0;
};

/// The same batches on one thread and on `threads`, in turn. Leaves `threads` set.
ThreadGain thread_gain(const network::RunOptions& options, const std::shared_ptr<const data::Dataset>& dataset,
                       const BenchmarkSettings& settings, int threads, core::Progress& progress);

/// Floating-point operations per second that this machine reaches in a matrix product of 512 x 512 x 512 floats, with
/// the threads that are set: the roof over everything that is made of them.
double measured_gemm_flops();

}  // namespace dotin::training
