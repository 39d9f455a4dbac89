// Kernels on plain arrays of doubles against plain loops, and their backward passes against central differences.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace dotin::testing {

using Numbers = std::vector<double>;

/// What a gradient holds before a kernel adds to it: one that sets it instead is found out.
inline constexpr double kBefore = 0.25;

inline Numbers begun(std::size_t size) { return Numbers(size, kBefore); }

/// What was added to it.
inline Numbers added(Numbers gradient) {
  for (double& number : gradient) number -= kBefore;
  return gradient;
}

/// For what a kernel sets: what it leaves out is found out.
inline Numbers unset(std::size_t size) { return Numbers(size, NAN); }

inline double dot(const Numbers& a, const Numbers& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

/// Equal to 1e-12 of the largest number expected: sums of terms of either sign are off relative to their terms.
inline void expect_close(const Numbers& actual, const Numbers& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    // Written so that it fails for NaN.
    ASSERT_TRUE(std::abs(actual[i] - expected[i]) <= 1e-12 * largest)
        << what << "[" << i << "] of " << actual.size() << " is " << actual[i] << ", not " << expected[i];
  }
}

/// Whether `gradient` is that of loss() with respect to `numbers`, which it reads. Two central differences, with steps
/// h and 2h, leave no error but that of the fifth derivative: a norm of rows that are nearly even has a large third
/// one. Rounding of the loss costs some 1e-11 of it.
inline ::testing::AssertionResult gradient_agrees(const std::string& what, Numbers& numbers, const Numbers& gradient,
                                                  const std::function<double()>& loss) {
  constexpr double kStep = 1e-5, kTolerance = 1e-7;
  if (gradient.size() != numbers.size()) {
    return ::testing::AssertionFailure() << what << " has " << numbers.size() << " numbers, its gradient "
                                         << gradient.size();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double saved = numbers[i];
    const auto difference = [&](double step) {
      numbers[i] = saved + step;
      const double above = loss();
      numbers[i] = saved - step;
      return (above - loss()) / (2 * step);
    };
    const double numeric = (4 * difference(kStep) - difference(2 * kStep)) / 3;
    numbers[i] = saved;
    if (!(std::abs(numeric - gradient[i]) <= kTolerance * (1 + std::abs(numeric)))) {
      return ::testing::AssertionFailure() << what << "[" << i << "] of " << numbers.size() << ": the gradient is "
                                           << gradient[i] << ", central differences give " << numeric;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace dotin::testing
