#include "dotin/training/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"

namespace dotin::training {

namespace {

using Fold = std::vector<EpochScores>;

std::vector<double> test_values(const Fold& fold, std::size_t metric) {
  std::vector<double> values;
  for (const EpochScores& epoch : fold) values.push_back(epoch.test[metric]);
  return values;
}

/// Mean test value over the folds at each epoch that all of them have.
std::vector<double> mean_test_values(const std::vector<Fold>& folds, std::size_t metric) {
  std::size_t common = std::numeric_limits<std::size_t>::max();
  for (const Fold& fold : folds) common = std::min(common, fold.size());
  std::vector<double> means(common);
  for (std::size_t epoch = 0; epoch < common; ++epoch) {
    for (const Fold& fold : folds) means[epoch] += fold[epoch].test[metric];
    means[epoch] /= static_cast<double>(folds.size());
  }
  return means;
}

RuleResult at_epochs(const std::vector<Fold>& folds, std::size_t metric, std::vector<int64_t> epochs) {
  std::vector<double> test, validation;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const EpochScores& scores = folds[f][static_cast<std::size_t>(epochs[f])];
    test.push_back(scores.test[metric]);
    validation.push_back(scores.validation[metric]);
  }
  return {summarize(std::move(test)), summarize(std::move(validation)), std::move(epochs)};
}

int64_t chosen_by_validation(const Fold& fold, int64_t from) {
  EpochScores best;
  best.choosing = std::nan("");
  auto chosen = static_cast<int64_t>(fold.size()) - 1;  // where no epoch has a score
  for (auto epoch = static_cast<std::size_t>(from); epoch < fold.size(); ++epoch) {
    const EpochScores& scores = fold[epoch];
    if (!is_better(scores.choosing, scores.validation_loss, best.choosing, best.validation_loss)) continue;
    best = scores;
    chosen = static_cast<int64_t>(epoch);
  }
  return chosen;
}

void check(const CrossValidation& run) {
  DOTIN_CHECK(!run.folds.empty(), "there is no fold to summarize");
  DOTIN_ASSERT(run.first_eligible_epoch >= 0);
  for (std::size_t f = 0; f < run.folds.size(); ++f) {
    const auto epochs = static_cast<int64_t>(run.folds[f].size());
    DOTIN_CHECK(epochs > run.first_eligible_epoch,
                "fold {} ended after {} epochs, before the drop ratio was full (epoch {}, counted from 0): train it "
                "longer or lower drop_warmup",
                f, epochs, run.first_eligible_epoch);
    for (const EpochScores& epoch : run.folds[f]) {
      DOTIN_ASSERT(epoch.test.size() == run.metrics.size() && epoch.validation.size() == run.metrics.size());
    }
  }
}

nlohmann::json to_json(const Summary& summary) {
  return {{"mean", summary.mean}, {"std", summary.std}, {"folds", summary.folds}};
}

nlohmann::json to_json(const RuleResult& result) {
  nlohmann::json object = to_json(result.test);
  object["epochs"] = result.epochs;
  object["validation"] = to_json(result.validation);
  return object;
}

}  // namespace

Summary summarize(std::vector<double> folds) {
  const auto n = static_cast<double>(folds.size());
  double sum = 0;
  for (const double value : folds) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : folds) squares += (value - mean) * (value - mean);
  return {mean, folds.size() > 1 ? std::sqrt(squares / (n - 1)) : squares, std::move(folds)};
}

bool is_better(double score, double loss, double best_score, double best_loss) {
  if (std::isnan(score)) return false;
  return std::isnan(best_score) || score > best_score || (score == best_score && loss < best_loss);
}

int64_t best_epoch(const std::vector<double>& values, int64_t from, bool higher_is_better) {
  const auto count = static_cast<int64_t>(values.size());
  DOTIN_ASSERT(from >= 0 && from < count);
  const auto at = [&](int64_t epoch) { return values[static_cast<std::size_t>(epoch)]; };
  int64_t best = -1;
  for (int64_t epoch = from; epoch < count; ++epoch) {
    if (std::isnan(at(epoch))) continue;
    if (best < 0 || (higher_is_better ? at(epoch) > at(best) : at(epoch) < at(best))) best = epoch;
  }
  return best < 0 ? count - 1 : best;
}

std::vector<MetricResult> select_epochs(const CrossValidation& run) {
  check(run);
  const int64_t from = run.first_eligible_epoch;
  std::vector<int64_t> chosen, last;
  for (const Fold& fold : run.folds) {
    chosen.push_back(chosen_by_validation(fold, from));
    last.push_back(static_cast<int64_t>(fold.size()) - 1);
  }
  std::vector<MetricResult> results;
  for (std::size_t m = 0; m < run.metrics.size(); ++m) {
    const bool higher = run.metrics[m].higher_is_better;
    const int64_t common = best_epoch(mean_test_values(run.folds, m), from, higher);
    std::vector<int64_t> best;
    for (const Fold& fold : run.folds) best.push_back(best_epoch(test_values(fold, m), from, higher));
    results.push_back({run.metrics[m], at_epochs(run.folds, m, chosen), at_epochs(run.folds, m, last),
                       at_epochs(run.folds, m, std::vector<int64_t>(run.folds.size(), common)),
                       at_epochs(run.folds, m, std::move(best))});
  }
  return results;
}

nlohmann::json to_json(const std::vector<MetricResult>& results) {
  nlohmann::json tasks = nlohmann::json::object();
  for (const MetricResult& result : results) {
    tasks[result.name.task][result.name.metric] = {{"validation", to_json(result.by_validation)},
                                                   {"last", to_json(result.last)},
                                                   {"best_mean", to_json(result.best_mean)},
                                                   {"best_test", to_json(result.best_test)}};
  }
  return {{"tasks", std::move(tasks)}};
}

}  // namespace dotin::training
