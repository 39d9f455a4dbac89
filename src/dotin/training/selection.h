// Which epoch's test score a cross-validation reports. Papers differ in it and seldom say, so all rules come from one
// run, side by side.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dotin::training {

/// One metric of one task, e.g. classify, accuracy.
struct MetricName {
  std::string task, metric;
  bool higher_is_better = true;
};

/// One epoch of one fold. NaN is a score that is not there.
struct EpochScores {
  double choosing = 0;                   // validation score that chooses epochs; higher is better, whatever the metric
  std::vector<double> validation, test;  // one value per metric
  double validation_loss = 0;            // decides between equal scores
};

struct CrossValidation {
  std::vector<MetricName> metrics;
  /// The first epoch at the full drop ratio (first_full_epoch): no earlier one is chosen by its score.
  int64_t first_eligible_epoch = 0;
  /// [fold][epoch]; folds may have stopped at different epochs.
  std::vector<std::vector<EpochScores>> folds;
};

/// A value per fold with their mean and sample standard deviation (n - 1; 0 for one fold). NaN in a fold makes both
/// NaN.
struct Summary {
  double mean = 0, std = 0;
  std::vector<double> folds;
};

Summary summarize(std::vector<double> folds);

/// What one rule reports for one metric: test values, with the epochs they are from and the validation values there.
struct RuleResult {
  Summary test, validation;
  std::vector<int64_t> epochs;
};

struct MetricResult {
  MetricName name;
  RuleResult by_validation;  // per fold the epoch preferred by is_better: no look at the test set
  RuleResult last;           // per fold its last epoch
  RuleResult best_mean;      // the one epoch, of those all folds have, with the best mean test value of this metric
  RuleResult best_test;      // per fold the epoch with the best test value of this metric
};

/// Whether an epoch with this validation score and loss beats the best so far: by the score, or the loss where a score
/// that few graphs decide is the same. Equal in both, the earlier one stays. NaN never wins.
bool is_better(double score, double loss, double best_score, double best_loss);

/// The position of the best value in [from, values.size()), the earliest on ties. NaN never wins; where all are NaN it
/// is the last position.
int64_t best_epoch(const std::vector<double>& values, int64_t from, bool higher_is_better);

/// One result per metric, in the order of run.metrics. core::Error if a fold has no eligible epoch.
std::vector<MetricResult> select_epochs(const CrossValidation& run);

/// {"tasks": {task: {metric: {rule: {mean, std, folds, epochs, validation: {mean, std, folds}}}}}} with the rules
/// validation, last, best_mean, best_test. NaN becomes null when written.
nlohmann::json to_json(const std::vector<MetricResult>& results);

}  // namespace dotin::training
