#include "dotin/training/selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"

namespace dotin::training {
namespace {

using Values = std::vector<double>;
using Epochs = std::vector<int64_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One metric; per fold the choosing scores and the test values. Validation values are 100 + the test values.
CrossValidation run_of(const std::vector<std::pair<Values, Values>>& folds, int64_t first_eligible = 0) {
  CrossValidation run;
  run.metrics = {{"classify", "accuracy", true}};
  run.first_eligible_epoch = first_eligible;
  for (const auto& [choosing, test] : folds) {
    run.folds.emplace_back();
    for (std::size_t e = 0; e < test.size(); ++e) run.folds.back().push_back({choosing[e], {100 + test[e]}, {test[e]}});
  }
  return run;
}

MetricResult result_of(const CrossValidation& run) { return select_epochs(run).at(0); }

TEST(Selection, FourRulesOnTwoFolds) {
  const MetricResult result = result_of(run_of({{{0.1, 0.9, 0.2, 0.3}, {0.5, 0.6, 0.9, 0.7}},  //
                                                {{0.8, 0.1, 0.1, 0.2}, {0.4, 0.8, 0.3, 0.6}}}));
  EXPECT_EQ(result.by_validation.test.folds, (Values{0.6, 0.4}));
  EXPECT_EQ(result.by_validation.epochs, (Epochs{1, 0}));
  EXPECT_EQ(result.last.test.folds, (Values{0.7, 0.6}));
  // Means 0.45, 0.7, 0.6, 0.65.
  EXPECT_EQ(result.best_mean.test.folds, (Values{0.6, 0.8}));
  EXPECT_EQ(result.best_mean.epochs, (Epochs{1, 1}));
  EXPECT_EQ(result.best_test.test.folds, (Values{0.9, 0.8}));
  EXPECT_EQ(result.best_test.epochs, (Epochs{2, 1}));
  EXPECT_DOUBLE_EQ(result.by_validation.test.mean, 0.5);
  EXPECT_DOUBLE_EQ(result.by_validation.test.std, std::sqrt(0.02));  // (0.1^2 + 0.1^2) / (2 - 1)
}

TEST(Selection, ReportsTheValidationValuesOfTheSameEpochs) {
  const MetricResult result = result_of(run_of({{{1, 2, 0}, {1, 2, 3}}, {{2, 1, 0}, {4, 5, 6}}}));
  EXPECT_EQ(result.by_validation.validation.folds, (Values{102, 104}));
  EXPECT_EQ(result.last.validation.folds, (Values{103, 106}));
}

TEST(Selection, TiesGoToTheEarliestEpoch) {
  const MetricResult result = result_of(run_of({{{0.2, 0.5, 0.5}, {0.1, 0.7, 0.7}}}));
  EXPECT_EQ(result.by_validation.epochs, (Epochs{1}));
  EXPECT_EQ(result.best_mean.epochs, (Epochs{1}));
  EXPECT_EQ(result.best_test.epochs, (Epochs{1}));
}

TEST(Selection, EqualScoresGoToTheLowerValidationLoss) {
  CrossValidation run = run_of({{{0.2, 0.5, 0.5, 0.5}, {0.1, 0.2, 0.3, 0.4}}});
  run.folds[0][0].validation_loss = 0.1;  // the score comes first
  run.folds[0][1].validation_loss = 0.7;
  run.folds[0][2].validation_loss = 0.6;
  run.folds[0][3].validation_loss = kNaN;
  EXPECT_EQ(result_of(run).by_validation.epochs, (Epochs{2}));
}

TEST(Selection, EpochsBeforeTheFullDropRatioAreNeverChosen) {
  const MetricResult result = result_of(run_of({{{0.9, 0.8, 0.1, 0.2}, {0.9, 0.8, 0.2, 0.1}}}, 2));
  EXPECT_EQ(result.by_validation.epochs, (Epochs{3}));
  EXPECT_EQ(result.best_mean.epochs, (Epochs{2}));
  EXPECT_EQ(result.best_test.epochs, (Epochs{2}));
}

TEST(Selection, LowerIsBetterWhereTheMetricSaysSo) {
  CrossValidation run = run_of({{{0.1, 0.9, 0.5}, {2, 3, 1}}, {{0.9, 0.5, 0.5}, {1, 3, 4}}});
  run.metrics[0].higher_is_better = false;
  const MetricResult result = result_of(run);
  EXPECT_EQ(result.by_validation.epochs, (Epochs{1, 0}));  // the choosing score is always higher-is-better
  EXPECT_EQ(result.best_mean.epochs, (Epochs{0, 0}));      // means 1.5, 3, 2.5
  EXPECT_EQ(result.best_test.epochs, (Epochs{2, 0}));
}

TEST(Selection, FoldsMayStopAtDifferentEpochs) {
  const MetricResult result = result_of(run_of({{{0.1, 0.2, 0.3, 0.4}, {0.1, 0.2, 0.3, 0.9}},  //
                                                {{0.3, 0.2}, {0.5, 0.1}}}));
  EXPECT_EQ(result.by_validation.epochs, (Epochs{3, 0}));
  EXPECT_EQ(result.last.epochs, (Epochs{3, 1}));
  EXPECT_EQ(result.last.test.folds, (Values{0.9, 0.1}));
  EXPECT_EQ(result.best_mean.epochs, (Epochs{0, 0}));  // means 0.3, 0.15 of the two common epochs
  EXPECT_EQ(result.best_test.epochs, (Epochs{3, 0}));
}

TEST(Selection, NaNNeverWins) {
  const MetricResult result = result_of(run_of({{{kNaN, 0.1, kNaN, 0.2}, {kNaN, 0.9, 0.3, 0.2}},  //
                                                {{kNaN, 0.2, kNaN, 0.1}, {0.9, kNaN, 0.4, 0.6}}}));
  EXPECT_EQ(result.by_validation.epochs, (Epochs{3, 1}));
  EXPECT_TRUE(std::isnan(result.by_validation.test.mean));
  EXPECT_EQ(result.best_mean.epochs, (Epochs{3, 3}));  // means NaN, NaN, 0.35, 0.4
  EXPECT_EQ(result.best_test.epochs, (Epochs{1, 0}));
}

TEST(Selection, AllNaNChoosesTheLastEpoch) {
  EXPECT_EQ(best_epoch({1, kNaN, kNaN}, 1, true), 2);
  EXPECT_EQ(best_epoch({1, kNaN, kNaN}, 0, true), 0);
}

TEST(Selection, MetricsAreChosenApartButShareTheValidationEpoch) {
  CrossValidation run;
  run.metrics = {{"classify", "accuracy", true}, {"ged", "pair_auc", true}};
  run.folds = {{{0.5, {0, 0}, {0.9, 0.1}}, {0.6, {0, 0}, {0.2, 0.3}}}};
  const std::vector<MetricResult> results = select_epochs(run);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].by_validation.epochs, (Epochs{1}));
  EXPECT_EQ(results[1].by_validation.epochs, (Epochs{1}));
  EXPECT_EQ(results[0].best_test.epochs, (Epochs{0}));
  EXPECT_EQ(results[1].best_test.epochs, (Epochs{1}));
}

