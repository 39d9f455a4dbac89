#include "dotin/training/cross_validation.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "training/small_run.h"

namespace dotin::training {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

CrossValidationInput small_validation() {
  CrossValidationInput input;
  input.dataset = small_dataset(18);
  input.options = small_options({"classify", "ged"});
  input.options.train.epochs = 3;
  input.options.train.threads = 1;
  input.folds = 3;
  input.jobs = 1;
  return input;
}

CrossValidationResult validate(const CrossValidationInput& input) {
  CrossValidationObserver observer;
  return cross_validate(input, observer);
}

std::string numbers_of(const CrossValidationResult& result) {
  std::string text = to_json(result.results).dump();
  for (const auto& history : result.histories) text += history_text(history);
  return text;
}

TEST(CrossValidation, ResultsDoNotDependOnTheNumberOfJobs) {
  CrossValidationInput input = small_validation();
  const std::string alone = numbers_of(validate(input));
  for (const int64_t jobs : {2, 3, 9}) {
    input.jobs = jobs;
    EXPECT_EQ(numbers_of(validate(input)), alone) << jobs << " jobs";
  }
}

TEST(CrossValidation, EveryRuleIsReportedForEveryMetric) {
  const nlohmann::json json = to_json(validate(small_validation()).results);
  const std::map<std::string, std::vector<std::string>> metrics = {{"classify", {"accuracy", "f1", "auc"}},
                                                                   {"ged", {"triplet_accuracy", "pair_auc"}}};
  for (const auto& [task, names] : metrics) {
    EXPECT_EQ(json["tasks"][task].size(), names.size());
    for (const std::string& name : names) {
      for (const char* const rule : {"validation", "last", "best_mean", "best_test"}) {
        const nlohmann::json& entry = json["tasks"][task][name][rule];
        ASSERT_EQ(entry["folds"].size(), 3u) << task << name << rule;
        EXPECT_TRUE(entry.contains("mean") && entry.contains("std"));
      }
    }
  }
  for (const int64_t epoch : json["tasks"]["ged"]["pair_auc"]["validation"]["epochs"]) {
    EXPECT_GE(epoch, 1) << "0.4 of three epochs is the warm-up of the drop ratio";
  }
}

/// Asks to stop after so many steps of all folds together.
class StopAll : public CrossValidationObserver {
 public:
  explicit StopAll(int64_t steps) : left_(steps) {}
  void on_step(int64_t, const StepInfo&) override { --left_; }
  bool stop_requested() override { return left_ <= 0; }

 private:
  int64_t left_;
};

TEST(CrossValidation, ResumingGivesTheSameNumbers) {
  const std::string whole = numbers_of(validate(small_validation()));
  for (const int64_t jobs : {1, 2}) {
    const TemporaryFolder folder;
    CrossValidationInput input = small_validation();
    input.jobs = jobs;
    input.checkpoint_folder = folder / "checkpoints";
    input.resume = true;
    int pieces = 0;
    for (bool interrupted = true; interrupted; ++pieces) {
      StopAll observer(5);
      const CrossValidationResult result = cross_validate(input, observer);
      interrupted = result.interrupted;
      if (!interrupted) {
        EXPECT_EQ(numbers_of(result), whole);
      }
      if (interrupted) {
        EXPECT_TRUE(result.results.empty());
      }
    }
    EXPECT_GT(pieces, 2);
  }
}

TEST(CrossValidation, AnErrorInAFoldIsThrownWhereItWasCalled) {
  CrossValidationInput input = small_validation();
  input.options.train.lr = 1e37;
  input.options.train.epochs = 20;
  for (const int64_t jobs : {1, 3}) {
    input.jobs = jobs;
    const std::string message = error_of([&] { validate(input); });
    EXPECT_SAYS(message, "lower `lr`");
  }
}

TEST(CrossValidation, FoldsAreStratifiedByTheFirstClassificationTask) {
  const auto dataset = small_dataset(20);
  const std::vector<int32_t> by_label =
      network::stratification(data::View(dataset), small_options({"ged", "classify"}));
  EXPECT_EQ(by_label[0], 0);
  EXPECT_EQ(by_label[1], 1);
  EXPECT_EQ(by_label[4], -1) << "no label";
  EXPECT_EQ(network::stratification(data::View(dataset), small_options({"classify:tox.1"}))[1], 1) << "5 nodes: odd";
  for (const int32_t each : network::stratification(data::View(dataset), small_options({"ged", "regress:attributes"})))
    EXPECT_EQ(each, 0);
}

TEST(CrossValidation, TooFewFoldsOrGraphsAreRefused) {
  CrossValidationInput input = small_validation();
  input.folds = 2;
  EXPECT_THROW(validate(input), core::UsageError);
  input.folds = 19;
  EXPECT_SAYS(error_of([&] { validate(input); }), "19 folds of 18 graphs");
}

}  // namespace
}  // namespace dotin::training
