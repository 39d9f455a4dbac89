// A model together with what it needs to meet data: feature map and tasks. What a model file holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/batch/loader.h"
#include "dotin/models/model.h"
#include "dotin/network/config.h"
#include "dotin/network/predictor.h"
#include "dotin/tasks/task.h"

namespace dotin::training {

struct Learner : network::Description {
  std::vector<std::unique_ptr<tasks::Task>> tasks;  // that teach the outputs, in the same order
  std::unique_ptr<models::Model> model;

  bool needs_triplets() const;
};

/// Fits the tasks on the training graphs.
std::vector<std::unique_ptr<tasks::Task>> make_tasks(const network::RunOptions& options, const data::View& train);

/// A learner that predicts, as explain/ asks for it. The learner must live as long.
class LearnerPredictor : public network::Predictor {
 public:
  explicit LearnerPredictor(const Learner& learner) : learner_(learner) {}
  const network::Description& description() const override { return learner_; }
  network::BatchOutputs outputs(const batch::Batch& batch, bool trace) const override;

 private:
  const Learner& learner_;
};

/// Fits features and tasks on the training graphs and makes a model with fresh weights. Refuses with the figure what
/// would not fit into memory.
Learner make_learner(const network::RunOptions& options, const data::View& train);

/// What the learner's run uses for options that stand for it, such as lr = 0.
network::ValuesUsed values_used(network::RunOptions options, const Learner& learner);

/// About how much memory training takes, with the largest batch there can be.
int64_t predicted_bytes(const Learner& learner, const data::View& train);

/// Writes a model file (docs/formats.md): the same learner gives the same bytes.
void save_model(const Learner& learner, const std::string& path);

/// core::Error with the reason for anything that is not a whole, unedited model file of a known version.
Learner load_model(const std::string& path);

/// Lets the model compute there. core::UsageError where this libtorch, or the machine, has no such device.
void use_device(Learner& learner, Device device);

/// How batches of this learner are made: triplets if a task needs them, with the run's seed.
batch::LoaderOptions loader_options(const Learner& learner, bool training);

}  // namespace dotin::training
