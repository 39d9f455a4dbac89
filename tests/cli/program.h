// Runs the dotin program as a user would.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dotin::testing {

struct Result {
  std::string out;
  std::string err;
  int code = -1;  // exit code, or 128 + signal
};

/// Environment variables on top of an environment in which the caches and data folders are the test's own.
using Environment = std::map<std::string, std::string>;

/// Any program with stdin from /dev/null; neither stdout nor stderr is a terminal.
Result run_program(const std::vector<std::string>& command, const Environment& environment = {},
                   const std::string& folder = ".");

/// The dotin program.
Result run(const std::vector<std::string>& arguments, const Environment& environment = {});

/// The dotin program off a terminal; the first time `act_after` appears on its stderr, `act` is called with its
/// process.
Result run_and_act(const std::vector<std::string>& arguments, const std::string& act_after,
                   const std::function<void(int process)>& act);

/// The dotin program off a terminal; the first time `signal_after` appears on its stderr, it gets `signal`.
Result run_and_signal(const std::vector<std::string>& arguments, const std::string& signal_after, int signal);

/// The dotin program with stdout and stderr on a terminal of that many columns; everything it writes is in out.
/// The first time `signal_after` appears in the output, it gets `signal`.
Result run_in_terminal(const std::vector<std::string>& arguments, int columns, const Environment& environment = {},
                       const std::string& signal_after = "", int signal = 0);

/// Path of the program under test.
std::string program_path();

}  // namespace dotin::testing
