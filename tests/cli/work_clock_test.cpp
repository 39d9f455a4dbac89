#include "work_clock.h"

#include <gtest/gtest.h>

namespace dotin::app {
namespace {

TEST(WorkClock, TakesTheAmountForSecondsWhereNothingIsKnown) { EXPECT_DOUBLE_EQ(WorkClock().expected("DD", 7), 7); }

TEST(WorkClock, JudgesByWorkOfTheSameKindAndOthersByAll) {
  WorkClock clock;
  clock.learn("DD", 2, 20);
  clock.learn("DD", 4, 10);
  clock.learn("NCI1", 4, 70);
  EXPECT_DOUBLE_EQ(clock.expected("DD", 3), 15);
  EXPECT_DOUBLE_EQ(clock.expected("NCI1", 2), 35);
  EXPECT_DOUBLE_EQ(clock.expected("MUTAG", 3), 30);
}

}  // namespace
}  // namespace dotin::app
