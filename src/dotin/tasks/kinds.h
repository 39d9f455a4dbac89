// The kinds of tasks there are.
#pragma once

#include "dotin/ops/triplet_margin.h"
#include "dotin/tasks/task.h"

namespace dotin::tasks {

/// One of C classes: cross-entropy; accuracy, macro F1, and AUC for two classes.
class Classify : public TaskOf<network::ClassOutput> {
 public:
  using TaskOf::TaskOf;
  void fit(const data::View& train, const LossOptions& options) override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor statements(const batch::Batch& batch, const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;

 private:
  std::vector<double> class_weights_;  // empty: all 1
  double label_smoothing_ = 0;
};

/// One or several numbers: mean squared error on standardised targets; RMSE, MAE and R2 in the targets' own units.
class Regress : public TaskOf<network::NumberOutput> {
 public:
  using TaskOf::TaskOf;
  void fit(const data::View& train, const LossOptions& options) override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor statements(const batch::Batch& batch, const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;
  /// R2: unlike an error it is comparable with other tasks' metrics.
  double score(const std::vector<Metric>& metrics) const override { return metrics.back().value; }

 private:
  TermsOfGraphs terms(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const;
};

/// Several yes/no questions, any of them unanswered: binary cross-entropy over the answered ones; mean AUC and
/// accuracy.
class Multilabel : public TaskOf<network::AnswerOutput> {
 public:
  using TaskOf::TaskOf;
  void fit(const data::View& train, const LossOptions& options) override;
  BoundTargets bind(const data::Dataset& dataset) const override;
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor statements(const batch::Batch& batch, const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;

 private:
  static TermsOfGraphs terms(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets);
};

/// Graph edit distance from triplets (Li et al. 2019): a margin between distances of embeddings, or, as published,
/// between their squares; triplet accuracy and pair AUC.
class Ged : public TaskOf<network::EmbeddingOutput> {
 public:
  using TaskOf::TaskOf;
  bool needs_triplets() const override { return true; }
  void fit(const data::View& train, const LossOptions& options) override;
  BoundTargets bind(const data::Dataset&) const override { return {}; }
  at::Tensor loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const override;
  at::Tensor statements(const batch::Batch& batch, const BoundTargets& targets) const override;
  void collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
               Collected& collected) const override;
  std::vector<Metric> metrics(const Collected& collected) const override;

 private:
  ops::TripletOptions triplet_options(const batch::Batch& batch) const;
};

}  // namespace dotin::tasks
