// What changes as training goes on: the learning rate and the drop ratio.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "dotin/network/run_options.h"

namespace dotin::training {

/// What the drop ratio is multiplied by in epoch e (from 0): min(1, (e+1) / (share * epochs)); always 1 for share 0.
/// Exactly 1 where the formula gives 1 but for rounding.
double drop_factor(double share, int64_t epochs, int64_t epoch);

/// The first epoch whose drop_factor is 1: earlier ones are never chosen as best. At most epochs - 1 for shares in
/// [0, 1].
int64_t first_full_epoch(double share, int64_t epochs);

/// All that a schedule remembers: what a checkpoint has to keep.
struct ScheduleState {
  double best = -std::numeric_limits<double>::infinity();  // highest validation score so far
  double epochs_since = 0;                                 // epochs since then, or since the last reduction
  double factor = 1;                                       // product of all reductions
};

/// Learning rate over the epochs. Within the first lr_warmup epochs it rises linearly from 0 to what the schedule
/// gives:
///   constant  lr
///   cosine    lr * (1 + cos(pi t)) / 2, t from 0 at the end of the warm-up to 1 at the end of the last epoch
///   step      lr * schedule_factor ^ floor(position / schedule_step)
///   plateau   lr * schedule_factor ^ (number of times that schedule_patience epochs went by without a better score)
class Schedule {
 public:
  /// options: as RunOptions::validate lets them pass.
  explicit Schedule(const network::TrainOptions& options);

  /// The rate of a step; position is epoch + step / steps, both from 0.
  double rate(double position) const;

  /// To be told after every epoch: the validation score, higher is better. NaN is never better. Only plateau minds.
  void epoch_done(double score);

  const ScheduleState& state() const { return state_; }
  void restore(const ScheduleState& state) { state_ = state; }

 private:
  LrSchedule kind_;
  double lr_, warmup_, epochs_, step_, factor_, patience_;
  ScheduleState state_;
};

}  // namespace dotin::training
