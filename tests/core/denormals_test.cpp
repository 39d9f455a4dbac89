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

TEST(FlushDenormals, TakesThemAsZeroWhileItLives) {
#ifndef __SSE__
  GTEST_SKIP() << "does nothing on this CPU";
#endif
  ASSERT_GT(half_of_the_smallest(), 0);
  ASSERT_GT(twice_a_denormal(), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(half_of_the_smallest(), 0);
    EXPECT_EQ(twice_a_denormal(), 0);
    { const FlushDenormals again; }
    EXPECT_EQ(half_of_the_smallest(), 0) << "the inner one leaves it as it was";
  }
  EXPECT_GT(half_of_the_smallest(), 0);
}

TEST(FlushDenormals, HoldsInThreadsThatAreStartedMeanwhile) {
#ifndef __SSE__
  GTEST_SKIP() << "does nothing on this CPU";
#endif
  float inside = 1;
  const FlushDenormals flush;
  std::thread([&] { inside = half_of_the_smallest(); }).join();
  EXPECT_EQ(inside, 0);
}

}  // namespace
}  // namespace dotin::core
