#include "dotin/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace dotin::kernels {
namespace {

constexpr int64_t kSizes[] = {0, 1, 3, 7, 8, 9, 31, 33};

double wave(double x) { return std::sin(x) + 0.3 * std::cos(2.7 * x); }

/// Adam as its paper writes it (Kingma & Ba 2015, algorithm 1; Loshchilov & Hutter 2019 for the decoupled decay), one
/// number at a time.
struct PlainAdam {
  double parameter = 0, m = 0, v = 0;

  void update(double gradient, const AdamStep& o) {
    double g = gradient * o.gradient_scale;
    if (!o.decoupled) g += o.weight_decay * parameter;
    m = o.beta1 * m + (1 - o.beta1) * g;
    v = o.beta2 * v + (1 - o.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(o.beta1, static_cast<double>(o.step)));
    const double v_hat = v / (1 - std::pow(o.beta2, static_cast<double>(o.step)));
    if (o.decoupled) parameter -= o.lr * o.weight_decay * parameter;
    parameter -= o.lr * m_hat / (std::sqrt(v_hat) + o.epsilon);
  }
};

template <class Scalar>
void expect_same_as_plain_loop(bool decoupled, double weight_decay, double tolerance) {
  for (const int64_t size : kSizes) {
    // One more number behind the end, which must stay as it is.
    const auto length = static_cast<std::size_t>(size) + 1;
    std::vector<Scalar> parameters(length), gradients(length), m(length, 0), v(length, 0);
    std::vector<PlainAdam> plain(length);
    for (std::size_t i = 0; i < length; ++i) {
      plain[i].parameter = parameters[i] = static_cast<Scalar>(wave(0.7 * static_cast<double>(i) + 1));
    }
    for (int64_t step = 1; step <= 6; ++step) {
      AdamStep options;
      options.lr = 0.05 / static_cast<double>(step);
      options.weight_decay = weight_decay;
      options.decoupled = decoupled;
      options.gradient_scale = step == 3 ? 0.25 : 1;
      options.step = step;
      for (std::size_t i = 0; i < length; ++i) {
        gradients[i] = static_cast<Scalar>(wave(1.9 * static_cast<double>(i) + 0.4 * static_cast<double>(step)));
        if (i < length - 1) plain[i].update(gradients[i], options);
      }
      const Scalar behind = gradients.back();
      adam(parameters.data(), gradients.data(), m.data(), v.data(), size, options);
      for (int64_t i = 0; i < size; ++i) ASSERT_EQ(gradients[i], 0) << "size " << size << " number " << i;
      ASSERT_EQ(gradients.back(), behind);
    }
    for (std::size_t i = 0; i < length; ++i) {
      EXPECT_NEAR(parameters[i], plain[i].parameter, tolerance) << "size " << size << " number " << i;
      EXPECT_NEAR(m[i], plain[i].m, tolerance) << "size " << size << " number " << i;
      EXPECT_NEAR(v[i], plain[i].v, tolerance) << "size " << size << " number " << i;
    }
  }
}

TEST(Adam, FollowsThePlainLoopWithDecoupledDecay) {
  expect_same_as_plain_loop<double>(true, 0.1, 1e-14);
  expect_same_as_plain_loop<float>(true, 0.1, 1e-6);
}

TEST(Adam, FollowsThePlainLoopWithDecayInTheGradient) {
  expect_same_as_plain_loop<double>(false, 0.1, 1e-14);
  expect_same_as_plain_loop<float>(false, 0.1, 1e-6);
}

TEST(Adam, FollowsThePlainLoopWithoutDecay) {
  expect_same_as_plain_loop<double>(true, 0, 1e-14);
  expect_same_as_plain_loop<double>(false, 0, 1e-14);
}

TEST(Adam, MovesByTheLearningRateInTheFirstStepWhateverTheGradientsSize) {
  // m_hat = g and v_hat = g^2, so the step is lr * sign(g).
  std::vector<double> parameters = {1, 1, 1}, gradients = {1e-3, -5, 1e6}, m(3), v(3);
  AdamStep options;
  options.lr = 0.01;
  options.epsilon = 0;
  adam(parameters.data(), gradients.data(), m.data(), v.data(), 3, options);
  EXPECT_NEAR(parameters[0], 0.99, 1e-14);
  EXPECT_NEAR(parameters[1], 1.01, 1e-14);
  EXPECT_NEAR(parameters[2], 0.99, 1e-14);
}

TEST(Adam, LeavesParametersWithoutGradientOrDecayAlone) {
  std::vector<float> parameters = {0.3f, -2}, gradients = {0, 0}, m(2), v(2);
  adam(parameters.data(), gradients.data(), m.data(), v.data(), 2, AdamStep());
  EXPECT_EQ(parameters, (std::vector<float>{0.3f, -2}));
}

TEST(Adam, KeepsTheSmallShareOfTheSecondMomentExactInFloat) {
  // 1 - 0.999f is 0.00099998713: computed in float, the share would be off by 1.3e-5.
  float parameter = 0, gradient = 1, m = 0, v = 0;
  adam(&parameter, &gradient, &m, &v, 1, AdamStep());
  EXPECT_FLOAT_EQ(v, 0.001f);
}

}  // namespace
}  // namespace dotin::kernels
