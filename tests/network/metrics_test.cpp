#include "dotin/network/metrics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace dotin::network {
namespace {

using Values = std::vector<double>;
using Labels = std::vector<int32_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const Values kNoValues;
const Labels kNoLabels;

// A span does not bind to a temporary by itself; within one expression it may.
core::Span<const double> values(const Values& of) { return of; }
core::Span<const int32_t> labels(const Labels& of) { return of; }

TEST(Accuracy, TiesGoToTheLowestClass) {
  const Values logits = {1, 1, 0, 0, 2, 2, 3, 3, 3};
  EXPECT_EQ(predicted_classes(logits, 3), (Labels{0, 1, 0}));
  EXPECT_DOUBLE_EQ(accuracy(logits, 3, labels({0, 1, 2})), 2.0 / 3);
}

TEST(Accuracy, MissingLabelsAreLeftOut) {
  const Values logits = {0, 1, 1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(accuracy(logits, 2, labels({1, -1, 0})), 0.5);
}

TEST(Accuracy, ANaNLogitNeverWins) {
  const Values logits = {kNaN, -5, kNaN, kNaN};
  EXPECT_EQ(predicted_classes(logits, 2), (Labels{1, -1}));
  EXPECT_DOUBLE_EQ(accuracy(logits, 2, labels({1, 0})), 0.5);
}

TEST(Accuracy, OfNothingIsNaN) {
  EXPECT_TRUE(std::isnan(accuracy(kNoValues, 2, kNoLabels)));
  EXPECT_TRUE(std::isnan(accuracy(values({1, 2}), 2, labels({-1}))));
}

TEST(ConfusionMatrix, HasTheTrueClassDownAndThePredictedAcross) {
  const Values logits = {9, 0, 0, 0, 9, 0, 0, 9, 0, 0, 0, 9, 9, 0, 0};
  EXPECT_EQ(confusion_matrix(logits, 3, labels({0, 0, 1, 1, -1})), (std::vector<int64_t>{1, 1, 0, 0, 1, 1, 0, 0, 0}));
}

TEST(MacroF1, IsTheMeanOverTheClassesThere) {
  // True 0 0 1 1 1, predicted 0 1 1 1 0. Class 0: tp 1, members 2 + 2. Class 1: tp 2, members 3 + 3. Class 2: absent.
  const Values logits = {9, 0, 0, 0, 9, 0, 0, 9, 0, 0, 9, 0, 9, 0, 0};
  EXPECT_DOUBLE_EQ(macro_f1(logits, 3, labels({0, 0, 1, 1, 1})), (0.5 + 2.0 / 3) / 2);
}

TEST(MacroF1, AClassThatIsNeverRightCountsZero) {
  const Values logits = {9, 0, 9, 0};
  // Class 0: tp 1, members 1 + 2; class 1: tp 0, members 1 + 0.
  EXPECT_DOUBLE_EQ(macro_f1(logits, 2, labels({0, 1})), (2.0 / 3 + 0) / 2);
  EXPECT_TRUE(std::isnan(macro_f1(logits, 2, labels({-1, -1}))));
}

TEST(Auc, HandWorkedCases) {
  EXPECT_DOUBLE_EQ(auc(values({0.1, 0.4, 0.35, 0.8}), labels({0, 0, 1, 1})), 0.75);
  EXPECT_DOUBLE_EQ(auc(values({1, 2, 3}), labels({0, 1, 1})), 1);
  EXPECT_DOUBLE_EQ(auc(values({1, 2, 3}), labels({1, 0, 0})), 0);
}

TEST(Auc, TiesCountOneHalf) {
  EXPECT_DOUBLE_EQ(auc(values({5, 5, 5, 5}), labels({0, 1, 0, 1})), 0.5);
  // Positives 1, 2; negatives 1, 3. Pairs: tie, loss, win, loss.
  EXPECT_DOUBLE_EQ(auc(values({1, 2, 1, 3}), labels({1, 1, 0, 0})), 1.5 / 4);
  EXPECT_DOUBLE_EQ(auc(values({0.0, -0.0}), labels({1, 0})), 0.5);
}

TEST(Auc, MissingEntriesAreLeftOut) { EXPECT_DOUBLE_EQ(auc(values({1, 99, kNaN, 0}), labels({1, -1, -1, 0})), 1); }

TEST(Auc, OfOneClassOrNothingIsNaN) {
  EXPECT_TRUE(std::isnan(auc(values({1, 2}), labels({1, 1}))));
  EXPECT_TRUE(std::isnan(auc(values({1, 2}), labels({0, 0}))));
  EXPECT_TRUE(std::isnan(auc(kNoValues, kNoLabels)));
  EXPECT_TRUE(std::isnan(auc(values({1, kNaN}), labels({1, 0}))));
}

RC_GTEST_PROP(Auc, IsTheShareOfPairsInTheRightOrder, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 40);
  // Few distinct scores, so that there are many ties.
  const auto drawn = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(-4, 5));
  const auto positive = *rc::gen::container<Labels>(n, rc::gen::inRange<int32_t>(-1, 2));
  const Values scores(drawn.begin(), drawn.end());
  double wins = 0, pairs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (positive[i] != 1 || positive[j] != 0) continue;
      ++pairs;
      wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  }
  const double result = auc(scores, positive);
  if (pairs == 0) {
    RC_ASSERT(std::isnan(result));
  } else {
    RC_ASSERT(std::abs(result - wins / pairs) < 1e-12);
  }
}

