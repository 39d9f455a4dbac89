#include "dotin/training/optimizer.h"

#include <ATen/ATen.h>
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

TEST(GradientNorm, IsThatOfAllGradientsTogether) {
  for (const auto type : {at::kFloat, at::kDouble}) {
    for (const int64_t size : {1, 7, 4096, 4097, 100'003}) {
      layers::ParameterSet parameters(0, type);
      parameters.add_normal("a", {size}, 1);
      parameters.add_normal("b", {3, 5}, 2);
      EXPECT_EQ(gradient_norm(parameters), 0) << "none yet";
      parameters.zero_gradients();
      double squares = 0;
      for (const auto& entry : parameters.all()) {
        entry.second.grad().copy_(entry.second.detach());
        squares += entry.second.detach().to(at::kDouble).square().sum().item<double>();
      }
      EXPECT_NEAR(gradient_norm(parameters) / std::sqrt(squares), 1, type == at::kFloat ? 1e-6 : 1e-14) << size;
    }
  }
}

TEST(ClipSpike, BoundsAGradientByThoseBeforeIt) {
  NormHistory history;
  for (int i = 0; i < 200; ++i) EXPECT_EQ(clip_spike(history, i % 2 == 0 ? 1 : 0.5, 3), 1) << "nothing out of the way";
  const double lately = std::sqrt(history.squares / history.weight);
  EXPECT_GT(lately, 0.7);
  EXPECT_LT(lately, 0.9);
  EXPECT_NEAR(clip_spike(history, 500, 3), 3 * lately / 500, 1e-12);
  EXPECT_LT(std::sqrt(history.squares / history.weight), 1.1 * lately) << "what was clipped counts as clipped";
  EXPECT_EQ(clip_spike(history, 0.5, 3), 1) << "the next one is itself again";
}

TEST(ClipSpike, TakesTheFirstOnesAsTheyAre) {
  NormHistory history;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(clip_spike(history, i % 10 == 9 ? 1000 : 1e-3, 3), 1) << i;
}

TEST(ClipSpike, GradientsThatStayLargeAreSoonTakenAsTheyAre) {
  NormHistory history;
  for (int i = 0; i < 1000; ++i) clip_spike(history, 0.01, 3);
  int clipped = 0;
  while (clip_spike(history, 1, 3) < 1) ++clipped;
  EXPECT_GT(clipped, 10);
  EXPECT_LT(clipped, 1000);
}

TEST(GradientScale, ClipsToTheNormFirst) {
  layers::ParameterSet parameters(0, at::kDouble);
  parameters.add_constant("w", {4}, 0);
  parameters.zero_gradients();
  parameters.all()[0].second.grad().fill_(1);  // norm 2
  NormHistory history;
  EXPECT_EQ(gradient_scale(parameters, 0, 0, history), 1);
  EXPECT_EQ(history.weight, 0) << "nothing to remember";
  EXPECT_NEAR(gradient_scale(parameters, 0.5, 0, history), 0.25, 1e-9);
  EXPECT_EQ(gradient_scale(parameters, 5, 3, history), 1);
  EXPECT_NEAR(gradient_scale(parameters, 0.5, 3, history), 0.25, 1e-9);
  EXPECT_NEAR(history.squares, 4 * 0.999 * 0.001 + 0.25 * 0.001, 1e-9) << "of what is left";
}

}  // namespace
}  // namespace dotin::training
