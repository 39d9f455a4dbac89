#include "dotin/explain/ranks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace dotin::explain {
namespace {

using Values = std::vector<double>;

TEST(Ranks, TheLargestIsFirstAndTiesShareTheirMean) {
  EXPECT_EQ(ranks({0.1, 0.4, 0.2}), (Values{3, 1, 2}));
  EXPECT_EQ(ranks({0.2, 0.4, 0.2, 0.2}), (Values{3, 1, 3, 3}));
  EXPECT_EQ(ranks({1, 1 + 1e-9, 0.5}), (Values{1.5, 1.5, 3})) << "float noise is a tie";
  EXPECT_EQ(ranks({1, 1 + 1e-5, 0.5}), (Values{2, 1, 3}));
  EXPECT_EQ(ranks({}), Values());
}

TEST(Ranks, AmongLargestSharesTheRoomAtTheEdge) {
  EXPECT_EQ(among_largest({5, 1, 3, 4}, 2), (Values{1, 0, 0, 1}));
  EXPECT_EQ(among_largest({5, 3, 3, 3, 1}, 2), (Values{1, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0}));
  EXPECT_EQ(among_largest({5, 3}, 0), (Values{0, 0}));
  EXPECT_EQ(among_largest({5, 3}, 2), (Values{1, 1}));
}

TEST(Ranks, CorrelationIsSpearmans) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8) << "1 - 6 * 2 / (4 * 15)";
  EXPECT_TRUE(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(rank_correlation({1}, {1})));
}

}  // namespace
}  // namespace dotin::explain
