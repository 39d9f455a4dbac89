// How far long work is: a live bar on a terminal; elsewhere one line at the end, if it took long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "console.h"
#include "dotin/core/progress.h"

namespace dotin::app {

/// share: of all the work, whose amounts say nothing by themselves.
enum class Unit { items, bytes, share };

/// What a bar shows at one moment.
struct BarState {
  std::string title;
  std::string detail;
  int64_t done = 0;
  int64_t before = 0;  // of it, done by earlier runs that this one goes on with: no measure of this one's rate
  int64_t total = 0;   // 0: unknown
  double seconds = 0;
  double left = -1;  // seconds still needed, where the work knows; below 0: as the rate so far tells
  Unit unit = Unit::items;
};

/// One line that fits into `columns`, e.g. "generate [=====>    ]  52% 1,040/s, 2.1 s left  motif".
std::string bar_line(const BarState& state, int columns);

/// A thread of its own draws, ten times a second at most, so that update() costs nothing and time goes on where work
/// does not report. Nothing is drawn for work that is over at once. Erased at the end.
class ProgressBar : public core::Progress {
 public:
  ProgressBar(Console& console, std::string title, Unit unit = Unit::items);
  ~ProgressBar() override;
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Throws Interrupted after a signal: work that reports can be stopped.
  void update(int64_t done, int64_t total, const std::string& detail) override;

  /// The same without looking at signals, for work that ends itself in its own way.
  void show(int64_t done, int64_t total, const std::string& detail, double seconds_left = -1);

  /// So much was done by earlier runs; the rate and the time left come of the rest.
  void resume_at(int64_t done);

 private:
  void draw_until_closed();
  double elapsed() const;

  Console& console_;
  std::chrono::steady_clock::time_point start_;
  BarState state_;
  std::mutex mutex_;
  std::condition_variable closing_;
  bool closed_ = false;
  std::thread painter_;
};

}  // namespace dotin::app
