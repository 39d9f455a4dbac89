// How a model is trained, and what a whole run consists of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/options.h"
#include "dotin/network/model_options.h"

namespace dotin::network {

struct DataOptions {
  std::string data;         // path or name; not part of a model file
  double validation = 0.1;  // shares of the graphs, for a single split
  double test = 0.1;
  int64_t folds = 10;  // for cross-validation
  std::vector<std::string> features = {"auto"};
  int64_t degree_cap = 64;
  bool standardize = true;
  std::string featureless = "degree";
  std::string duplicates = "merge";

  bool has_feature(const std::string& name) const;  // whether `features` lists it
  void describe(core::OptionVisitor& visitor);
};

struct TaskOptions {
  /// Each [NAME=]KIND[:TARGET][*WEIGHT], e.g. classify, ged, tox=multilabel:tox*0.5, regress:attributes.3
  std::vector<std::string> tasks = {"classify"};
  int64_t ged_k_p = 1;
  int64_t ged_k_n = 2;
  std::string ged_distance = "euclidean";
  double ged_margin = 1.0;
  std::string ged_scale = "nodes";
  double ged_weight = 0.1;
  int64_t ged_triplets = 4;
  double label_smoothing = 0.1;
  std::string class_weights = "none";

  void describe(core::OptionVisitor& visitor);
};

/// The defaults are those of the preset `recommended`.
struct TrainOptions {
  int64_t epochs = 50;
  int64_t batch = 8;
  int64_t batch_budget = 0;
  double lr = 0;  // 0: by the width of the model, see RunOptions::learning_rate
  std::string weight_decay_kind = "decoupled";
  double weight_decay = 0.01;
  double drop_warmup = 0.4;
  double drop_explore = 2;
  int64_t ranking_steps = 0;  // 0: by the number of graphs, see training/ranking.h
  double drop_edge = 0;
  std::string schedule = "constant";
  int64_t schedule_step = 20;
  double schedule_factor = 0.5;
  int64_t schedule_patience = 5;
  double lr_warmup = 0;
  double clip = 0;
  double clip_bursts = 5;
  double average = 0.999;
  int64_t early_stop = 0;
  int64_t seed = 0;
  int64_t threads = 0;
  std::string device = "cpu";

  void describe(core::OptionVisitor& visitor);
};

/// An option that changes nothing in a run, and why, as in "... has no effect without a ged task".
struct WithoutEffect {
  std::string option, why;
};

/// Everything that a run's result depends on besides the data: config.toml.
struct RunOptions {
  std::string preset = "recommended";
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

/// Names of the presets.
std::vector<std::string> preset_names();

/// All defaults of a preset; core::UsageError for an unknown name.
RunOptions preset(const std::string& name);

}  // namespace dotin::network
