// Everything needed to go on with a run as if it had never stopped.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "dotin/network/run_options.h"
#include "dotin/training/optimizer.h"
#include "dotin/training/schedule.h"

namespace dotin::training {

/// One epoch as metrics.csv has it.
struct EpochRecord {
  int64_t epoch = 0;
  double lr = 0;
  double drop_factor = 1;
  double train_loss = 0;
  double validation_loss = 0;
  double seconds = 0;
  double score = 0;                      // of the validation graphs: what chooses the best epoch (is_better)
  std::vector<double> validation, test;  // one per metric; test is empty where it is not evaluated every epoch
};

/// Numbers of a run in progress. Within an epoch, batches_done of its batches are behind us.
struct TrainingState {
  int64_t epoch = 0;
  int64_t batches_done = 0;
  int64_t step = 0;  // optimiser steps so far
  double loss_sum = 0;
  int64_t graphs_seen = 0;
  double seconds_in_epoch = 0;
  double best_score = 0, best_loss = 0;  // of validation, at best_epoch
  int64_t best_epoch = -1;
  bool finished = false;
  ScheduleState schedule;
  GradientMemory gradients;
  std::vector<EpochRecord> history;
};

/// What a run's options and data say about every state that it can be in.
struct StateBounds {
  int64_t epochs = 0;
  int64_t first_eligible = 0;                          // epoch: from then on there is a best one (first_full_epoch)
  int64_t early_stop = 0;                              // network::TrainOptions::early_stop
  int64_t graphs = 0;                                  // of training
  std::size_t validation_values = 0, test_values = 0;  // of every EpochRecord
};

/// Whether training ends between these two epochs: after the last one, or too long after the best one.
bool is_finished(const TrainingState& state, int64_t epochs, int64_t early_stop);

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Adam's: the only tensors of a checkpoint that may be infinite, where a gradient was too large to be squared.
inline constexpr const char* kSecondMoment = "second_moment.";

/// about: what the run is of (options, data, fold), compared on reading. The folder must be there.
void write_checkpoint(const std::string& path, const std::string& about, const TrainingState& state,
                      const NamedTensors& tensors);

/// Fills tensors in place. core::Error if the file is of a run with another `about`, or damaged: a state that this run
/// cannot have been in, tensors that are not its own or have no finite values. Who gets a state may trust it.
TrainingState read_checkpoint(const std::string& path, const std::string& about, const StateBounds& bounds,
                              const NamedTensors& tensors);

}  // namespace dotin::training
