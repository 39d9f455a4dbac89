#include "dotin/training/schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "dotin/core/error.h"

namespace dotin::training {
namespace {

network::TrainOptions options_with(const std::string& schedule) {
  network::TrainOptions options;
  options.schedule = core::from_word<dotin::LrSchedule>("schedule", schedule);
  options.epochs = 10;
  options.lr = 0.1;
  return options;
}

TEST(DropWarmup, RisesLinearlyToTheFullRatio) {
  EXPECT_DOUBLE_EQ(drop_factor(0.4, 50, 0), 1.0 / 20);
  EXPECT_DOUBLE_EQ(drop_factor(0.4, 50, 9), 0.5);
  EXPECT_LT(drop_factor(0.4, 50, 18), 1);
  EXPECT_EQ(drop_factor(0.4, 50, 19), 1);
  EXPECT_EQ(drop_factor(0.4, 50, 49), 1);
  EXPECT_EQ(first_full_epoch(0.4, 50), 19);
}

TEST(DropWarmup, ShareZeroIsFullFromTheStart) {
  EXPECT_EQ(drop_factor(0, 50, 0), 1);
  EXPECT_EQ(first_full_epoch(0, 50), 0);
  EXPECT_EQ(first_full_epoch(0.01, 50), 0);
}

TEST(DropWarmup, ShareOneIsFullInTheLastEpoch) {
  EXPECT_EQ(first_full_epoch(1, 50), 49);
  EXPECT_EQ(first_full_epoch(1, 1), 0);
}

TEST(DropWarmup, RoundingDoesNotCostAnEpoch) {
  ASSERT_GT(0.07 * 100, 7);  // in floating point
  EXPECT_EQ(first_full_epoch(0.07, 100), 6);
  EXPECT_EQ(drop_factor(0.07, 100, 6), 1);
}

RC_GTEST_PROP(DropWarmup, FirstFullEpochIsTheFirstWhoseFactorIsOne, ()) {
  const auto epochs = *rc::gen::inRange<int64_t>(1, 400);
  const double share = *rc::gen::inRange(0, 1001) / 1000.0;
  const int64_t first = first_full_epoch(share, epochs);
  RC_ASSERT(first < epochs);
  RC_ASSERT(drop_factor(share, epochs, first) == 1);
  RC_ASSERT(first == 0 || drop_factor(share, epochs, first - 1) < 1);
}

TEST(Schedule, ConstantStaysAtTheRate) {
  const Schedule schedule(options_with("constant"));
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate(9.99), 0.1);
}

TEST(Schedule, CosineFallsToZeroAtTheEnd) {
  const Schedule schedule(options_with("cosine"));
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate(2.5), 0.1 * (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(schedule.rate(5), 0.05);
  EXPECT_NEAR(schedule.rate(10), 0, 1e-17);
}

TEST(Schedule, StepReducesEverySoManyEpochs) {
  network::TrainOptions options = options_with("step");
  options.schedule_step = 3;
  options.schedule_factor = 0.5;
  const Schedule schedule(options);
  EXPECT_DOUBLE_EQ(schedule.rate(2.99), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate(3), 0.05);
  EXPECT_DOUBLE_EQ(schedule.rate(9.5), 0.0125);
}

TEST(Schedule, WarmUpRisesLinearlyIntoTheSchedule) {
  network::TrainOptions options = options_with("cosine");
  options.lr_warmup = 2;
  const Schedule schedule(options);
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0);
  EXPECT_DOUBLE_EQ(schedule.rate(0.5), 0.025);
  EXPECT_DOUBLE_EQ(schedule.rate(1.5), 0.075);
  EXPECT_DOUBLE_EQ(schedule.rate(2), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate(6), 0.05);  // half way from 2 to 10
}

TEST(Schedule, WarmUpLongerThanTheRunOnlyRises) {
  network::TrainOptions options = options_with("cosine");
  options.lr_warmup = 20;
  const Schedule schedule(options);
  EXPECT_DOUBLE_EQ(schedule.rate(9), 0.045);
}

TEST(Schedule, PlateauReducesAfterPatienceEpochsWithoutABetterScore) {
  network::TrainOptions options = options_with("plateau");
  options.schedule_patience = 2;
  options.schedule_factor = 0.1;
  Schedule schedule(options);
  schedule.epoch_done(0.5);
  schedule.epoch_done(0.5);  // equal is not better
  EXPECT_DOUBLE_EQ(schedule.rate(2), 0.1);
  schedule.epoch_done(std::numeric_limits<double>::quiet_NaN());
  EXPECT_DOUBLE_EQ(schedule.rate(3), 0.01);
  schedule.epoch_done(0.6);
  schedule.epoch_done(0.4);
  EXPECT_DOUBLE_EQ(schedule.rate(5), 0.01);
  schedule.epoch_done(0.4);
  EXPECT_DOUBLE_EQ(schedule.rate(6), 0.001);
}

TEST(Schedule, RestoredStateGoesOnAsIfNeverStopped) {
  network::TrainOptions options = options_with("plateau");
  options.schedule_patience = 2;
  const std::vector<double> scores = {0.1, 0.5, 0.4, 0.3, 0.2, 0.6, 0.1, 0.1, 0.1};
  for (std::size_t stop = 0; stop <= scores.size(); ++stop) {
    Schedule whole(options), before(options), after(options);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      whole.epoch_done(scores[i]);
      if (i == stop) after.restore(before.state());
      (i < stop ? before : after).epoch_done(scores[i]);
    }
    const ScheduleState state = stop == scores.size() ? before.state() : after.state();
    EXPECT_EQ(state.best, whole.state().best);
    EXPECT_EQ(state.epochs_since, whole.state().epochs_since);
    EXPECT_EQ(state.factor, whole.state().factor);
    EXPECT_EQ(state.factor, 0.25);
  }
}

}  // namespace
}  // namespace dotin::training
