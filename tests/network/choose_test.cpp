#include "dotin/network/choose.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/kernels/select.h"

namespace dotin::network {
namespace {

std::vector<int> choose(const std::string& method, const std::vector<double>& scores,
                        const std::vector<int64_t>& offsets, double drop_ratio, const std::vector<uint64_t>& keys,
                        double exploration = 0) {
  const std::vector<uint8_t> keep =
      choose_nodes(core::from_word<Drop>("drop", method), {scores, offsets, drop_ratio, keys, exploration});
  return {keep.begin(), keep.end()};
}

using Keep = std::vector<int>;

std::vector<double> rising(int64_t count, double step = 1) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(step * static_cast<double>(i));
  return values;
}

TEST(DotinDrop, TakesTheLowestOfEachGraphForItself) {
  // A graph of 4, one of 1, one of 3: half of each leaves, rounded down.
  const std::vector<double> values = {0.1, 9, -3, 8, -100, 50, 40, 60};
  const std::vector<int64_t> offsets = {0, 4, 5, 8};
  const Keep expected = {0, 1, 0, 1, 1, 1, 0, 1};
  EXPECT_EQ(choose("dotin", values, offsets, 0.5, {0, 0, 0}), expected);
}

TEST(DotinDrop, BreaksTiesByOrderWithinTheGraph) {
  EXPECT_EQ(choose("dotin", std::vector<double>{1, 1, 1, 1, 2, 2}, {0, 4, 6}, 0.5, {0, 0}), (Keep{1, 1, 0, 0, 1, 0}));
}

// Which of 10 nodes with scores 0 .. 9 stay when half of them leave, over many draws.
std::vector<int> kept_while_exploring(double exploration, double scale) {
  std::vector<int> kept(10, 0);
  for (uint64_t draw = 0; draw < 1000; ++draw) {
    const Keep keep = choose("dotin", rising(10, scale), {0, 10}, 0.5, {draw}, exploration);
    EXPECT_EQ(std::count(keep.begin(), keep.end(), 1), 5);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] += keep[i];
  }
  return kept;
}

TEST(DotinDrop, ExplorationKeepsLowNodesNowAndThen) {
  const std::vector<int> kept = kept_while_exploring(1, 1);
  EXPECT_GT(kept[0], 20);
  EXPECT_LT(kept[0], 250);
  EXPECT_GT(kept[9], 750);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.begin() + 3)) << "higher scores stay more often";
  EXPECT_EQ(kept, kept_while_exploring(1, 1024)) << "the noise grows with the scores";
  EXPECT_EQ(kept_while_exploring(0.01, 1)[5], 1000) << "the gap is 1, the deviation 2.9: noise reaches 0.07";
}

TEST(DotinDrop, ExplorationDependsOnTheGraphsKeyAlone) {
  const std::vector<double> scores{1, 5, 2, 4, 3, 0, 7, 9, 8, 6};
  const Keep both = choose("dotin", scores, {0, 4, 10}, 0.5, {11, 12}, 1);
  const Keep second = choose("dotin", {scores.begin() + 4, scores.end()}, {0, 6}, 0.5, {12}, 1);
  EXPECT_EQ(Keep(both.begin() + 4, both.end()), second);
}

TEST(NoneDrop, KeepsAll) { EXPECT_EQ(choose("none", std::vector<double>{3, 1, 2}, {0, 3}, 0.9, {0}), (Keep{1, 1, 1})); }

TEST(EveryMethod, StandsGraphsWithoutNodes) {
  for (const char* const method : {"dotin", "random", "none"}) {
    EXPECT_EQ(choose(method, std::vector<double>{3}, {0, 0, 1, 1}, 0.9, {0, 1, 2}), Keep{1}) << method;
    EXPECT_EQ(choose(method, std::vector<double>{}, {0}, 0.9, {}), Keep{}) << method;
  }
}

RC_GTEST_PROP(RandomDrop, TakesTheSameCountAsDotinAndDependsOnItsKeyAlone, ()) {
  const auto sizes = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 40));
  const double drop_ratio = *rc::gen::element(0.0, 0.3, 0.5, 0.9);
  std::vector<int64_t> offsets = {0};
  std::vector<uint64_t> keys;
  for (const int64_t size : sizes) {
    offsets.push_back(offsets.back() + size);
    keys.push_back(*rc::gen::arbitrary<uint64_t>());
  }
  const std::vector<double> logits(static_cast<std::size_t>(offsets.back()), 0);
  const Keep keep = choose("random", logits, offsets, drop_ratio, keys);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const Keep own(keep.begin() + offsets[g], keep.begin() + offsets[g + 1]);
    RC_ASSERT(std::count(own.begin(), own.end(), 0) == kernels::drop_count(sizes[g], drop_ratio));
    RC_ASSERT(own == choose("random", rising(sizes[g]), {0, sizes[g]}, drop_ratio, {keys[g]}));
  }
}

TEST(RandomDrop, TakesEveryNodeAboutAsOften) {
  std::vector<int> kept(10, 0);
  const std::vector<double> logits(10, 0);
  constexpr int kDraws = 4000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Keep keep = choose("random", logits, {0, 10}, 0.7, {core::mix(1, static_cast<uint64_t>(draw))});
    for (std::size_t i = 0; i < 10; ++i) kept[i] += keep[i];
  }
  // Expected 1200 with a deviation of 29; the draws are the same in every run.
  for (const int count : kept) EXPECT_NEAR(count, 0.3 * kDraws, 120);
}

TEST(DropMethods, ThoseThatReadNoVirtualNodesAreRefused) {
  EXPECT_THROW(choose("gpool", {1, 2}, {0, 2}, 0.5, {0}), core::UsageError);
}

TEST(KeepByChance, DropsAboutTheShareAndNeverAllOfAGraph) {
  std::vector<int64_t> offsets = {0};
  std::vector<uint64_t> keys;
  for (uint64_t g = 0; g < 2000; ++g) {
    offsets.push_back(offsets.back() + 4);
    keys.push_back(g);
  }
  const std::vector<uint8_t> keep = keep_by_chance(offsets, 0.3, keys);
  int64_t kept = 0;
  for (std::size_t g = 0; g < 2000; ++g) {
    const int64_t own = std::count(keep.begin() + offsets[g], keep.begin() + offsets[g + 1], 1);
    EXPECT_GE(own, 1);
    kept += own;
  }
  // 0.7 of 8000, and a little more because 0.3^4 of the graphs are drawn again; a deviation is 41.
  EXPECT_NEAR(static_cast<double>(kept), 5600 / (1 - 0.0081), 160);
  EXPECT_EQ(keep_by_chance({0, 4}, 0.3, {keys[7]}), std::vector<uint8_t>(keep.begin() + 28, keep.begin() + 32));
}

}  // namespace
}  // namespace dotin::network
