// What a run of train or cv leaves for its report.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/explain/summary.h"
#include "dotin/training/evaluate.h"
#include "dotin/training/trainer.h"

namespace dotin::training {

/// What models say of test graphs, beside the truth, and which nodes they dropped. Cross-validation adds every fold, so
/// that each graph counts once, with the model that has not seen it.
class TestRecord {
 public:
  explicit TestRecord(std::shared_ptr<const data::Dataset> dataset) : dataset_(std::move(dataset)) {}

  /// Runs the learner on the graphs of the view, of the same dataset. An empty view adds only what the model is.
  void add(const Learner& learner, const data::View& test);

  /// {"model": model_json, "tested": per task, "drops": summary_json}. A task has its name and kind and, for classify,
  /// the classes and their confusion matrix; for multilabel per question the counts of right and wrong answers; for
  /// regress columns of [true, predicted]; for ged the distances to closer and farther graphs. Of more than kMostValues
  /// values of a kind, every n-th. The drops are of no graph where the method chooses no nodes.
  nlohmann::json to_json() const;

  static constexpr std::size_t kMostValues = 4000;

 private:
  struct TaskRecord {
    std::string name, kind;
    std::vector<std::string> classes;
    int64_t width = 0;
    tasks::Collected collected;
  };
  static nlohmann::json task_json(const TaskRecord& task);

  std::shared_ptr<const data::Dataset> dataset_;
  std::shared_ptr<const nlohmann::json> model_;
  std::vector<TaskRecord> tasks_;
  std::unique_ptr<explain::Summarizer> summarizer_;
};

/// {"metrics": [{task, metric}], "folds": [{"best_epoch", "epochs": [{epoch, lr, drop_factor, train_loss,
/// validation_loss, seconds, validation, test}]}]}
nlohmann::json history_json(const std::vector<MetricName>& metrics,
                            const std::vector<std::vector<EpochRecord>>& histories,
                            const std::vector<int64_t>& best_epochs);

}  // namespace dotin::training
