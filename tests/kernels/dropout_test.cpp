#include "dotin/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace dotin::kernels {
namespace {

constexpr int64_t kRows = 600, kWidth = 257;

std::vector<float> mask_of(const Dropout& dropout) {
  std::vector<float> mask(kRows * kWidth);
  dropout_mask(dropout, kRows, kWidth, mask.data());
  return mask;
}

/// How often both of two places are dropped, against how often each is: 0 if neither knows of the other.
double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  double both = 0, only_a = 0, only_b = 0;
  const auto count = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += a[i] == 0 && b[i] == 0;
    only_a += a[i] == 0;
    only_b += b[i] == 0;
  }
  const double p = only_a / count, q = only_b / count;
  return (both / count - p * q) / std::sqrt(p * (1 - p) * q * (1 - q));
}

TEST(DropoutMask, IsWhatItsEquationsGiveOnEveryMachine) {
  // Of the same equations written in Python; 1 stays.
  const auto row = [](uint64_t key, int64_t which) {
    const RowDropout<double> keys = dropout_of_row<double>({0.5, key}, which);
    std::string text;
    for (uint32_t c = 0; c < 32; ++c) text += dropout_factor(keys, c) == 0 ? '0' : '1';
    return text;
  };
  EXPECT_EQ(row(0, 0), "00011101100101111011110111011011");
  EXPECT_EQ(row(1, 5), "00010111111100110101010101000010");
  EXPECT_EQ(row(~uint64_t{0}, 1), "00101111100011001110100010111011");
}

TEST(DropoutMask, DropsItsShareAndKeepsTheMean) {
  for (const double share : {0.0, 0.1, 0.2, 0.5, 0.9}) {
    const std::vector<float> mask = mask_of({share, 3});
    double zeros = 0, sum = 0;
    for (const float factor : mask) {
      EXPECT_TRUE(factor == 0 || factor == static_cast<float>(1 / (1 - share))) << factor;
      zeros += factor == 0;
      sum += factor;
    }
    const auto count = static_cast<double>(mask.size());
    const double four_deviations = 4 * std::sqrt(share * (1 - share) / count);
    EXPECT_NEAR(zeros / count, share, four_deviations) << share;
    EXPECT_NEAR(sum / count, 1, four_deviations / (1 - share) + 1e-6) << share;
  }
}

TEST(DropoutMask, DropsEveryRowAndColumnAlike) {
  const std::vector<float> mask = mask_of({0.2, 4});
  std::vector<double> of_row(kRows), of_column(kWidth);
  for (int64_t i = 0; i < kRows * kWidth; ++i) {
    of_row[i / kWidth] += mask[i] == 0;
    of_column[i % kWidth] += mask[i] == 0;
  }
  // Five deviations: of some 850 counts one lies beyond by chance in two thousand draws.
  for (const double zeros : of_row) EXPECT_NEAR(zeros / kWidth, 0.2, 5 * std::sqrt(0.16 / kWidth));
  for (const double zeros : of_column) EXPECT_NEAR(zeros / kRows, 0.2, 5 * std::sqrt(0.16 / kRows));
}

TEST(DropoutMask, DrawsNeighboursRowsAndKeysApart) {
  const std::vector<float> mask = mask_of({0.5, 5});
  const double four_deviations = 4 / std::sqrt(static_cast<double>(kRows * kWidth));
  for (const int64_t apart : {int64_t{1}, int64_t{2}, int64_t{8}, int64_t{16}, kWidth, 2 * kWidth, kWidth + 1}) {
    const std::vector<float> here(mask.begin(), mask.end() - apart), there(mask.begin() + apart, mask.end());
    EXPECT_LT(std::abs(correlation(here, there)), four_deviations) << apart;
  }
  const Dropout dropout = {0.5, 5};
  for (const Dropout& other : {Dropout{0.5, 6}, Dropout{0.5, 5 ^ (uint64_t{1} << 63)}, dropout.with(0), dropout.with(1),
                               dropout.with(0).with(1)}) {
    EXPECT_LT(std::abs(correlation(mask, mask_of(other))), four_deviations) << other.key;
  }
}

TEST(DropoutMask, HasNoTwoRowsAlike) {
  const std::vector<float> mask = mask_of({0.5, 6});
  std::set<std::vector<float>> rows;
  for (int64_t r = 0; r < kRows; ++r) rows.insert({mask.begin() + r * kWidth, mask.begin() + (r + 1) * kWidth});
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(kRows));
}

}  // namespace
}  // namespace dotin::kernels
