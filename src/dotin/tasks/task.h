// A task: where its targets come from, its loss, its metrics. One file each; registered in task.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/core/error.h"
#include "dotin/data/dataset.h"
#include "dotin/network/output.h"
#include "dotin/network/targets.h"

namespace dotin::tasks {

struct LossOptions {
  double label_smoothing = 0;
  bool balanced_classes = false;
  bool ged_squared = false;  // ged: loss on squared distances
  double ged_margin = 1;
  bool ged_by_nodes = true;  // ged: embeddings times the nodes they average over
};

struct Metric {
  std::string name;
  double value;
  bool higher_is_better;
};

/// Targets of every graph of one dataset, as the task reads them (class indices for classify); NaN where missing.
struct BoundTargets {
  int64_t width = 0;
  std::vector<double> values;  // graphs x width
};

/// Outputs and targets of all graphs evaluated so far.
struct Collected {
  std::vector<double> outputs;
  std::vector<double> targets;
  std::vector<double> d_pos, d_neg;  // ged
};

class Task {
 public:
  explicit Task(std::shared_ptr<network::Output> output) : output_(std::move(output)) {}
  virtual ~Task() = default;

  const network::Output& output() const { return *output_; }
  const std::shared_ptr<network::Output>& shared_output() const { return output_; }
  const network::TaskSpec& spec() const { return output_->spec(); }
  const std::string& name() const { return output_->name(); }
  virtual bool needs_triplets() const { return false; }

  /// Learns what the model file must remember (class names, widths, scales) from the training graphs, and writes it to
  /// the output.
  virtual void fit(const data::View& train, const LossOptions& options) = 0;
  /// Targets of a dataset, which may be another than the one fitted on. core::Error names a missing target or an
  /// unknown class.
  virtual BoundTargets bind(const data::Dataset& dataset) const = 0;

  /// Mean over the graphs that have a target; 0 where none has. output: [graphs, head width].
  virtual at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const = 0;
  /// What is true of each anchor, 1 or 0, NaN where it is not known: of which class it is; yes and no to every
  /// question; above and below the mean of the training graphs. [anchors, statements]; none where a task says nothing
  /// of a single graph, as ged does.
  virtual at::Tensor statements(const batch::Batch& batch, const BoundTargets& targets) const = 0;
  virtual void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                       Collected& collected) const = 0;
  /// The first is the main one, by which epochs are chosen.
  virtual std::vector<Metric> metrics(const Collected& collected) const = 0;
  /// Higher is better, about 1 at best: what epochs are chosen by. The main metric, unless a task says otherwise.
  virtual double score(const std::vector<Metric>& metrics) const { return metrics.front().value; }

 protected:
  /// Losses of all columns of all anchors, 0 where there is no target, and whether there is one.
  struct TermsOfGraphs {
    at::Tensor losses, known;  // [anchors, columns]

    at::Tensor mean() const;  // over all that are known; 0 where none is
  };

  /// What bind gave for the anchors: doubles, for a target may need more digits than the output has.
  static at::Tensor target_rows(const batch::Batch& batch, const BoundTargets& targets);
  static void collect_rows(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                           Collected& collected);

 private:
  std::shared_ptr<network::Output> output_;
};

/// A task that knows what kind of output it teaches.
template <class OutputOfKind>
class TaskOf : public Task {
 public:
  explicit TaskOf(std::shared_ptr<network::Output> output)
      : Task(output), meaning_(std::dynamic_pointer_cast<OutputOfKind>(output)) {
    DOTIN_ASSERT(meaning_ != nullptr);
  }

 protected:
  OutputOfKind& meaning() { return *meaning_; }
  const OutputOfKind& meaning() const { return *meaning_; }

 private:
  std::shared_ptr<OutputOfKind> meaning_;
};

/// The task that teaches an output of its kind.
std::unique_ptr<Task> make_task(std::shared_ptr<network::Output> output);

}  // namespace dotin::tasks
