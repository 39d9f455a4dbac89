#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

TEST(Cv, JsonHasEveryRuleOfEveryMetric) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result =
      run(small_run("cv", data, folder / "run", {"--folds", "3", "--tasks", "classify,ged", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["folds"], 3);
  EXPECT_EQ(json["data"], "own");
  for (const nlohmann::json& feature : json["features"]) EXPECT_EQ(feature["columns"].size(), 3u) << feature;
  EXPECT_EQ(json["features"].back()["name"], "neighbours");
  EXPECT_EQ(json["features"].back()["columns"], (std::vector<int>{16, 16, 16}));
  EXPECT_EQ(nlohmann::json::parse(read_text(folder / "run/result.json")), json);
  EXPECT_SAYS(read_text(folder / "run/report.html"), "<!DOCTYPE html>");
  for (const auto& [task, metric] :
       {std::pair{"classify", "accuracy"}, std::pair{"ged", "triplet_accuracy"}, std::pair{"ged", "pair_auc"}}) {
    for (const char* const rule : {"validation", "last", "best_mean", "best_test"}) {
      const nlohmann::json& entry = json["tasks"][task][metric][rule];
      ASSERT_EQ(entry["folds"].size(), 3u) << task << metric << rule;
      double sum = 0, squares = 0;
      for (const double value : entry["folds"]) sum += value;
      for (const double value : entry["folds"]) squares += (value - sum / 3) * (value - sum / 3);
      EXPECT_NEAR(entry["mean"], sum / 3, 1e-12);
      EXPECT_NEAR(entry["std"], std::sqrt(squares / 2), 1e-12);
    }
    EXPECT_GE(json["tasks"][task][metric]["best_test"]["mean"], json["tasks"][task][metric]["validation"]["mean"]);
  }
  const std::string metrics = read_text(folder / "run/metrics.csv");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 1 + 3 * 3) << "a row per fold and epoch";
  EXPECT_SAYS(metrics, "test.ged.pair_auc");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 9) << result.err;
}

TEST(Cv, EveryComparedMethodRunsWithBothTasks) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  for (const char* const method :
       {"--drop gpool", "--drop sagpool", "--drop lapool", "--drop diffpool", "--drop mincut", "--drop dropgnn",
        "--drop random", "--drop none", "--drop none --readout set2set", "--drop none --readout sortpool",
        "--drop none --readout sagpool", "--drop none --readout mean"}) {
    std::vector<std::string> words = {"--folds", "3", "--tasks", "classify,ged", "--json"};
    std::istringstream stream(method);
    for (std::string word; stream >> word;) words.push_back(word);
    const Result result = run(small_run("cv", data, folder / method, words));
    ASSERT_EQ(result.code, 0) << method << ": " << result.err;
    const nlohmann::json tasks = nlohmann::json::parse(result.out)["tasks"];
    for (const char* const rule : {"validation", "last", "best_mean", "best_test"}) {
      EXPECT_GE(tasks["classify"]["accuracy"][rule]["mean"], 0) << method;
      EXPECT_GE(tasks["ged"]["pair_auc"][rule]["mean"], 0) << method;
    }
  }
}

TEST(Cv, JobsChangeNothingAndASignalLosesNothing) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const std::vector<std::string> options = {"--folds", "3", "--epochs", "15", "--json"};
  const auto with_jobs = [&](const std::string& jobs, const std::string& out) {
    std::vector<std::string> words = small_run("cv", data, out, options);
    words.insert(words.end(), {"--jobs", jobs});
    return words;
  };
  const Result alone = run(with_jobs("1", folder / "one"));
  const Result together = run(with_jobs("3", folder / "three"));
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(together.code, 0) << together.err;
  const nlohmann::json expected = nlohmann::json::parse(alone.out)["tasks"];
  EXPECT_EQ(nlohmann::json::parse(together.out)["tasks"], expected);
  EXPECT_EQ(without_seconds(folder / "three/metrics.csv"), without_seconds(folder / "one/metrics.csv"));

  const Result stopped = run_and_signal(with_jobs("2", folder / "cut"), "epoch 3/15", SIGINT);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_SAYS(stopped.err, "Go on with: dotin cv --resume " + (folder / "cut"));
  EXPECT_SAYS(run({"train", "--resume", folder / "cut"}).err, "this is a run of dotin cv");
  const Result resumed = run({"cv", "--resume", folder / "cut", "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(nlohmann::json::parse(resumed.out)["tasks"], expected);
  EXPECT_EQ(without_seconds(folder / "cut/metrics.csv"), without_seconds(folder / "one/metrics.csv"));
}

TEST(Cv, TheTableShowsTheRulesSideBySide) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run(small_run("cv", data, folder / "run", {"--folds", "3", "--quiet"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* const part : {"validation", "last", "best mean", "best test", "classify accuracy", " +- "}) {
    EXPECT_SAYS(result.out, part);
  }
}

TEST(Cv, MoreFoldsThanGraphsAreRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(8));
  const Result result = run(small_run("cv", data, folder / "run", {"--folds", "9"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_SAYS(result.err, "9 folds of 8 graphs");
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

}  // namespace
}  // namespace dotin::testing
