// What main and the subcommands share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "console.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dotin::app {

struct Context {
  Console console;
  /// What the chosen subcommand does; returns the exit code. main runs it after the command line is parsed.
  std::function<int()> action;
  /// Values that shell completions offer for an option that accepts others too, e.g. the names of known datasets.
  std::map<const CLI::Option*, std::vector<std::string>> suggestions;
};

}  // namespace dotin::app
