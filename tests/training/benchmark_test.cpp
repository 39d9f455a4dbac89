#include "dotin/training/benchmark.h"

#include <gtest/gtest.h>

#include "dotin/core/error.h"
#include "training/small_run.h"

namespace dotin::training {
namespace {

using dotin::testing::small_dataset;
using dotin::testing::small_options;

BenchmarkResult measured(const network::RunOptions& options, BenchmarkSettings settings) {
  core::NoProgress silent;
  return benchmark(options, small_dataset(10), settings, silent);
}

TEST(Benchmark, PhasesOfATrainingStepAddUpToItOrLess) {
  const BenchmarkResult result = measured(small_options(), {true, 20, 3});
  EXPECT_LE(result.fastest_step, result.step);
  EXPECT_GE(result.slowest_step, result.step);
  for (const double phase : {result.batch, result.forward, result.backward, result.optimizer, result.gemm}) {
    EXPECT_GT(phase, 0);
    EXPECT_LT(phase, result.slowest_step);
  }
  EXPECT_GT(result.gemm_flops, 0);
  EXPECT_DOUBLE_EQ(result.steps_per_second, 1 / result.step);
  // Batches of 4, 4 and 2 graphs.
  EXPECT_GT(result.graphs_per_second, 2 * 1 / result.slowest_step);
  EXPECT_LT(result.graphs_per_second, 4 * 1 / result.fastest_step);
  EXPECT_GT(result.edges_per_second, result.graphs_per_second);
}

TEST(Benchmark, PredictionHasNoBackwardAndNoOptimizer) {
  const BenchmarkResult result = measured(small_options(), {false, 5, 2});
  EXPECT_GT(result.forward, 0);
  EXPECT_EQ(result.backward, 0);
  EXPECT_EQ(result.optimizer, 0);
}

TEST(Benchmark, TheReferenceHasNoMeterForItsProducts) {
  network::RunOptions options = small_options();
  options.model.engine = Engine::reference;
  EXPECT_EQ(measured(options, {true, 2, 1}).gemm, 0);
}

TEST(Benchmark, NoStepsAreRefused) { EXPECT_THROW(measured(small_options(), {true, 0, 1}), core::Error); }

TEST(Benchmark, TheRoofIsAboveNothing) { EXPECT_GT(measured_gemm_flops(), 0); }

}  // namespace
}  // namespace dotin::training
