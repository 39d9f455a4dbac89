// A program made of subcommands. The only place where exceptions are caught; exit codes: 0 done, 1 failed, 2 wrong
// usage, 130 and 143 after a signal.
#pragma once

#include "context.h"

namespace dotin::app {

using AddCommands = void (*)(CLI::App& root, Context& context);

/// Parses the command line, runs the subcommand and returns the exit code.
int run_program(int argc, char** argv, AddCommands add_commands);

}  // namespace dotin::app
