#include "dotin/training/optimizer.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dotin::training {
namespace {

TEST(Average, TakesInEveryStepOnce) {
  for (const int64_t batches : {1, 7, 8, 9, 16, 21}) {
    int64_t taken = 0;
    for (int64_t batch = 1; batch <= batches; ++batch) taken += steps_to_average(batch, batches);
    EXPECT_EQ(taken, batches);
  }
}

TEST(Average, StepsAtOnceWeighAsMuchAsOneByOne) {
  layers::ParameterSet parameters(0, at::kDouble);
  parameters.add_constant("w", {3}, 2);
  std::vector<at::Tensor> average = {at::zeros({3}, at::kDouble)};
  update_average(average, parameters, 0.9, 1'000'000, 8);
  EXPECT_NEAR(average[0][1].item<double>(), 2 * (1 - std::pow(0.9, 8)), 1e-12);
}

TEST(Average, ForgetsTheFirstGuess) {
  layers::ParameterSet parameters(0, at::kDouble);
  parameters.add_constant("w", {1}, 2);
  std::vector<at::Tensor> average = {at::full({1}, 100, at::kDouble)};
  for (int64_t step = 8; step <= 80; step += 8) update_average(average, parameters, 0.999, step, 8);
  EXPECT_NEAR(average[0].item<double>(), 2, 1e-3);
}

TEST(GradientNorm, IsThatOfAllTogetherWhateverTheThreads) {
  layers::ParameterSet parameters(0, at::kFloat);
  parameters.add_constant("large", {300, 1000}, 0);
  parameters.add_constant("small", {3}, 0);
  for (const auto& entry : parameters.all()) {
    entry.second.mutable_grad() = at::randn(entry.second.sizes());
  }
  double sum = 0;
  for (const auto& entry : parameters.all()) sum += entry.second.grad().to(at::kDouble).square().sum().item<double>();
  at::set_num_threads(1);
  const double norm = gradient_norm(parameters);
  EXPECT_NEAR(norm, std::sqrt(sum), 1e-5 * norm);
  at::set_num_threads(2);
  EXPECT_EQ(gradient_norm(parameters), norm);
  at::set_num_threads(1);
}

TEST(GradientScale, LeavesAloneWhatIsLikeThoseBefore) {
  GradientMemory memory;
  for (const double norm : {1.0, 5.0, 0.1, 2.0, 1.0, 0.0, 3.0, 1.0, 1.0, 1.0, 1.0, 4.0, 7.0})
    EXPECT_EQ(gradient_scale(norm, 0, 5, memory), 1) << norm;
}

TEST(GradientScale, ClipsABurstAndFollowsALastingChange) {
  GradientMemory memory;
  for (int i = 0; i < 500; ++i) EXPECT_EQ(gradient_scale(0.01, 0, 5, memory), 1);
  EXPECT_NEAR(gradient_scale(2, 0, 5, memory), 5 * 0.01 / 2, 1e-9);
  // The next may be longer by 0.98 + 0.02 * 5, and so on.
  EXPECT_NEAR(gradient_scale(2, 0, 5, memory), 5 * 0.01 * 1.08 / 2, 1e-9);
  int clipped = 2;
  while (gradient_scale(2, 0, 5, memory) < 1) ++clipped;
  EXPECT_EQ(clipped, 48);  // 0.05 * 1.08^48 > 2
  EXPECT_EQ(gradient_scale(2, 0, 0, memory), 1);
}

TEST(GradientScale, SilenceIsNoMeasure) {
  GradientMemory memory;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(gradient_scale(0, 0, 10, memory), 1);
  EXPECT_EQ(gradient_scale(2, 0, 10, memory), 1);
}

TEST(GradientScale, TheFirstStepsAreNoMeasure) {
  GradientMemory memory;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(gradient_scale(1, 0, 10, memory), 1);
  EXPECT_EQ(gradient_scale(1000, 0, 10, memory), 1);
}

TEST(GradientScale, TheShorterLimitCounts) {
  GradientMemory memory;
  EXPECT_EQ(gradient_scale(8, 2, 10, memory), 0.25);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(gradient_scale(1, 2, 10, memory), 1);
  EXPECT_EQ(gradient_scale(100, 2, 10, memory), 0.02);
  EXPECT_LT(gradient_scale(100, 50, 10, memory), 0.2);
}

TEST(GradientScale, WhatIsNotFiniteIsNotRemembered) {
  GradientMemory memory;
  for (int i = 0; i < 20; ++i) gradient_scale(1, 0, 10, memory);
  const double before = memory.mean_norm;
  EXPECT_EQ(gradient_scale(std::nan(""), 0, 10, memory), 1);
  EXPECT_EQ(memory.mean_norm, before);
}

}  // namespace
}  // namespace dotin::training
