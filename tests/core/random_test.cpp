#include "dotin/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace dotin::core {
namespace {

TEST(Rng, SameKeyGivesTheSameNumbersOnEveryMachine) {
  Rng rng({42, 1});
  // Written down once: a change here changes every seeded result there is.
  EXPECT_EQ(rng.bits(), 10897068272390747110ULL);
  EXPECT_EQ(Rng({42, 1}).bits(), Rng({42, 1}).bits());
}

TEST(Rng, KeysThatDifferAnywhereGiveDifferentStreams) {
  std::set<uint64_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    first.insert(Rng(seed).bits());
    for (uint64_t epoch = 0; epoch < 20; ++epoch) {
      first.insert(Rng({seed, epoch}).bits());
      first.insert(Rng({seed, epoch, 0}).bits());
    }
  }
  EXPECT_EQ(first.size(), 20u + 2 * 20 * 20);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(7);
  std::vector<int> counts(5);
  for (int i = 0; i < 50000; ++i) ++counts[static_cast<std::size_t>(rng.below(5))];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  Rng rng(3);
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.02);
}

TEST(Rng, ShuffleKeepsTheValues) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int> before = values;
  Rng(1).shuffle(values);
  EXPECT_NE(values, before);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace dotin::core
