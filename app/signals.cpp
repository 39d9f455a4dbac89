#include "signals.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "dotin/io/mapped_file.h"

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

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

extern "C" void page_is_gone(int signal, siginfo_t* info, void*) {
  const char* const path = io::mapped_file_at(info->si_addr);
  if (path == nullptr) {
    std::signal(signal, SIG_DFL);  // a bug: the access is tried again and ends the program
    return;
  }
  say("dotin: error: ");
  say(path);
  say(": became shorter while it was read, or its disk has failed: see that the file is whole, and run this again\n");
  _exit(1);
}

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

void catch_vanished_files() {
  struct sigaction action = {};
  action.sa_sigaction = page_is_gone;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

int noted_signal() { return noted; }

void check_signals() {
  if (noted != 0) throw Interrupted(noted);
}

}  // namespace dotin::app
