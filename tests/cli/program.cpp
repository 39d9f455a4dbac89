#include "cli/program.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "support/temporary_folder.h"

namespace dotin::testing {

namespace {

/// In the child: variables, then the program. Never returns.
[[noreturn]] void become(const std::vector<std::string>& command, const Environment& environment) {
  for (const char* name : {"NO_COLOR", "DOTIN_DATA", "XDG_CACHE_HOME"}) unsetenv(name);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> with_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{program_path()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

std::string program_path() { return DOTIN_PROGRAM; }

Result run_program(const std::vector<std::string>& command, const Environment& environment, const std::string& folder) {
  // Files, not pipes: a program that fills one pipe while the other is read would hang.
  const TemporaryFolder captured;
  const std::string out = captured / "out", err = captured / "err";
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    if (freopen("/dev/null", "r", stdin) == nullptr || freopen(out.c_str(), "w", stdout) == nullptr ||
        freopen(err.c_str(), "w", stderr) == nullptr || chdir(folder.c_str()) != 0) {
      _exit(126);
    }
    become(command, environment);
  }
  Result result;
  result.code = wait_for(child);
  result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

Result run(const std::vector<std::string>& arguments, const Environment& environment) {
  return run_program(with_program(arguments), environment);
}

Result run_and_signal(const std::vector<std::string>& arguments, const std::string& signal_after, int signal) {
  return run_and_act(arguments, signal_after, [signal](int process) { kill(process, signal); });
}

Result run_and_act(const std::vector<std::string>& arguments, const std::string& act_after,
                   const std::function<void(int process)>& act) {
  const TemporaryFolder captured;
  const std::string out = captured / "out";
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) throw std::runtime_error("cannot open a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    if (freopen("/dev/null", "r", stdin) == nullptr || freopen(out.c_str(), "w", stdout) == nullptr ||
        dup2(ends[1], STDERR_FILENO) < 0) {
      _exit(126);
    }
    close(ends[0]);
    close(ends[1]);
    become(with_program(arguments), {});
  }
  close(ends[1]);
  Result result;
  bool acted = false;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(ends[0], buffer, sizeof buffer)) > 0) {
    result.err.append(buffer, static_cast<std::size_t>(got));
    if (!acted && result.err.find(act_after) != std::string::npos) {
      act(child);
      acted = true;
    }
  }
  close(ends[0]);
  result.code = wait_for(child);
  result.out = read_text(out);
  return result;
}

Result run_in_terminal(const std::vector<std::string>& arguments, int columns, const Environment& environment,
                       const std::string& signal_after, int signal) {
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("cannot open a terminal");
  if (child == 0) {
    Environment inside{{"TERM", "xterm"}};
    for (const auto& entry : environment) inside[entry.first] = entry.second;
    become(with_program(arguments), inside);
  }
  Result result;
  bool signalled = signal == 0;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(terminal, buffer, sizeof buffer)) > 0) {
    result.out.append(buffer, static_cast<std::size_t>(got));
    if (!signalled && result.out.find(signal_after) != std::string::npos) {
      kill(child, signal);
      signalled = true;
    }
  }
  close(terminal);
  result.code = wait_for(child);
  return result;
}

}  // namespace dotin::testing
