#include "cell_runner.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <deque>
#include <filesystem>
#include <list>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "child.h"
#include "dotin/core/memory.h"
#include "dotin/io/atomic_file.h"
#include "machine.h"
#include "progress_bar.h"
#include "signals.h"
#include "text.h"
#include "work_clock.h"

namespace dotin::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using reproduce::Cell;
using reproduce::CellStore;
using reproduce::Command;

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr int64_t kMostOutput = int64_t{256} << 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string time_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// The last line that says something.
std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n");
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

/// A cell at work.
class Running {
 public:
  Running(const Cell& cell, std::string key, const std::string& folder)
      : cell_(cell),
        log_(folder + "/logs/" + key),
        run_(folder + "/runs/" + key),
        started_(time_text()),
        machine_(machine_json()) {
    fs::create_directories(folder + "/logs");
    fs::create_directories(folder + "/runs");
    start_next();
  }

  const Cell& cell() const { return cell_; }
  void signal(int number) const { child_->signal(number); }
  double seconds() const { return seconds_since(start_); }

  /// Whether all commands are done, or one has failed. Starts the next command where one is done.
  bool ended() {
    if (!child_->ended()) return false;
    code_ = child_->code();
    if (code_ != 0 || next_ == cell_.commands.size() || noted_signal() != 0) return true;
    start_next();
    return false;
  }

  /// What the store keeps of it. Tidies up: checkpoints are large, and a run that failed must not be gone on with.
  nlohmann::json outcome() {
    nlohmann::json result = {{"machine", machine_}, {"started", started_}, {"seconds", seconds()}};
    result["machine"]["threads"] = 1;
    if (resumed_) result["resumed"] = true;
    const nlohmann::json printed =
        code_ == 0 ? nlohmann::json::parse(io::read_file(log_ + ".out", kMostOutput), nullptr, false) : nullptr;
    if (code_ == 0 && !printed.is_discarded()) {
      result["result"] = printed;
      // Where the run was says nothing of it, and is wrong once the folder has moved.
      if (printed.is_object()) result["result"].erase("run");
      for (const char* const ending : {".out", ".err"}) fs::remove(log_ + ending);
      fs::remove_all(run_ + "/checkpoints");
      fs::remove(run_ + "/last.ckpt.safetensors");
      return result;
    }
    const std::string said = last_line(io::read_file(log_ + ".err", kMostOutput));
    result["error"] = code_ == 128 + SIGKILL ? "killed: out of memory?"
                      : said.empty()         ? fmt::format("exit code {}", code_)
                                             : said;
    const bool told_to_stop = code_ == 128 + SIGINT || code_ == 128 + SIGTERM;  // by someone else
    if (!told_to_stop) fs::remove_all(run_);
    return result;
  }

  std::string log() const { return log_ + ".err"; }

 private:
  void start_next() {
    Command words = cell_.commands[next_++];
    const bool can_resume = (words[0] == "cv" || words[0] == "train") && fs::exists(run_ + "/config.toml");
    if (can_resume) {
      resumed_ = true;
      words = {words[0], "--resume", run_, "--threads", "1", "--json"};
    } else {
      const std::string mark = reproduce::kRunFolder;
      for (std::string& word : words) {
        if (word == mark || word.compare(0, mark.size() + 1, mark + "/") == 0) word = run_ + word.substr(mark.size());
      }
    }
    child_.emplace(words, log_ + ".out", log_ + ".err");
  }

  const Cell& cell_;
  std::string log_, run_, started_;
  nlohmann::json machine_;  // when it started: its load is then of others
  Clock::time_point start_ = Clock::now();
  std::size_t next_ = 0;
  std::optional<Child> child_;
  int code_ = -1;
  bool resumed_ = false;
};

class Runner {
 public:
  Runner(CellStore& store, const RunnerOptions& options, Context& context)
      : store_(store), options_(options), context_(context), bar_(context.console, "reproduce", Unit::share) {}

  int64_t run(const std::vector<Cell>& cells) {
    const std::string cpu = machine_json()["cpu"];
    for (const Cell& cell : cells) {
      const nlohmann::json* const record = store_.find(cell);
      if (reproduce::result_of(record) == nullptr) {
        (cell.alone ? alone_ : together_).push_back(&cell);
      } else if (!record->contains("resumed") && record->at("machine").at("cpu") == cpu) {
        clock_.learn(cell.data, amount_of(cell), record->at("seconds"));
      }
    }
    total_ = static_cast<int64_t>(together_.size() + alone_.size());
    if (total_ > 0 && !context_.console.live() && context_.console.verbosity() != Verbosity::quiet) {
      context_.console.write(
          fmt::format("{} to run, about {}\n", counted(total_, "cell"), core::format_seconds(work_left().seconds)));
    }
    catch_signals(0);
    run_all(together_, options_.jobs);
    run_all(alone_, 1);
    return failed_;
  }

