// Trains one model on one split.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/data/splits.h"
#include "dotin/training/checkpoint.h"
#include "dotin/training/evaluate.h"

namespace dotin::training {

struct TrainerInput {
  std::shared_ptr<const data::Dataset> dataset;
  data::Split split;
  network::RunOptions options;
  bool test_every_epoch = false;   // cross-validation needs it for the rules that look at the test set
  std::string checkpoint;          // path in a folder that is there; empty: none is written
  bool resume = false;             // go on from the checkpoint, if there is one
  double checkpoint_seconds = 30;  // between two checkpoints, at the ends of epochs
};

struct StepInfo {
  int64_t epoch, epochs, batch, batches;
  double mean_loss;          // of the epoch so far
  double graphs_per_second;  // of the epoch so far
};

/// While nodes are ranked, before the first epoch.
struct RankingInfo {
  int64_t step, steps;
  double loss, blind_loss;  // of whole graphs, and without seeing any node; running means
};

/// Told what goes on; may ask to stop. Called from the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_ranking(const RankingInfo&) {}
  virtual void on_step(const StepInfo&) {}
  virtual void on_epoch(const EpochRecord&) {}
  /// Asked after every step. True: finish the step, write the checkpoint, return.
  virtual bool stop_requested() { return false; }
};

struct TrainResult {
  Learner learner;  // with the weights of the best epoch
  std::vector<MetricName> metrics;
  std::vector<EpochRecord> history;
  int64_t best_epoch = -1;  // -1: none was eligible yet (interrupted during the warm-up of the drop ratio)
  bool interrupted = false;
};

/// Same input, same bits: weights, metrics and order of batches depend on data, options and thread count alone, however
/// often the run was stopped and resumed. A loss that is not finite is a core::Error that names the batch; the last
/// checkpoint stays.
TrainResult train(const TrainerInput& input, TrainObserver& observer);

/// Sets the threads that libtorch, OpenMP and OpenBLAS use from the calling thread on, see core::usable_threads.
/// Returns how many.
int set_threads(int64_t threads);

}  // namespace dotin::training
