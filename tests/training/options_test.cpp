#include "dotin/training/options.h"

#include <gtest/gtest.h>

#include <set>

#include "dotin/core/error.h"

namespace dotin::training {
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
  options.model.drop = "none";
  EXPECT_EQ(unused(options).count("drop_warmup"), 1u);
  options.train.schedule = "step";
  EXPECT_EQ(unused(options).count("schedule_step"), 0u);
  EXPECT_EQ(unused(options).count("schedule_factor"), 0u);
  EXPECT_EQ(unused(options).count("schedule_patience"), 1u);
  options.train.schedule = "plateau";
  EXPECT_EQ(unused(options).count("schedule_step"), 1u);
  EXPECT_EQ(unused(options).count("schedule_patience"), 0u);
}

}  // namespace
}  // namespace dotin::training
