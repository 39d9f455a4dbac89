#include "dotin/drop/drop.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/kernels/select.h"

namespace dotin::drop {
namespace {

std::vector<int> choose(const std::string& method, const at::Tensor& logits, const std::vector<int64_t>& offsets,
                        double drop_ratio, const std::vector<uint64_t>& keys, double exploration = 0) {
  const std::vector<uint8_t> keep = make_drop_method(method)->choose({logits, offsets, drop_ratio, keys, exploration});
  return {keep.begin(), keep.end()};
}

using Keep = std::vector<int>;

at::Tensor logits_of(const std::vector<double>& values, at::ScalarType type = at::kDouble) {
  return at::tensor(values, at::kDouble).to(type);
}

TEST(DotinDrop, TakesTheLowestOfEachGraphForItself) {
  // A graph of 4, one of 1, one of 3: half of each leaves, rounded down.
  const std::vector<double> values = {0.1, 9, -3, 8, -100, 50, 40, 60};
  const std::vector<int64_t> offsets = {0, 4, 5, 8};
  const Keep expected = {0, 1, 0, 1, 1, 1, 0, 1};
  EXPECT_EQ(choose("dotin", logits_of(values), offsets, 0.5, {0, 0, 0}), expected);
  EXPECT_EQ(choose("dotin", logits_of(values, at::kFloat), offsets, 0.5, {0, 0, 0}), expected);
}

TEST(DotinDrop, ReadsLogitsThatAreAColumnOfAMatrixAndHaveAGradient) {
  const at::Tensor matrix = logits_of({1, 0, 5, 0, 3, 0, 2, 0}).reshape({4, 2}).requires_grad_(true);
  EXPECT_EQ(choose("dotin", matrix.select(1, 0), {0, 4}, 0.5, {0}), (Keep{0, 1, 1, 0}));
}

TEST(DotinDrop, BreaksTiesByOrderWithinTheGraph) {
  EXPECT_EQ(choose("dotin", logits_of({1, 1, 1, 1, 2, 2}), {0, 4, 6}, 0.5, {0, 0}), (Keep{1, 1, 0, 0, 1, 0}));
}

// Which of 10 nodes with scores 0 .. 9 stay when half of them leave, over many draws.
std::vector<int> kept_while_exploring(double exploration, double scale) {
  std::vector<int> kept(10, 0);
  for (uint64_t draw = 0; draw < 1000; ++draw) {
    const Keep keep = choose("dotin", scale * at::arange(10, at::kDouble), {0, 10}, 0.5, {draw}, exploration);
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
  const at::Tensor scores = logits_of({1, 5, 2, 4, 3, 0, 7, 9, 8, 6});
  const Keep both = choose("dotin", scores, {0, 4, 10}, 0.5, {11, 12}, 1);
  const Keep second = choose("dotin", scores.slice(0, 4), {0, 6}, 0.5, {12}, 1);
  EXPECT_EQ(Keep(both.begin() + 4, both.end()), second);
}

TEST(NoneDrop, KeepsAll) { EXPECT_EQ(choose("none", logits_of({3, 1, 2}), {0, 3}, 0.9, {0}), (Keep{1, 1, 1})); }

TEST(EveryMethod, StandsGraphsWithoutNodes) {
  for (const std::string& method : drop_method_names()) {
    EXPECT_EQ(choose(method, logits_of({3}), {0, 0, 1, 1}, 0.9, {0, 1, 2}), Keep{1}) << method;
    EXPECT_EQ(choose(method, logits_of({}), {0}, 0.9, {}), Keep{}) << method;
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
  const at::Tensor logits = at::zeros({offsets.back()}, at::kDouble);
  const Keep keep = choose("random", logits, offsets, drop_ratio, keys);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const Keep own(keep.begin() + offsets[g], keep.begin() + offsets[g + 1]);
    RC_ASSERT(std::count(own.begin(), own.end(), 0) == kernels::drop_count(sizes[g], drop_ratio));
    const at::Tensor other_logits = at::arange(sizes[g], at::kDouble);
    RC_ASSERT(own == choose("random", other_logits, {0, sizes[g]}, drop_ratio, {keys[g]}));
  }
}

TEST(RandomDrop, TakesEveryNodeAboutAsOften) {
  std::vector<int> kept(10, 0);
  const at::Tensor logits = at::zeros({10}, at::kDouble);
  constexpr int kDraws = 4000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Keep keep = choose("random", logits, {0, 10}, 0.7, {core::mix(1, static_cast<uint64_t>(draw))});
    for (std::size_t i = 0; i < 10; ++i) kept[i] += keep[i];
  }
  // Expected 1200 with a deviation of 29; the draws are the same in every run.
  for (const int count : kept) EXPECT_NEAR(count, 0.3 * kDraws, 120);
}

TEST(DropMethods, AnUnknownNameListsTheValidOnes) {
  try {
    make_drop_method("dottin");
    FAIL() << "accepted";
  } catch (const core::UsageError& error) {
    const std::string message = error.what();
    for (const char* name : {"dotin", "random", "none"}) EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace dotin::drop
