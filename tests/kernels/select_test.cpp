#include "dotin/kernels/select.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dotin::kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Scalar>
std::vector<int> kept(const std::vector<Scalar>& logits, int64_t drops) {
  std::vector<uint8_t> keep(logits.size() + 1, 7);
  select_nodes(logits.data(), static_cast<int64_t>(logits.size()), drops, keep.data());
  EXPECT_EQ(keep.back(), 7) << "wrote past the end";
  return {keep.begin(), keep.end() - 1};
}

using Keep = std::vector<int>;

/// The definition, one drop at a time: sort, cut the sorted list into runs of neighbours closer than the tolerance,
/// rank the nodes by run and, within a run, by index; the last ones leave.
template <class Scalar>
Keep naive(std::vector<Scalar> logits, int64_t drops) {
  Scalar largest = 0;
  for (Scalar& value : logits) {
    if (std::isnan(value)) value = -std::numeric_limits<Scalar>::infinity();
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  std::vector<Scalar> sorted = logits;
  std::sort(sorted.rbegin(), sorted.rend());
  const auto run_of = [&](Scalar value) {
    int run = 0;
    for (std::size_t i = 1; i < sorted.size() && sorted[i - 1] > value; ++i) {
      const bool equal = sorted[i] == sorted[i - 1] || sorted[i - 1] - sorted[i] <= static_cast<Scalar>(1e-6) * largest;
      if (!equal) ++run;
    }
    return run;
  };
  Keep keep(logits.size(), 1);
  for (int64_t d = 0; d < drops; ++d) {
    int worst = -1;
    for (int i = 0; i < static_cast<int>(logits.size()); ++i) {
      if (keep[i] && (worst < 0 || run_of(logits[i]) >= run_of(logits[worst]))) worst = i;
    }
    keep[worst] = 0;
  }
  return keep;
}

TEST(DropCount, IsTheFloorOfTheDecimalProduct) {
  EXPECT_EQ(drop_count(100, 0.29), 29);  // 28.999999999999996 in binary
  EXPECT_EQ(drop_count(10, 0.9), 9);
  EXPECT_EQ(drop_count(10, 0.7), 7);
  EXPECT_EQ(drop_count(1000, 0.001), 1);
  EXPECT_EQ(drop_count(5, 0.5), 2);
  EXPECT_EQ(drop_count(3, 0.33), 0);
  EXPECT_EQ(drop_count(3, 0.34), 1);
  EXPECT_EQ(drop_count(7, 0), 0);
  EXPECT_EQ(drop_count(1000000, 0.29), 290000);
}

TEST(DropCount, EqualsIntegerArithmeticForEveryRatioInHundredths) {
  for (int64_t percent = 0; percent < 100; ++percent) {
    for (int64_t nodes = 0; nodes < 300; ++nodes) {
      EXPECT_EQ(drop_count(nodes, static_cast<double>(percent) / 100), nodes * percent / 100)
          << nodes << " nodes, " << percent << "%";
    }
  }
}

TEST(DropCount, NeverTakesAllNodes) {
  EXPECT_EQ(drop_count(0, 0.9), 0);
  EXPECT_EQ(drop_count(1, 0.999999), 0);
  EXPECT_EQ(drop_count(2, 0.999999), 1);
  EXPECT_EQ(drop_count(10, std::nextafter(1.0, 0.0)), 9);
}

TEST(SelectNodes, DropsTheLowestLogits) {
  EXPECT_EQ(kept<double>({0.1, -3, 2, 0.5}, 2), (Keep{0, 0, 1, 1}));
  EXPECT_EQ(kept<float>({0.1f, -3, 2, 0.5f}, 1), (Keep{1, 0, 1, 1}));
}

TEST(SelectNodes, KeepsAllWhereNothingIsDropped) {
  EXPECT_EQ(kept<double>({3, 1, kNan}, 0), (Keep{1, 1, 1}));
  EXPECT_EQ(kept<double>({}, 0), Keep{});
}

TEST(SelectNodes, KeepsTheLowerIndexOfEqualLogits) {
  EXPECT_EQ(kept<double>({1, 1, 1, 1}, 2), (Keep{1, 1, 0, 0}));
  EXPECT_EQ(kept<double>({0, 0, 0}, 1), (Keep{1, 1, 0}));
  EXPECT_EQ(kept<double>({0.5, 2, 0.5, 0.5}, 2), (Keep{1, 1, 0, 0}));
}

TEST(SelectNodes, TakesLogitsWithinAMillionthOfTheLargestAsEqual) {
  EXPECT_EQ(kept<double>({5, 5 + 4e-6}, 1), (Keep{1, 0}));
  EXPECT_EQ(kept<double>({5, 5 + 6e-6}, 1), (Keep{0, 1}));
  // Relative to the largest magnitude of the graph, here a negative one, and not to the two that are compared.
  EXPECT_EQ(kept<double>({1, 1 + 4e-6, -5}, 2), (Keep{1, 0, 0}));
  EXPECT_EQ(kept<float>({1, 1 + 5e-7f}, 1), (Keep{1, 0}));
}

TEST(SelectNodes, ChainsNearTies) {
  // Each is within the tolerance of the next, so all four are equal, though the first and the last are not close.
  EXPECT_EQ(kept<double>({1, 1 + 0.8e-6, 1 + 1.6e-6, 1 + 2.4e-6}, 2), (Keep{1, 1, 0, 0}));
  // A gap ends the chain.
  EXPECT_EQ(kept<double>({1, 1 + 0.8e-6, 1 + 2.4e-6, 1 + 3.2e-6}, 2), (Keep{0, 0, 1, 1}));
}

TEST(SelectNodes, DropsNanFirst) {
  EXPECT_EQ(kept<double>({kNan, -100, 3}, 1), (Keep{0, 1, 1}));
  EXPECT_EQ(kept<double>({kNan, kNan, kNan}, 1), (Keep{1, 1, 0}));
  EXPECT_EQ(kept<double>({-kInfinity, kNan, 3}, 1), (Keep{1, 0, 1}));
}

TEST(SelectNodes, OrdersInfinities) {
  EXPECT_EQ(kept<double>({kInfinity, -kInfinity, 0, kInfinity}, 2), (Keep{1, 0, 0, 1}));
  EXPECT_EQ(kept<double>({kInfinity, kInfinity}, 1), (Keep{1, 0}));
}

template <class Scalar>
void same_as_naive() {
  const auto nodes = *rc::gen::inRange(1, 41);
  const auto drops = *rc::gen::inRange(0, nodes);
  // Steps of 0.4 millionths of the largest value give ties, near ties, chains and gaps.
  const auto levels = *rc::gen::container<std::vector<int>>(nodes, rc::gen::inRange(0, 120));
  const auto specials = *rc::gen::container<std::vector<int>>(nodes, rc::gen::inRange(0, 40));
  std::vector<Scalar> logits;
  for (int i = 0; i < nodes; ++i) {
    logits.push_back(static_cast<Scalar>(1 + 0.4e-6 * levels[i]));
    if (specials[i] == 1) logits.back() = std::numeric_limits<Scalar>::quiet_NaN();
    if (specials[i] == 2) logits.back() = -std::numeric_limits<Scalar>::infinity();
    if (specials[i] > 30) logits.back() = static_cast<Scalar>(-0.1 * specials[i]);
  }
  const Keep keep = kept(logits, drops);
  RC_ASSERT(std::count(keep.begin(), keep.end(), 0) == drops);
  RC_ASSERT(keep == naive(logits, drops));
}

RC_GTEST_PROP(SelectNodes, AgreesWithTheDefinitionInDouble, ()) { same_as_naive<double>(); }
RC_GTEST_PROP(SelectNodes, AgreesWithTheDefinitionInFloat, ()) { same_as_naive<float>(); }

}  // namespace
}  // namespace dotin::kernels
