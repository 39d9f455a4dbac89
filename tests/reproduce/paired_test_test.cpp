#include "reproduce/paired_test.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dotin::reproduce {
namespace {

TEST(StudentTwoSided, IsWhatTheClosedFormsSay) {
  for (const double t : {0.0, 0.3, 1.0, 2.5, 12.0}) {
    // One degree: Cauchy. Two: 1 - t / sqrt(2 + t^2).
    EXPECT_NEAR(student_two_sided(t, 1), 1 - 2 / std::acos(-1.0) * std::atan(t), 1e-12) << t;
    EXPECT_NEAR(student_two_sided(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12) << t;
    EXPECT_DOUBLE_EQ(student_two_sided(-t, 2), student_two_sided(t, 2));
  }
}

TEST(StudentTwoSided, IsWhatPrintedTablesSay) {
  EXPECT_NEAR(student_two_sided(2.262157, 9), 0.05, 1e-6);
  EXPECT_NEAR(student_two_sided(3.249836, 9), 0.01, 1e-6);
  EXPECT_NEAR(student_two_sided(2.042272, 30), 0.05, 1e-6);
}

TEST(PairedTest, IsTheCorrectedTTestWorkedByHand) {
  // Differences 1, 2, 3, 6: mean 3, variance (4 + 1 + 0 + 9) / 3 = 14/3; factor 1/4 + 1/2, so error^2 = 3.5.
  const PairedTest test = paired_test({11, 12, 13, 16}, {10, 10, 10, 10});
  EXPECT_DOUBLE_EQ(test.difference, 3);
  EXPECT_NEAR(test.t, 3 / std::sqrt(3.5), 1e-12);
  EXPECT_NEAR(test.p, student_two_sided(3 / std::sqrt(3.5), 3), 1e-12);
  EXPECT_NEAR(paired_test({10, 10, 10, 10}, {11, 12, 13, 16}).difference, -3, 1e-12);
}

TEST(PairedTest, EqualDifferencesAreCertain) {
  EXPECT_EQ(paired_test({1, 2, 3}, {1, 2, 3}).p, 1);
  EXPECT_EQ(paired_test({1.1, 2.1, 3.1}, {1, 2, 3}).p, 0);
}

TEST(Holm, MultipliesBySoManyAsAreLeftAndNeverFalls) {
  // Sorted 0.01, 0.02, 0.03, 0.4: times 4, 3, 2, 1 are 0.04, 0.06, 0.06 and 0.4.
  const std::vector<double> corrected = holm({0.02, 0.4, 0.01, 0.03});
  const std::vector<double> expected = {0.06, 0.4, 0.04, 0.06};
  ASSERT_EQ(corrected.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(corrected[i], expected[i], 1e-15) << i;
  EXPECT_EQ(holm({0.9, 0.8}), (std::vector<double>{1, 1})) << "at most 1";
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace dotin::reproduce
