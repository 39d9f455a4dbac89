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

}  // namespace
}  // namespace dotin::training
