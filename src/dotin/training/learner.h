// A model together with what it needs to meet data: feature map and tasks. What a model file holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/batch/loader.h"
#include "dotin/models/model.h"
#include "dotin/tasks/task.h"
#include "dotin/training/config.h"
#include "dotin/training/options.h"

namespace dotin::training {

/// Of the names of a scorer's tensors in model files and checkpoints.
inline constexpr const char* kScorerPrefix = "scorer.";

struct Learner {
  RunOptions options;
  data::FeatureMap features;
  std::vector<std::unique_ptr<tasks::Task>> tasks;
  std::unique_ptr<models::Model> model;

  bool needs_triplets() const;
};

/// Fits the tasks on the training graphs.
std::vector<std::unique_ptr<tasks::Task>> make_tasks(const RunOptions& options, const data::View& train);

/// Fits features and tasks on the training graphs and makes a model with fresh weights. Refuses with the figure what
/// would not fit into memory.
Learner make_learner(const RunOptions& options, const data::View& train);

/// What the learner's run uses for options that stand for it, such as lr = 0.
ValuesUsed values_used(RunOptions options, const Learner& learner);

/// About how much memory training takes, with the largest batch there can be.
int64_t predicted_bytes(const Learner& learner, const data::View& train);

/// Writes a model file (docs/formats.md): the same learner gives the same bytes.
void save_model(const Learner& learner, const std::string& path);

/// core::Error with the reason for anything that is not a whole, unedited model file of a known version.
Learner load_model(const std::string& path);

/// Lets the model compute on "cpu" or "cuda". core::UsageError where this libtorch, or the machine, has no such device.
void use_device(Learner& learner, const std::string& name);

/// How batches of this learner are made: triplets if a task needs them, with the run's seed.
batch::LoaderOptions loader_options(const Learner& learner, bool training);

}  // namespace dotin::training