TEST(MeanColumnAuc, SkipsMissingEntriesAndColumnsOfOneClass) {
  // Column 0: scores 1 2 3, targets 0 1 missing: AUC 1. Column 1: scores 3 2 2, targets 0 1 0: 0.25 (loss, tie).
  // Column 2: one class only.
  const Values scores = {1, 3, 1, 2, 2, 2, 3, 2, 3};
  const Values targets = {0, 0, 1, 1, 1, 1, kNaN, 0, 1};
  EXPECT_DOUBLE_EQ(mean_column_auc(scores, targets, 3), (1 + 0.25) / 2);
  EXPECT_TRUE(std::isnan(mean_column_auc(values({1, 2}), values({1, kNaN}), 1)));
  EXPECT_TRUE(std::isnan(mean_column_auc(kNoValues, kNoValues, 2)));
  EXPECT_TRUE(std::isnan(mean_column_auc(values({1, 1, 2, kNaN}), values({0, 0, 1, 1}), 2)));
}

TEST(Regression, ErrorsAreThoseWorkedOutByHand) {
  const Values predictions = {1, 2, 3, 100};
  const Values targets = {1, 4, 7, kNaN};
  EXPECT_DOUBLE_EQ(rmse(predictions, targets), std::sqrt((0.0 + 4 + 16) / 3));
  EXPECT_DOUBLE_EQ(mae(predictions, targets), 2);
  // Mean 4, total 9 + 0 + 9, residual 20.
  EXPECT_DOUBLE_EQ(r2(predictions, targets, 1), 1 - 20.0 / 18);
}

TEST(Regression, OfNothingIsNaN) {
  EXPECT_TRUE(std::isnan(rmse(kNoValues, kNoValues)));
  EXPECT_TRUE(std::isnan(mae(values({1}), values({kNaN}))));
  EXPECT_TRUE(std::isnan(r2(kNoValues, kNoValues, 1)));
  EXPECT_TRUE(std::isnan(rmse(values({kNaN}), values({1}))));
}

TEST(Regression, R2IsTheMeanOverColumnsThatVary) {
  // Column 0 is predicted exactly, column 1 by its mean, column 2 does not vary (0.1 thrice sums with rounding).
  const Values targets = {1, 1, 0.1, 2, 2, 0.1, 3, 3, 0.1};
  const Values predictions = {1, 2, 5, 2, 2, 5, 3, 2, 5};
  EXPECT_DOUBLE_EQ(r2(predictions, targets, 3), 0.5);
  EXPECT_TRUE(std::isnan(r2(values({1, 2}), values({3, 3}), 1)));
}

TEST(TripletAccuracy, TiesCountOneHalf) {
  EXPECT_DOUBLE_EQ(triplet_accuracy(values({1, 2, 3, 0}), values({2, 2, 1, 5})), 2.5 / 4);
  EXPECT_DOUBLE_EQ(triplet_accuracy(values({0, 0}), values({0, 0})), 0.5);
  EXPECT_TRUE(std::isnan(triplet_accuracy(kNoValues, kNoValues)));
  EXPECT_TRUE(std::isnan(triplet_accuracy(values({kNaN, 1}), values({1, 2}))));
}

TEST(PairAuc, ClosePairsAreThePositives) {
  EXPECT_DOUBLE_EQ(pair_auc(values({1, 2}), values({3, 4})), 1);
  // Pairs (1,2) right, (1,1) tie, (3,2) wrong, (3,1) wrong.
  EXPECT_DOUBLE_EQ(pair_auc(values({1, 3}), values({2, 1})), 1.5 / 4);
  EXPECT_DOUBLE_EQ(pair_auc(values({1}), values({2, 0, 3})), 2.0 / 3);
  EXPECT_TRUE(std::isnan(pair_auc(kNoValues, values({1}))));
}

}  // namespace
}  // namespace dotin::network
