// The kinds of tasks there are.
#pragma once

#include "dotin/ops/triplet_margin.h"
#include "dotin/tasks/task.h"

namespace dotin::tasks {

/// One of C classes: cross-entropy; accuracy, macro F1, and AUC for two classes.
class Classify : public Task {
 public:
  using Task::Task;
  void fit(const data::View& train, const LossOptions& options) override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;
  int64_t head_width(int64_t hidden) const override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor graph_losses(const at::Tensor& output, const batch::Batch& batch,
                          const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;
  nlohmann::json prediction(const double* output, int64_t width) const override;
  /// By how much the probability of the class that was predicted before has fallen.
  double change(const double* before, const double* after, int64_t width) const override;

 private:
  std::vector<std::string> class_names_;
  std::vector<double> class_weights_;  // empty: all 1
  double label_smoothing_ = 0;
};

/// One or several numbers: mean squared error on standardised targets; RMSE, MAE and R2 in the targets' own units.
class Regress : public Task {
 public:
  using Task::Task;
  void fit(const data::View& train, const LossOptions& options) override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;
  int64_t head_width(int64_t hidden) const override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor graph_losses(const at::Tensor& output, const batch::Batch& batch,
                          const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;
  /// R2: unlike an error it is comparable with other tasks' metrics.
  double score(const std::vector<Metric>& metrics) const override { return metrics.back().value; }
  nlohmann::json prediction(const double* output, int64_t width) const override;
  /// Mean absolute difference, in standard deviations of the training targets.
  double change(const double* before, const double* after, int64_t width) const override;

 private:
  TermsOfGraphs terms(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const;

  std::vector<double> mean_, deviation_;  // of the training targets, per column
};

/// Several yes/no questions, any of them unanswered: binary cross-entropy over the answered ones; mean AUC and
/// accuracy.
class Multilabel : public Task {
 public:
  using Task::Task;
  void fit(const data::View& train, const LossOptions& options) override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;
  int64_t head_width(int64_t hidden) const override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor graph_losses(const at::Tensor& output, const batch::Batch& batch,
                          const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;
  nlohmann::json prediction(const double* output, int64_t width) const override;
  /// By how much the probability of the answer that was given before has fallen, mean over the questions.
  double change(const double* before, const double* after, int64_t width) const override;

 private:
  static TermsOfGraphs terms(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets);

  int64_t width_ = 0;
};

/// Graph edit distance from triplets (Li et al. 2019): a margin between distances of embeddings, or, as published,
/// between their squares; triplet accuracy and pair AUC.
class Ged : public Task {
 public:
  using Task::Task;
  bool needs_triplets() const override { return true; }
  void fit(const data::View& train, const LossOptions& options) override;
  nlohmann::json to_json() const override;
  void from_json(const nlohmann::json& json) override;
  int64_t head_width(int64_t hidden) const override { return hidden; }
  BoundTargets bind(const data::Dataset&) const override { return {}; }
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor graph_losses(const at::Tensor& output, const batch::Batch& batch,
                          const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;
  nlohmann::json prediction(const double* output, int64_t width) const override;
  /// Distance of the two embeddings, as a share of the first one's length.
  double change(const double* before, const double* after, int64_t width) const override;

 private:
  ops::TripletOptions triplet_options(const batch::Batch& batch) const;

  bool squared_ = false;
  double margin_ = 1;
  bool by_nodes_ = true;
};

}  // namespace dotin::tasks
