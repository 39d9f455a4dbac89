#include "dotin/training/schedule.h"

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"

namespace dotin::training {

namespace {

/// Epochs of the warm-up. A little less than the product, so that 0.07 * 100, which is above 7 in floating point, still
/// is 7 epochs and not 8.
double drop_warmup_epochs(double share, int64_t epochs) { return share * static_cast<double>(epochs) * (1 - 1e-12); }

}  // namespace

double drop_factor(double share, int64_t epochs, int64_t epoch) {
  const double full = drop_warmup_epochs(share, epochs);
  const auto done = static_cast<double>(epoch + 1);
  return done >= full ? 1 : done / (share * static_cast<double>(epochs));
}

int64_t first_full_epoch(double share, int64_t epochs) {
  return std::max<int64_t>(0, static_cast<int64_t>(std::ceil(drop_warmup_epochs(share, epochs))) - 1);
}

Schedule::Schedule(const network::TrainOptions& options)
    : kind_(options.schedule),
      lr_(options.lr),
      warmup_(options.lr_warmup),
      epochs_(static_cast<double>(options.epochs)),
      step_(static_cast<double>(options.schedule_step)),
      factor_(options.schedule_factor),
      patience_(static_cast<double>(options.schedule_patience)) {}

double Schedule::rate(double position) const {
  double factor = 1;
  if (kind_ == LrSchedule::cosine && position > warmup_) {
    const double t = std::min(1.0, (position - warmup_) / std::max(epochs_ - warmup_, 1e-9));
    factor = (1 + std::cos(M_PI * t)) / 2;
  } else if (kind_ == LrSchedule::step) {
    factor = std::pow(factor_, std::floor(position / step_));
  } else if (kind_ == LrSchedule::plateau) {
    factor = state_.factor;
  }
  if (position < warmup_) factor *= position / warmup_;
  return lr_ * factor;
}

void Schedule::epoch_done(double score) {
  if (score > state_.best) {
    state_.best = score;
    state_.epochs_since = 0;
    return;
  }
  state_.epochs_since += 1;
  if (kind_ != LrSchedule::plateau || state_.epochs_since < patience_) return;
  state_.factor *= factor_;
  state_.epochs_since = 0;
}

}  // namespace dotin::training