 private:
  /// Roughly seconds.
  double amount_of(const Cell& cell) const {
    constexpr double kStart = 0.7, kPerUnit = 2.5e-9;
    return kStart + kPerUnit * cell.cost * options_.data_bytes(cell.data);
  }

  double expected(const Cell& cell) const { return clock_.expected(cell.data, amount_of(cell)); }

  void run_all(std::deque<const Cell*>& waiting, int64_t at_once) {
    while (!waiting.empty() || !running_.empty()) {
      if (noted_signal() != 0) stop();
      while (!waiting.empty() && static_cast<int64_t>(running_.size()) < at_once) {
        running_.emplace_back(*waiting.front(), store_.key(*waiting.front()), options_.folder);
        waiting.pop_front();
      }
      show();
      std::this_thread::sleep_for(kLook);
      for (auto at = running_.begin(); at != running_.end();) {
        const auto cell = at++;
        // A child that a signal ended is no failure: the whole run is about to stop.
        if (!cell->ended() || noted_signal() != 0) continue;
        std::list<Running> ended;
        ended.splice(ended.end(), running_, cell);
        finish(ended.front());
      }
    }
  }

  void finish(Running& cell) {
    const nlohmann::json outcome = cell.outcome();
    store_.keep(cell.cell(), outcome);
    const double seconds = outcome["seconds"];
    spent_ += seconds;
    ++done_;
    const bool failed = outcome.contains("error");
    if (failed) {
      ++failed_;
    } else if (!outcome.contains("resumed")) {
      clock_.learn(cell.cell().data, amount_of(cell.cell()), seconds);
    }
    if (context_.console.verbosity() == Verbosity::quiet && !failed) return;
    const std::string what = failed
                                 ? fmt::format("failed: {} (see {})", outcome["error"].get<std::string>(), cell.log())
                                 : core::format_seconds(seconds);
    if (failed || !context_.console.live()) {
      const std::string left =
          done_ < total_ ? fmt::format(", about {} left", core::format_seconds(work_left().seconds)) : "";
      context_.console.write(fmt::format("{} of {}{}  {}: {}\n", done_, counted(total_, "cell"), left,
                                         printable(cell.cell().label), printable(what)));
    }
  }

  struct WorkLeft {
    double work = 0;     // seconds, one cell after the other
    double seconds = 0;  // with as many at once as may be
  };

  WorkLeft work_left() const {
    double shared = 0, longest = 0, alone = 0;
    for (const Running& cell : running_) {
      const double rest = std::max(0.0, expected(cell.cell()) - cell.seconds());
      shared += rest;
      longest = std::max(longest, rest);
    }
    for (const Cell* const cell : together_) shared += expected(*cell);
    for (const Cell* const cell : alone_) alone += expected(*cell);
    return {shared + alone, std::max(longest, shared / static_cast<double>(options_.jobs)) + alone};
  }

  void show() {
    const auto running = static_cast<int64_t>(running_.size());
    const WorkLeft left = work_left();
    double spent = spent_;
    for (const Running& cell : running_) spent += cell.seconds();
    bar_.show(static_cast<int64_t>(1e6 * spent / (spent + left.work)), 1000000,
              fmt::format("{} done, {} running, {} left  {}", done_, running, total_ - done_ - running,
                          running_.empty() ? "" : running_.front().cell().label),
              left.seconds);
  }

  [[noreturn]] void stop() {
    for (const Running& cell : running_) cell.signal(noted_signal());
    while (!std::all_of(running_.begin(), running_.end(), [](Running& cell) { return cell.ended(); }))
      std::this_thread::sleep_for(kLook);
    throw Interrupted(noted_signal());
  }

  CellStore& store_;
  const RunnerOptions& options_;
  Context& context_;
  ProgressBar bar_;
  std::list<Running> running_;
  std::deque<const Cell*> together_, alone_;  // that wait
  WorkClock clock_;                           // by data
  double spent_ = 0;                          // seconds of cells that are done
  int64_t total_ = 0, done_ = 0, failed_ = 0;
};

}  // namespace

int64_t run_cells(const std::vector<Cell>& cells, CellStore& store, const RunnerOptions& options, Context& context) {
  return Runner(store, options, context).run(cells);
}

}  // namespace dotin::app
