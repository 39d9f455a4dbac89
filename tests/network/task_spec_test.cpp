#include "dotin/network/task_spec.h"

#include <gtest/gtest.h>

#include "dotin/core/error.h"
#include "support/small_data.h"

namespace dotin::network {
namespace {

using dotin::testing::error_of;

std::string usage_error(const std::vector<std::string>& texts) {
  try {
    parse_tasks(texts);
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "no usage error";
}

TEST(TaskSpec, KindsHaveTheirUsualTargets) {
  const std::vector<TaskSpec> specs = parse_tasks({"classify", "regress", "multilabel", "ged"});
  ASSERT_EQ(specs.size(), 4u);
  EXPECT_EQ(specs[0].target, "label");
  EXPECT_EQ(specs[1].target, "label");
  EXPECT_EQ(specs[2].target, "attributes");
  EXPECT_EQ(specs[3].target, "");
  for (const TaskSpec& spec : specs) {
    EXPECT_EQ(spec.name, spec.kind);
    EXPECT_EQ(spec.weight, 1);
  }
}

TEST(TaskSpec, NameTargetAndWeightAreRead) {
  const std::vector<TaskSpec> specs = parse_tasks({"my-tox=multilabel:tox*0.5", "regress:attributes.3*2e1", "ged*3"});
  EXPECT_EQ(specs[0].name, "my-tox");
  EXPECT_EQ(specs[0].kind, "multilabel");
  EXPECT_EQ(specs[0].target, "tox");
  EXPECT_EQ(specs[0].weight, 0.5);
  EXPECT_EQ(specs[1].name, "regress");
  EXPECT_EQ(specs[1].target, "attributes.3");
  EXPECT_EQ(specs[1].weight, 20);
  EXPECT_EQ(specs[2].weight, 3);
}

TEST(TaskSpec, TasksOfOneKindAreCalledAfterTheirTargets) {
  const std::vector<TaskSpec> specs = parse_tasks({"regress:attributes.0", "regress:logp", "classify:toxic"});
  EXPECT_EQ(specs[0].name, "attributes_0");
  EXPECT_EQ(specs[1].name, "logp");
  EXPECT_EQ(specs[2].name, "classify");
}

TEST(TaskSpec, WhatMakesNoSenseIsWrongUsage) {
  EXPECT_SAYS(usage_error({}), "no task given");
  EXPECT_SAYS(usage_error({"clasify"}), "unknown task 'clasify' (did you mean 'classify'?)");
  EXPECT_SAYS(usage_error({""}), "unknown task ''; there are: classify, regress, multilabel, ged");
  EXPECT_SAYS(usage_error({"a b=classify"}), "a name has letters, digits, _ and - only");
  EXPECT_SAYS(usage_error({"=classify"}), "a name has letters");
  EXPECT_SAYS(usage_error({"ged:label"}), "ged makes its own pairs and takes no target");
  EXPECT_SAYS(usage_error({"classify", "regress:logp", "classify"}),
              "two tasks are called 'label': name them, e.g. "
              "first=classify:label");
  EXPECT_SAYS(usage_error({"ged", "ged"}), "two tasks are called 'ged': name them, e.g. first=ged");
  EXPECT_SAYS(usage_error({"x=ged", "x=classify"}), "two tasks are called 'x'");
  for (const char* const weight :
       {"classify*0", "classify*-1", "classify*", "classify*nan", "classify*inf", "classify*two", "classify*1x"}) {
    EXPECT_SAYS(usage_error({weight}), "the weight after * must be a positive number") << weight;
  }
}

TEST(TaskSpec, NamesThatPredictionsUseAreTaken) {
  for (const char* const name : {"graph", "id", "layers"}) {
    EXPECT_SAYS(usage_error({std::string(name) + "=classify"}), "a task cannot be called") << name;
  }
}

}  // namespace
}  // namespace dotin::network