TEST(Selection, SampleDeviationDividesByOneLess) {
  EXPECT_DOUBLE_EQ(summarize({1, 2, 3, 4}).std, std::sqrt(5.0 / 3));
  EXPECT_EQ(summarize({0.7}).std, 0);
  EXPECT_EQ(summarize({0.7}).mean, 0.7);
  EXPECT_TRUE(std::isnan(summarize({kNaN}).std));
  EXPECT_TRUE(std::isnan(summarize({kNaN, 1}).std));
}

TEST(Selection, AFoldWithoutAnEligibleEpochIsAnError) {
  EXPECT_THROW(select_epochs(run_of({{{0.1, 0.2}, {0.1, 0.2}}, {{0.1}, {0.1}}}, 1)), core::Error);
  EXPECT_THROW(select_epochs(run_of({})), core::Error);
}

TEST(Selection, JsonHasTasksMetricsAndRules) {
  const nlohmann::json object = to_json(select_epochs(run_of({{{1, 2}, {0.5, 0.25}}, {{1, 2}, {kNaN, 0.75}}})));
  EXPECT_EQ(object.size(), 1u);
  const nlohmann::json& rules = object["tasks"]["classify"]["accuracy"];
  EXPECT_EQ(rules.size(), 4u);
  for (const char* rule : {"validation", "last", "best_mean", "best_test"}) EXPECT_TRUE(rules.contains(rule)) << rule;
  EXPECT_EQ(rules["last"]["mean"], 0.5);
  EXPECT_EQ(rules["last"]["folds"], nlohmann::json({0.25, 0.75}));
  EXPECT_EQ(rules["last"]["epochs"], nlohmann::json({1, 1}));
  EXPECT_EQ(rules["last"]["validation"]["mean"], 100.5);
  EXPECT_DOUBLE_EQ(rules["last"]["std"], std::sqrt(0.125));
}

}  // namespace
}  // namespace dotin::training
