#include "progress_bar.h"

#include <gtest/gtest.h>

#include "support/expect.h"

namespace dotin::app {
namespace {

BarState half_done() {
  BarState state;
  state.title = "train";
  state.done = 500;
  state.total = 1000;
  state.seconds = 10;
  return state;
}

TEST(BarLine, TellsShareRateAndTimeLeft) {
  EXPECT_EQ(bar_line(half_done(), 60), "train [==============>             ]  50% 50/s, 10.0 s left");
}

TEST(BarLine, WhatEarlierRunsDidIsNoMeasureOfTheRate) {
  BarState state = half_done();
  state.before = 400;
  EXPECT_SAYS(bar_line(state, 80), " 50% 10/s, 50.0 s left");
}

TEST(BarLine, TimeLeftIsWhatTheWorkSaysWhereItDoes) {
  BarState state = half_done();
  state.left = 120;
  EXPECT_SAYS(bar_line(state, 80), " 50% 50/s, 2 min 00 s left");
  state.done = 0;
  EXPECT_SAYS(bar_line(state, 80), "  0% 2 min 00 s left");
}

TEST(BarLine, SharesHaveNoRateAndWorkOfUnknownSizeNoShare) {
  BarState state = half_done();
  state.unit = Unit::share;
  EXPECT_SAYS(bar_line(state, 80), " 50% 10.0 s left");
  state.unit = Unit::items;
  state.total = 0;
  EXPECT_EQ(bar_line(state, 80), "train 500 10.0 s");
}

TEST(BarLine, DetailIsCutToTheWidth) {
  BarState state = half_done();
  state.detail = std::string(200, 'x');
  for (const int columns : {0, 1, 20, 60, 100}) EXPECT_LT(bar_line(state, columns).size(), columns + 1u) << columns;
}

}  // namespace
}  // namespace dotin::app
