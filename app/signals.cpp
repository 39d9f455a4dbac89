#include "signals.h"

#include <unistd.h>

#include <csignal>

namespace dotin::app {

namespace {

volatile std::sig_atomic_t noted = 0;
volatile std::sig_atomic_t grace = 0;

// Only async-signal-safe calls from here.
extern "C" void note_signal(int signal) {
  if (noted != 0) _exit(128 + signal);
  noted = signal;
  if (grace > 0) alarm(static_cast<unsigned>(grace));
}

extern "C" void grace_is_over(int) { _exit(128 + noted); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_signals(unsigned grace_seconds) {
  grace = static_cast<std::sig_atomic_t>(grace_seconds);
  handle(SIGALRM, grace_is_over);
  handle(SIGINT, note_signal);
  handle(SIGTERM, note_signal);
}

int noted_signal() { return noted; }

void check_signals() {
  if (noted != 0) throw Interrupted(noted);
}

}  // namespace dotin::app
