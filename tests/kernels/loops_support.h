// Loops of every instruction set that this machine can run, against plain loops in long double. Variants for other
// machines are compiled from the same source and tested where all_loops() lists them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "dotin/core/random.h"
#include "dotin/kernels/loops.h"

namespace dotin::testing {

using Exact = long double;
using core::Rng;

inline constexpr int64_t kLoopSizes[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 100};

/// What a result may be off, relative to the magnitudes it is added up from.
template <class Scalar>
inline constexpr Exact kTolerance = std::is_same_v<Scalar, float> ? 2e-6L : 1e-14L;

/// A result as it should be, and the magnitudes it is added up from, to which rounding is relative.
struct Sum {
  Exact value = 0, size = 0;

  void add(Exact term, Exact term_size) {
    value += term;
    size += term_size;
  }
  void add(Exact term) { add(term, std::abs(term)); }
};

using Sums = std::vector<Sum>;

template <class Scalar>
Sums sums_of(const std::vector<Scalar>& numbers) {
  Sums sums(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) sums[i].add(numbers[i]);
  return sums;
}

template <class Scalar>
void expect_near(const std::vector<Scalar>& actual, const Sums& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Exact off = std::abs(actual[i] - expected[i].value);
    // Written so that it fails for NaN.
    ASSERT_TRUE(off <= kTolerance<Scalar> * expected[i].size)
        << what << "[" << i << "] of " << actual.size() << " is " << actual[i] << ", not " << expected[i].value;
  }
}

/// Of both signs, one in eight of them 0.
template <class Scalar>
std::vector<Scalar> numbers(Rng& rng, int64_t count, double scale = 1) {
  std::vector<Scalar> result(static_cast<std::size_t>(count));
  for (Scalar& number : result) number = rng.chance(0.125) ? Scalar(0) : static_cast<Scalar>(scale * rng.normal());
  return result;
}

/// Runs the test once per instruction set, each time with the same random numbers.
template <class Scalar, class Test>
void on_every_instruction_set(const Test& test) {
  int count = 0;
  const auto* const list = kernels::all_loops<Scalar>(&count);
  ASSERT_GT(count, 0);
  for (int v = 0; v < count; ++v) {
    SCOPED_TRACE(list[v]->name);
    Rng rng(41);
    test(*list[v], rng);
  }
}

using LoopScalars = ::testing::Types<float, double>;

}  // namespace dotin::testing
