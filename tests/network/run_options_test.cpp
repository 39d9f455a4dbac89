#include "dotin/network/run_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "dotin/core/error.h"

namespace dotin::network {
namespace {

std::set<std::string> unused(const RunOptions& options) {
  std::set<std::string> names;
  for (const WithoutEffect& without : options.without_effect()) names.insert(without.option);
  return names;
}

TEST(RunOptions, KnowWhichOptionsTheirTasksDoNotUse) {
  RunOptions options;
  options.task.tasks = {"classify"};
  EXPECT_EQ(unused(options).count("ged_k_n"), 1u);
  EXPECT_EQ(unused(options).count("ged_weight"), 1u);
  EXPECT_EQ(unused(options).count("label_smoothing"), 0u);
  options.task.tasks = {"distance=ged"};
  EXPECT_EQ(unused(options).count("ged_k_n"), 0u);
  EXPECT_EQ(unused(options).count("ged_weight"), 1u) << "there is nothing to weigh it against";
  EXPECT_EQ(unused(options).count("class_weights"), 1u);
  options.task.tasks = {"ged", "regress:attributes.0"};
  EXPECT_EQ(unused(options).count("ged_weight"), 0u);
  options.task.tasks = {"sing"};
  EXPECT_THROW(unused(options), core::UsageError);
}

TEST(RunOptions, KnowWhichOptionsTheirTrainingDoesNotUse) {
  RunOptions options;
  EXPECT_EQ(unused(options).count("drop_explore"), 0u);
  options.train.drop_warmup = 0;
  EXPECT_EQ(unused(options).count("drop_explore"), 1u) << "noise falls to 0 as the ratio rises";
  options.model.drop = Drop::none;
  EXPECT_EQ(unused(options).count("drop_warmup"), 1u);
  options.train.schedule = LrSchedule::step;
  EXPECT_EQ(unused(options).count("schedule_step"), 0u);
  EXPECT_EQ(unused(options).count("schedule_factor"), 0u);
  EXPECT_EQ(unused(options).count("schedule_patience"), 1u);
  options.train.schedule = LrSchedule::plateau;
  EXPECT_EQ(unused(options).count("schedule_step"), 1u);
  EXPECT_EQ(unused(options).count("schedule_patience"), 0u);
}

void expect_refused(const std::function<void(RunOptions&)>& change, const std::string& named) {
  RunOptions options;
  change(options);
  try {
    options.validate();
    FAIL() << "accepted";
  } catch (const core::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
  }
}

TEST(RunOptions, RefuseWordsAndNumbersThatAreNoChoiceOfAnyOption) {
  expect_refused([](RunOptions& o) { o.model.backbone = static_cast<Backbone>(99); }, "gat, gcn, gin, sage");
  expect_refused([](RunOptions& o) { o.task.ged_distance = static_cast<GedDistance>(-1); }, "ged_distance");
  expect_refused([](RunOptions& o) { o.train.schedule = static_cast<LrSchedule>(4); }, "schedule");
  expect_refused([](RunOptions& o) { o.data.features = {"labels", "atributes"}; }, "did you mean 'attributes'");
}

TEST(RunOptions, RefuseSchedulesThatMakeNoSense) {
  expect_refused([](RunOptions& o) { o.train.schedule_step = 0; }, "`schedule_step`");
  expect_refused([](RunOptions& o) { o.train.schedule_factor = 0; }, "`schedule_factor`");
  expect_refused([](RunOptions& o) { o.train.schedule_factor = 1.5; }, "`schedule_factor`");
  expect_refused([](RunOptions& o) { o.train.schedule_patience = 0; }, "`schedule_patience`");
  expect_refused([](RunOptions& o) { o.train.lr_warmup = -1; }, "`lr_warmup`");
  expect_refused([](RunOptions& o) { o.train.lr_warmup = std::nan(""); }, "`lr_warmup`");
}

}  // namespace
}  // namespace dotin::network
