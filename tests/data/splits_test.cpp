#include "dotin/data/splits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dotin/core/error.h"

namespace dotin::data {
namespace {

using Positions = std::vector<int64_t>;

Positions all_positions(std::size_t n) {
  Positions positions(n);
  std::iota(positions.begin(), positions.end(), int64_t{0});
  return positions;
}

std::map<int32_t, int64_t> class_counts(const std::vector<int32_t>& classes, const Positions& positions) {
  std::map<int32_t, int64_t> counts;
  for (const int64_t position : positions) ++counts[std::max(classes[static_cast<std::size_t>(position)], -1)];
  return counts;
}

/// At least three positions, classes from -2 (missing) to 3.
std::vector<int32_t> draw_classes() {
  auto classes = *rc::gen::container<std::vector<int32_t>>(rc::gen::inRange(-2, 4));
  while (classes.size() < 3) classes.push_back(0);
  return classes;
}

RC_GTEST_PROP(StratifiedFolds, PartitionThePositionsAndBalanceEveryClassWithinOne, (uint64_t seed)) {
  const auto classes = draw_classes();
  const auto k = *rc::gen::inRange<int64_t>(2, static_cast<int64_t>(classes.size()) + 1);
  const auto folds = stratified_folds(classes, k, seed);
  RC_ASSERT(static_cast<int64_t>(folds.size()) == k);

  Positions together;
  for (const auto& fold : folds) {
    RC_ASSERT(std::is_sorted(fold.begin(), fold.end()));
    together.insert(together.end(), fold.begin(), fold.end());
  }
  std::sort(together.begin(), together.end());
  RC_ASSERT(together == all_positions(classes.size()));

  const auto spread = [&](auto count) {
    int64_t least = INT64_MAX, most = 0;
    for (const auto& fold : folds) {
      least = std::min<int64_t>(least, count(fold));
      most = std::max<int64_t>(most, count(fold));
    }
    return most - least;
  };
  RC_ASSERT(spread([](const Positions& fold) { return static_cast<int64_t>(fold.size()); }) <= 1);
  for (int32_t c = -1; c < 4; ++c) {
    RC_ASSERT(spread([&](const Positions& fold) { return class_counts(classes, fold)[c]; }) <= 1);
  }
}

TEST(StratifiedFolds, DependOnTheSeedAlone) {
  std::vector<int32_t> classes(100);
  for (std::size_t i = 0; i < 100; ++i) classes[i] = static_cast<int32_t>(i % 3);
  EXPECT_EQ(stratified_folds(classes, 10, 7), stratified_folds(classes, 10, 7));
  EXPECT_NE(stratified_folds(classes, 10, 7), stratified_folds(classes, 10, 8));
}

TEST(StratifiedFolds, AreTheSameOnEveryMachine) {
  // Recorded once: cross-validation results can be compared only while this holds.
  const auto folds = stratified_folds({0, 0, 0, 1, 1, 1, 1, -1, -1}, 3, 0);
  EXPECT_EQ(folds, (std::vector<Positions>{{1, 6, 7}, {2, 5, 8}, {0, 3, 4}}));
}

TEST(StratifiedFolds, RefuseImpossibleNumbers) {
  EXPECT_THROW(stratified_folds({0, 1, 0}, 1, 0), core::Error);
  EXPECT_THROW(stratified_folds({0, 1, 0}, 4, 0), core::Error);
  EXPECT_THROW(stratified_folds({}, 2, 0), core::Error);
}

TEST(SplitOfFold, TakesTheFoldForTestAndTheNextForValidation) {
  const std::vector<Positions> folds{{0, 4}, {1, 5}, {2}, {3}};
  const Split first = split_of_fold(folds, 0);
  EXPECT_EQ(first.test, (Positions{0, 4}));
  EXPECT_EQ(first.validation, (Positions{1, 5}));
  EXPECT_EQ(first.train, (Positions{2, 3}));
  const Split last = split_of_fold(folds, 3);
  EXPECT_EQ(last.test, (Positions{3}));
  EXPECT_EQ(last.validation, (Positions{0, 4}));
  EXPECT_EQ(last.train, (Positions{1, 2, 5}));
  EXPECT_THROW(split_of_fold({{0}, {1}}, 0), core::Error);
  EXPECT_THROW(split_of_fold(folds, 4), core::Error);
  EXPECT_THROW(split_of_fold(folds, -1), core::Error);
}

RC_GTEST_PROP(StratifiedSplit, PartitionsThePositionsInProportion, (uint64_t seed)) {
  const auto classes = draw_classes();
  const auto n = static_cast<double>(classes.size());
  const double validation = *rc::gen::inRange(0, 50) / 100.0, test = *rc::gen::inRange(0, 50) / 100.0;
  const Split split = stratified_split(classes, validation, test, seed);

  Positions together = split.train;
  together.insert(together.end(), split.validation.begin(), split.validation.end());
  together.insert(together.end(), split.test.begin(), split.test.end());
  std::sort(together.begin(), together.end());
  RC_ASSERT(together == all_positions(classes.size()));

  RC_ASSERT(!split.train.empty());
  RC_ASSERT(split.validation.empty() == (validation == 0));
  RC_ASSERT(split.test.empty() == (test == 0));
  RC_ASSERT(std::abs(static_cast<double>(split.test.size()) - test * n) <= 1);
  RC_ASSERT(std::abs(static_cast<double>(split.validation.size()) - validation * n) <= 1);

  auto all = class_counts(classes, all_positions(classes.size()));
  auto tested = class_counts(classes, split.test);
  for (const auto& [c, count] : all) {
    const double expected = static_cast<double>(count) * static_cast<double>(split.test.size()) / n;
    RC_ASSERT(std::abs(static_cast<double>(tested[c]) - expected) < 1);
  }
}

TEST(StratifiedSplit, EveryPartOfPositiveShareGetsAGraphWhereThereAreEnough) {
  const Split three = stratified_split({0, 0, 0}, 0.01, 0.01, 0);
  EXPECT_EQ(three.train.size(), 1u);
  EXPECT_EQ(three.validation.size(), 1u);
  EXPECT_EQ(three.test.size(), 1u);
  const Split greedy = stratified_split({0, 0, 0}, 0.05, 0.9, 0);
  EXPECT_EQ(greedy.train.size(), 1u);
  EXPECT_EQ(greedy.validation.size(), 1u);
  const Split two = stratified_split({0, 0}, 0.4, 0.4, 0);
  EXPECT_EQ(two.train.size(), 1u);
  EXPECT_EQ(two.test.size(), 1u);
  EXPECT_EQ(stratified_split({0}, 0.4, 0.4, 0).train.size(), 1u);
  EXPECT_TRUE(stratified_split({}, 0.4, 0.4, 0).train.empty());
  EXPECT_TRUE(stratified_split({0, 1, 0, 1}, 0.5, 0.5, 0).train.empty());
}

TEST(StratifiedSplit, RefusesSharesThatAreNone) {
  EXPECT_THROW(stratified_split({0, 1}, -0.1, 0.1, 0), core::Error);
  EXPECT_THROW(stratified_split({0, 1}, 0.6, 0.6, 0), core::Error);
  EXPECT_THROW(stratified_split({0, 1}, std::nan(""), 0.1, 0), core::Error);
}

}  // namespace
}  // namespace dotin::data
