#include "progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dotin/core/memory.h"
#include "signals.h"
#include "text.h"

namespace dotin::app {

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kFirstDraw = std::chrono::milliseconds(300);
constexpr double kLongSeconds = 5;  // off a terminal, work that took longer says so
constexpr int kWidestBar = 40;
constexpr int kNarrowestBar = 8;

std::string amount(double value, Unit unit) {
  if (unit == Unit::bytes) return core::format_bytes(static_cast<int64_t>(value));
  return grouped(static_cast<int64_t>(value));
}

std::string bar_of(double share, int width) {
  const int inside = width - 2;
  const int filled = static_cast<int>(share * inside);
  std::string bar(static_cast<std::size_t>(filled), '=');
  if (filled < inside) bar += '>';
  bar.resize(static_cast<std::size_t>(inside), ' ');
  return "[" + bar + "]";
}

}  // namespace

std::string bar_line(const BarState& state, int columns) {
  const double rate = state.seconds > 0 ? static_cast<double>(state.done - state.before) / state.seconds : 0;
  // The last column stays free: some terminals wrap when it is written.
  const int room = std::max(0, columns - 1);
  std::string line = state.title;
  std::string numbers;
  int bar_width = 0;
  double share = 0;
  if (state.total > 0) {
    share = std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0);
    numbers = fmt::format(" {:3.0f}%", 100 * share);
    if (rate > 0 && state.unit != Unit::share) numbers += fmt::format(" {}/s,", amount(rate, state.unit));
    const double left = state.left >= 0 ? state.left
                        : rate > 0      ? static_cast<double>(state.total - state.done) / rate
                                        : -1;
    if (left >= 0 && share < 1) numbers += fmt::format(" {} left", core::format_seconds(left));
    if (numbers.back() == ',') numbers.pop_back();
    bar_width = std::min(kWidestBar, room - static_cast<int>(columns_of(line) + columns_of(numbers)) - 1);
  } else {
    if (state.done > 0) numbers = " " + amount(static_cast<double>(state.done), state.unit);
    numbers += " " + core::format_seconds(state.seconds);
  }
  if (bar_width >= kNarrowestBar) line += " " + bar_of(share, bar_width);
  line += numbers;
  if (!state.detail.empty()) line += "  " + printable(state.detail);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return shortened(line, static_cast<std::size_t>(room));
}

ProgressBar::ProgressBar(Console& console, std::string title, Unit unit)
    : console_(console), start_(std::chrono::steady_clock::now()) {
  state_.title = std::move(title);
  state_.unit = unit;
  if (console_.live() && console_.verbosity() != Verbosity::quiet) {
    painter_ = std::thread([this] { draw_until_closed(); });
  }
}

ProgressBar::~ProgressBar() {
  if (painter_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    closing_.notify_one();
    painter_.join();
    console_.set_live_line("");
  } else if (console_.verbosity() != Verbosity::quiet && elapsed() > kLongSeconds) {
    console_.write(fmt::format("{}: {}\n", state_.title, core::format_seconds(elapsed())));
  }
}

void ProgressBar::update(int64_t done, int64_t total, const std::string& detail) {
  check_signals();
  show(done, total, detail);
}

void ProgressBar::show(int64_t done, int64_t total, const std::string& detail, double seconds_left) {
  const std::lock_guard lock(mutex_);
  state_.done = done;
  state_.total = total;
  state_.left = seconds_left;
  if (detail != state_.detail) state_.detail = detail;
}

void ProgressBar::resume_at(int64_t done) {
  const std::lock_guard lock(mutex_);
  state_.before = done;
}

void ProgressBar::draw_until_closed() {
  std::unique_lock lock(mutex_);
  if (closing_.wait_for(lock, kFirstDraw, [this] { return closed_; })) return;
  do {
    state_.seconds = elapsed();
    console_.set_live_line(bar_line(state_, console_.columns()));
  } while (!closing_.wait_for(lock, kRedraw, [this] { return closed_; }));
}

double ProgressBar::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace dotin::app
