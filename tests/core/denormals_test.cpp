#include "dotin/core/denormals.h"

#include <gtest/gtest.h>

#include <thread>

namespace dotin::core {
namespace {

/// Half of the smallest float with full precision; volatile, so that it is computed here and now.
float half_of_the_smallest() {
  volatile float smallest = 1.17549435e-38f;
  volatile float half = smallest * 0.5f;
  return half;
}

/// Twice a denormal number that is there already.
float twice_a_denormal() {
  volatile float denormal = 1e-39f;
  volatile float twice = denormal * 2.0f;
  return twice;
}

#ifdef __SSE__
constexpr bool kFlushes = true;
#else
constexpr bool kFlushes = false;  // does nothing on such a CPU
#endif

TEST(FlushDenormals, TakesThemAsZeroWhileItLives) {
  ASSERT_GT(half_of_the_smallest(), 0);
  ASSERT_GT(twice_a_denormal(), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(half_of_the_smallest() == 0, kFlushes);
    EXPECT_EQ(twice_a_denormal() == 0, kFlushes);
    { const FlushDenormals again; }
    EXPECT_EQ(half_of_the_smallest() == 0, kFlushes) << "the inner one leaves it as it was";
  }
  EXPECT_GT(half_of_the_smallest(), 0);
}

TEST(FlushDenormals, HoldsInThreadsThatAreStartedMeanwhile) {
  float inside = 1;
  const FlushDenormals flush;
  std::thread([&] { inside = half_of_the_smallest(); }).join();
  EXPECT_EQ(inside == 0, kFlushes);
}

}  // namespace
}  // namespace dotin::core
