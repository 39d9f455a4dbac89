#include "dotin/training/run_folder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "dotin/core/error.h"
#include "dotin/network/config.h"
#include "support/temporary_folder.h"

namespace dotin::training {
namespace {

using testing::read_text;
using testing::TemporaryFolder;

const std::string kHeader = "fold,epoch,lr,drop_factor,train_loss,validation_loss,seconds,test.classify.accuracy\n";

MetricsRow row_of(int64_t fold, int64_t epoch) { return {fold, epoch, 0.001, 1, 0.5, 0.6, 2, {0.75}}; }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RunName, IsMadeOfDataTasksAndTime) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  const std::time_t time = 1700000000;
  EXPECT_EQ(default_run_name("DD", {"classify"}, time), "DD-classify-20231114-221320");
  EXPECT_EQ(default_run_name("/data/DD.zip", {"classify", "ged*0.5"}, time), "DD-classify-ged-20231114-221320");
  EXPECT_EQ(default_run_name("my data/", {"tox=multilabel:tox"}, time), "my-data-tox-20231114-221320");
  EXPECT_EQ(default_run_name(".", {"classify"}, time), "run-classify-20231114-221320");
}

TEST(RunFolder, NewOrEmptyFoldersAreTaken) {
  const TemporaryFolder folder;
  EXPECT_EQ(RunFolder::create(folder / "a/b").path(), folder / "a/b");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
  EXPECT_EQ(RunFolder::create(folder / "a/b").path(), folder / "a/b");
}

TEST(RunFolder, AFolderWithAnythingInItIsRefused) {
  const TemporaryFolder folder;
  folder.write("run/notes.txt", "mine");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "`resume`", message_of([&] { RunFolder::create(folder / "run"); }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "is a file",
                      message_of([&] { RunFolder::create(folder / "run/notes.txt"); }));
  EXPECT_EQ(read_text(folder / "run/notes.txt"), "mine");
}

TEST(RunFolder, TakenNamesGetANumber) {
  const TemporaryFolder folder;
  const std::string root = folder / "runs";
  EXPECT_EQ(RunFolder::create_numbered(root, "DD").path(), root + "/DD");
  EXPECT_EQ(RunFolder::create_numbered(root, "DD").path(), root + "/DD-2");
  EXPECT_EQ(RunFolder::create_numbered(root, "DD").path(), root + "/DD-3");
}

TEST(RunFolder, ConfigIsReadBackOnOpening) {
  const TemporaryFolder folder;
  network::RunOptions options = network::preset(Preset::paper);
  options.train.epochs = 3;
  RunFolder::create(folder / "run").write_config(options, {{"lr", "0.25"}});
  EXPECT_EQ(RunFolder::open(folder / "run").config_text(), network::to_toml(options, {{"lr", "0.25"}}));
}

TEST(RunFolder, OnlyAFolderWithAConfigCanBeOpened) {
  const TemporaryFolder folder;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "no such run folder",
                      message_of([&] { RunFolder::open(folder / "none"); }));
  RunFolder::create(folder / "empty");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "config.toml", message_of([&] { RunFolder::open(folder / "empty"); }));
}

TEST(RunFolder, TwoRunsNeverShareOne) {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  std::optional<RunFolder> first = RunFolder::create(path);
  const std::string held = path + ": in use by process " + std::to_string(::getpid()) + " on ";
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, held, message_of([&] { RunFolder::create(path); }));
  first->write_config(network::preset(Preset::paper));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, held, message_of([&] { RunFolder::open(path); }));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, held, message_of([&] { RunFolder::create(path); }));
  const RunFolder copy = *first;
  first.reset();
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, held, message_of([&] { RunFolder::open(path); }));
}

TEST(RunFolder, WhatAKilledRunLeftNeitherStopsTheNextOneNorStays) {
  const TemporaryFolder folder;
  folder.write("run/.lock", "process 1 on a machine that is gone\n");
  folder.write("run/.config.toml.tmp.1.0", "half");
  const std::string path = folder / "run";
  RunFolder::create(path).write_config(network::preset(Preset::paper));
  EXPECT_FALSE(std::filesystem::exists(path + "/.lock"));
  EXPECT_FALSE(std::filesystem::exists(path + "/.config.toml.tmp.1.0"));
  folder.write("run/.last.ckpt.safetensors.tmp.1.7", "half");
  RunFolder::open(path);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path), {}), 1) << "config.toml";
}

