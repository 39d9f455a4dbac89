// stderr: errors, log lines and the progress bar, which must not write over one another. Data goes to stdout.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace dotin::app {

enum class Verbosity { quiet, normal, verbose };

class Console {
 public:
  Console();

  /// A terminal, so that a live bar makes sense.
  bool live() const { return live_; }
  int columns() const;

  Verbosity verbosity() const { return verbosity_; }
  void set_verbosity(Verbosity verbosity) { verbosity_ = verbosity; }

  /// Sends the library's log lines here, each but once: warnings always, others by verbosity.
  void take_log();

  /// Data, to stdout. main checks that it arrived.
  void out(const std::string& text);
  /// "dotin: error: ..."
  void error(const std::string& message);
  /// Whole lines, above the live line if there is one.
  void write(const std::string& text);
  /// Replaces the last, live line; an empty text erases it. Only where live().
  void set_live_line(const std::string& text);

 private:
  std::string coloured(const char* code, const std::string& text) const;

  std::mutex mutex_;
  std::string live_line_;
  std::set<std::string> said_;
  Verbosity verbosity_ = Verbosity::normal;
  bool live_;
  bool colour_;
};

}  // namespace dotin::app
