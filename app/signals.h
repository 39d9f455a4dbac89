// Ctrl-C and SIGTERM: work ends at its next step, tidies up, and the program exits with 128 + the signal.
#pragma once

#include <exception>

namespace dotin::app {

/// Thrown by work that a signal ended.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  const char* what() const noexcept override { return "interrupted"; }
  int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

/// From here on SIGINT and SIGTERM are only noted. Work that does not look within `grace_seconds` is ended without
/// tidying; 0 waits for ever. A second signal always ends the program at once.
void catch_signals(unsigned grace_seconds);

/// From here on a mapped file that is cut short while it is read ends the program with 1 and a message, in place of a
/// SIGBUS without one.
void catch_vanished_files();

/// The signal noted, or 0.
int noted_signal();

/// Throws Interrupted if a signal was noted.
void check_signals();

}  // namespace dotin::app