TEST(RunFolder, OneThatWasRemovedDoesNotComeBack) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run");
  std::filesystem::remove_all(folder / "run");
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "result.json: cannot write: its folder is gone", message_of([&] {
                        run.write_result({{"mean", 0.5}});
                      }));
  EXPECT_THROW(MetricsFile(run.file("metrics.csv"), {}), core::Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(RunFolder, ResultIsJsonWithNullForNaN) {
  const TemporaryFolder folder;
  const RunFolder run = RunFolder::create(folder / "run");
  run.write_result({{"mean", 0.5}, {"std", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(read_text(run.file("result.json")), "{\n  \"mean\": 0.5,\n  \"std\": null\n}\n");
}

TEST(MetricsFile, RowsAreThereAsSoonAsTheyAreAppended) {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.csv";
  MetricsFile metrics(path, {"test.classify.accuracy"});
  EXPECT_EQ(read_text(path), kHeader);
  metrics.append({0, 0, 1e-3, 0.05, 1.0 / 3, 0.25, 1.5, {0.1}});
  EXPECT_EQ(read_text(path), kHeader + "0,0,0.001,0.05,0.3333333333333333,0.25,1.5,0.1\n");
  metrics.append({0, 1, 1e-5, 1, 2, 3, 0, {std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(read_text(path), kHeader +
                                 "0,0,0.001,0.05,0.3333333333333333,0.25,1.5,0.1\n"
                                 "0,1,1e-05,1,2,3,0,nan\n");
}

TEST(MetricsFile, AwkwardColumnNamesAreQuoted) {
  const TemporaryFolder folder;
  MetricsFile metrics(folder / "metrics.csv", {"test.a,b.auc", "test.\"c\".auc"});
  EXPECT_EQ(read_text(folder / "metrics.csv"),
            "fold,epoch,lr,drop_factor,train_loss,validation_loss,seconds,\"test.a,b.auc\",\"test.\"\"c\"\".auc\"\n");
}

TEST(MetricsFile, OpeningAgainAppendsWithoutASecondHeader) {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.csv";
  MetricsFile(path, {"test.classify.accuracy"}).append(row_of(0, 0));
  MetricsFile(path, {"test.classify.accuracy"}).append(row_of(0, 1));
  EXPECT_EQ(read_text(path), kHeader + "0,0,0.001,1,0.5,0.6,2,0.75\n0,1,0.001,1,0.5,0.6,2,0.75\n");
}

TEST(MetricsFile, AFileWithOtherColumnsIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "metrics.csv";
  MetricsFile(path, {"test.classify.accuracy"}).append(row_of(0, 0));
  const std::string before = read_text(path);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring,
                      "metrics.csv:1: ", message_of([&] { MetricsFile(path, {"test.ged.pair_auc"}); }));
  EXPECT_THROW(MetricsFile(path, {"test.classify.accuracy", "more"}), core::Error);
  EXPECT_THROW(MetricsFile(path, {}), core::Error);
  EXPECT_EQ(read_text(path), before);
}

TEST(MetricsFile, ALineCutShortByACrashIsRemoved) {
  const TemporaryFolder folder;
  const std::string path = folder.write("metrics.csv", kHeader + "0,0,0.001,1,0.5,0.6,2,0.75\n0,1,0.0");
  MetricsFile(path, {"test.classify.accuracy"}).append(row_of(0, 1));
  EXPECT_EQ(read_text(path), kHeader + "0,0,0.001,1,0.5,0.6,2,0.75\n0,1,0.001,1,0.5,0.6,2,0.75\n");
}

TEST(MetricsFile, TruncationNamesALineThatIsNoRow) {
  const TemporaryFolder folder;
  const std::string path = folder.write("metrics.csv", kHeader + "0,0,0.001,1,0.5,0.6,2,0.75\nhello\n");
  MetricsFile metrics(path, {"test.classify.accuracy"});
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "metrics.csv:3: ", message_of([&] { metrics.truncate_after(0, 0); }));
}

RC_GTEST_PROP(MetricsFile, AResumedRunEndsWithTheFileOfOneThatNeverStopped, ()) {
  const auto folds = *rc::gen::inRange<int64_t>(1, 4);
  const auto epochs = *rc::gen::inRange<int64_t>(1, 5);
  const auto checkpoint = *rc::gen::inRange<int64_t>(0, folds * epochs + 1);        // rows the checkpoint knows
  const auto written = *rc::gen::inRange<int64_t>(checkpoint, folds * epochs + 1);  // rows that made it into the file
  const TemporaryFolder folder;
  const std::vector<std::string> columns = {"test.classify.accuracy"};
  const auto append = [&](MetricsFile& metrics, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) metrics.append(row_of(i / epochs, i % epochs));
  };

  MetricsFile whole(folder / "whole.csv", columns);
  append(whole, 0, folds * epochs);
  {
    MetricsFile stopped(folder / "resumed.csv", columns);
    append(stopped, 0, written);
  }
  MetricsFile resumed(folder / "resumed.csv", columns);
  // The epoch before the next one to do; -1 at the start of a fold.
  resumed.truncate_after(checkpoint / epochs, checkpoint % epochs - 1);
  append(resumed, checkpoint, folds * epochs);
  RC_ASSERT(read_text(folder / "resumed.csv") == read_text(folder / "whole.csv"));
}

}  // namespace
}  // namespace dotin::training
