#include "dotin/layers/parameters.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace dotin::layers {
namespace {

TEST(ParameterSet, DrawsDependOnSeedAndNameAlone) {
  ParameterSet one(1, at::kDouble), other(1, at::kDouble), another_seed(2, at::kDouble);
  one.add_uniform("a", {2, 3}, 1);
  one.add_normal("b", {4}, 1);
  other.add_normal("b", {4}, 1);
  other.add_uniform("a", {2, 3}, 1);
  another_seed.add_normal("b", {4}, 1);
  EXPECT_TRUE(at::equal(one.get("a"), other.get("a")));
  EXPECT_TRUE(at::equal(one.get("b"), other.get("b")));
  EXPECT_FALSE(at::equal(one.get("b"), another_seed.get("b")));
}

TEST(ParameterSet, DrawsHaveTheAskedSpread) {
  ParameterSet parameters(3, at::kDouble);
  parameters.add_uniform("uniform", {100, 100}, 0.5);
  parameters.add_normal("normal", {100, 100}, 2);
  const at::Tensor& uniform = parameters.get("uniform");
  EXPECT_LE(uniform.abs().max().item<double>(), 0.5);
  EXPECT_NEAR(uniform.mean().item<double>(), 0, 0.02);
  EXPECT_NEAR(uniform.std().item<double>(), 0.5 / std::sqrt(3.0), 0.01);
  EXPECT_NEAR(parameters.get("normal").mean().item<double>(), 0, 0.1);
  EXPECT_NEAR(parameters.get("normal").std().item<double>(), 2, 0.1);
}

TEST(ParameterSet, FloatIsTheRoundedDouble) {
  ParameterSet exact(3, at::kDouble), coarse(3, at::kFloat);
  exact.add_normal("b", {50}, 1);
  coarse.add_normal("b", {50}, 1);
  EXPECT_EQ(coarse.get("b").scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(coarse.get("b"), exact.get("b").to(at::kFloat)));
}

TEST(ParameterSet, CountsNumbersAndForgetsGradients) {
  ParameterSet parameters(0, at::kDouble);
  parameters.add_constant("c", {2, 2}, 3);
  parameters.add_normal("layers.1.d", {5}, 1);
  EXPECT_EQ(parameters.count(), 9);
  EXPECT_TRUE(LayerParameters(parameters, 1).has("d"));
  EXPECT_FALSE(LayerParameters(parameters, 0).has("d"));
  EXPECT_THROW(parameters.get("e"), std::logic_error);
  parameters.get("c").square().sum().backward();
  EXPECT_EQ(parameters.get("c").grad().sum().item<double>(), 24);
  parameters.zero_gradients();
  EXPECT_EQ(parameters.get("c").grad().abs().sum().item<double>(), 0);
}

}  // namespace
}  // namespace dotin::layers
