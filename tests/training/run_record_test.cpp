#include "dotin/training/run_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "training/small_run.h"

namespace dotin::training {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file
using nlohmann::json;

const json& task_named(const json& record, const std::string& name) {
  for (const json& task : record["tested"]) {
    if (task["name"] == name) return task;
  }
  throw std::out_of_range(name);
}

TEST(TestRecord, SetsOutputsOfEveryKindBesideTheTruth) {
  const data::View all(small_dataset(24));
  const training::Learner learner =
      training::make_learner(small_options({"classify", "regress:attributes", "multilabel:tox", "ged"}), all);
  TestRecord record(all.shared());
  record.add(learner, all);
  const json told = record.to_json();

  const json& classify = task_named(told, "classify");
  EXPECT_EQ(classify["classes"], json({"-1", "1"}));
  int64_t graphs = 0;
  for (const json& row : classify["confusion"]) {
    for (const json& count : row) graphs += count.get<int64_t>();
  }
  EXPECT_EQ(graphs, 23) << "graph 4 has no label";

  const json& regress = task_named(told, "regress");
  ASSERT_EQ(regress["pairs"].size(), 2u) << "a list per column";
  ASSERT_EQ(regress["pairs"][0].size(), 23u);
  EXPECT_EQ(regress["pairs"][0][0][0], all.get(0).nodes) << "the true value comes first";

  const json& multilabel = task_named(told, "multilabel");
  ASSERT_EQ(multilabel["answers"].size(), 2u);
  const tasks::BoundTargets tox = learner.tasks[2]->bind(all.dataset());
  for (std::size_t question = 0; question < 2; ++question) {
    int64_t known = 0, answers = 0;
    for (std::size_t i = question; i < tox.values.size(); i += 2) known += std::isnan(tox.values[i]) ? 0 : 1;
    for (const json& count : multilabel["answers"][question]) answers += count.get<int64_t>();
    EXPECT_EQ(answers, known);
  }

  EXPECT_EQ(task_named(told, "ged")["closer"].size(), 4 * 24u) << "four triplets of each graph";
  EXPECT_EQ(task_named(told, "ged")["farther"].size(), 4 * 24u);
  EXPECT_EQ(told["drops"]["nodes"], all.dataset().nodes());
}

TEST(TestRecord, FoldsAddUp) {
  const data::View all(small_dataset(24));
  const training::Learner learner = training::make_learner(small_options({"classify"}), all);
  TestRecord record(all.shared());
  record.add(learner, all.subset({0, 1, 2}));
  record.add(learner, all.subset({5, 6}));
  EXPECT_EQ(record.to_json()["drops"]["graphs"], 5);

  TestRecord empty(all.shared());
  empty.add(learner, all.subset({}));
  EXPECT_EQ(empty.to_json()["drops"]["graphs"], 0);
  EXPECT_EQ(empty.to_json()["model"]["layers"], 3);
}

TEST(TestRecord, MethodsThatListNoNodesOrHaveNoVirtualOnesAreReportedToo) {
  const data::View all(small_dataset(24));
  for (const auto& [drop, graphs] : {std::pair("gpool", 24), std::pair("diffpool", 0)}) {
    network::RunOptions options = small_options({"classify", "ged"});
    options.model.drop = core::from_word<dotin::Drop>("drop", drop);
    const training::Learner learner = training::make_learner(options, all);
    TestRecord record(all.shared());
    record.add(learner, all);
    const json told = record.to_json();
    EXPECT_EQ(told["drops"]["graphs"], graphs) << drop;
    EXPECT_EQ(told["drops"]["agreement"].size(), 0u) << drop;
    EXPECT_EQ(task_named(told, "ged")["closer"].size(), 4 * 24u) << drop;
  }
}

TEST(HistoryJson, HasAnEntryPerFoldAndEpoch) {
  training::EpochRecord record;
  record.epoch = 7;
  record.validation_loss = std::nan("");
  record.validation = {0.5};
  const json told = history_json({{"classify", "accuracy", true}}, {{record}, {record, record}}, {7, -1});
  EXPECT_EQ(told["metrics"], json({{{"task", "classify"}, {"metric", "accuracy"}}}));
  EXPECT_EQ(told["folds"][1]["epochs"].size(), 2u);
  EXPECT_EQ(told["folds"][0]["best_epoch"], 7);
  EXPECT_EQ(told["folds"][0]["epochs"][0]["validation"], json({0.5}));
  EXPECT_TRUE(json::parse(told.dump())["folds"][0]["epochs"][0]["validation_loss"].is_null());
}

}  // namespace
}  // namespace dotin::training
