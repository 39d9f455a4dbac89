// RunOptions on the command line, made from their own description (core/options.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "dotin/network/run_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dotin::app {

/// Options given on the command line. Defaults < config file < preset < the other options of the command line.
class RunOptionsParser {
 public:
  /// Adds --config and one option for each of RunOptions but `data`, which is a positional argument of its own.
  void add_to(CLI::App& command);

  /// What the run uses, to be called after parsing. base_config: a config.toml to start from instead of --config (of a
  /// run that is resumed).
  network::RunOptions resolve(const std::string& base_config = "") const;

  /// The file of --config; empty if there is none.
  const std::string& config() const { return config_; }

  /// The options that the presets set differently, with the value of each preset.
  static std::string preset_table();

  /// Names of the options that were given, as on the command line.
  std::vector<std::string> given() const;

  /// Warns of options that were given and change nothing in a run with these options.
  void warn_without_effect(const network::RunOptions& options) const;

 private:
  network::RunOptions parsed_;
  std::string config_;
  std::map<std::string, CLI::Option*> options_;
};

}  // namespace dotin::app
