// What main and the subcommands share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "console.h"

namespace dotin::network {
class Predictor;
}

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dotin::app {

/// Opens model files for the commands that use them: on the engine of the program that runs.
class ModelOpener {
 public:
  virtual ~ModelOpener() = default;
  /// threads: to use from now on; 0: all processors.
  virtual std::unique_ptr<network::Predictor> open(const std::string& path, const std::string& device,
                                                   int64_t threads) const = 0;
};

struct Context {
  Console console;
  std::shared_ptr<const ModelOpener> models;  // where the program has such commands
  /// What the chosen subcommand does; returns the exit code. main runs it after the command line is parsed.
  std::function<int()> action;
  /// Values that shell completions offer for an option that accepts others too, e.g. the names of known datasets.
  std::map<const CLI::Option*, std::vector<std::string>> suggestions;
};

}  // namespace dotin::app
