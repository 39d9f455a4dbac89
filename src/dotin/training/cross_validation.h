// Cross-validation: every fold once the test set, all selection rules from one run.
#pragma once

#include "dotin/training/trainer.h"

namespace dotin::training {

struct CrossValidationInput {
  std::shared_ptr<const data::Dataset> dataset;
  std::vector<int64_t> graphs;  // of the dataset; empty: all
  network::RunOptions options;
  int64_t folds = 10;
  int64_t jobs = 0;  // folds trained at once, each in a thread of its own; 0: as many as there are threads to use.
                     // Fewer where memory is short
  std::string checkpoint_folder;  // fold-<f>.ckpt.safetensors in it; empty: none
  bool resume = false;
};

/// Called from several threads, one call at a time.
class CrossValidationObserver {
 public:
  virtual ~CrossValidationObserver() = default;
  virtual void on_ranking(int64_t /*fold*/, const RankingInfo&) {}
  virtual void on_step(int64_t /*fold*/, const StepInfo&) {}
  virtual void on_epoch(int64_t /*fold*/, const std::vector<MetricName>&, const EpochRecord&) {}
  /// The fold has run to its end; the learner has the weights of its best epoch.
  virtual void on_fold(int64_t /*fold*/, const TrainResult&, const data::Split&) {}
  virtual bool stop_requested() { return false; }
};

struct CrossValidationResult {
  CrossValidation scores;
  std::vector<std::vector<EpochRecord>> histories;  // per fold
  std::vector<MetricResult> results;                // empty if interrupted
  bool interrupted = false;
};

/// Fold f trains on all folds but f (test) and f + 1 (validation). Results do not depend on jobs as long as each fold
/// gets the same number of threads.
CrossValidationResult cross_validate(const CrossValidationInput& input, CrossValidationObserver& observer);

}  // namespace dotin::training
