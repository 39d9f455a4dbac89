// How a model is trained, and what a whole run consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/options.h"
#include "dotin/network/model_options.h"

namespace dotin::network {

struct DataOptions : dotin::DataOptions {
  bool has_feature(const std::string& name) const;  // whether `features` lists it
  void describe(core::OptionVisitor& visitor);
};

struct TaskOptions : dotin::TaskOptions {
  void describe(core::OptionVisitor& visitor);
};

struct TrainOptions : dotin::TrainOptions {
  void describe(core::OptionVisitor& visitor);
};

/// An option that changes nothing in a run, and why, as in "... has no effect without a ged task".
struct WithoutEffect {
  std::string option, why;
};

/// Everything that a run's result depends on besides the data: config.toml.
struct RunOptions {
  Preset preset = Preset::recommended;
  DataOptions data;
  TaskOptions task;
  ModelOptions model;
  TrainOptions train;

  void describe(core::OptionVisitor& visitor);
  void validate() const;
  /// lr, or where it is 0 what suits the model's width: 1e-3 up to 64, 1e-3 sqrt(64 / D) above. A step of Adam moves
  /// every weight by about the rate, so that rows of D numbers move by more the wider they are; selection, which has no
  /// way back once the nodes that matter are dropped, is the first to break (docs/experiments.md).
  double learning_rate() const;
  /// drop_warmup, or 0 where the drop method has a ratio that cannot rise, or none.
  double warmup_share() const;
  /// The options that this combination of others does not use. core::UsageError for tasks that are none.
  std::vector<WithoutEffect> without_effect() const;
};

/// All defaults of a preset.
RunOptions preset(Preset name);

/// The run options with these values, and back.
RunOptions run_options(const Options& options);
Options options_of(const RunOptions& options);

}  // namespace dotin::network
