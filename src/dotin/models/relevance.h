// What learns which nodes matter (docs/method.md, "Ranking by relevance"). The detectors learn for every statement
// about a graph, e.g. "it is of class 2", which nodes are evidence for it. The ranker learns from their rows, without
// knowing the target, how much each node adds to the evidence of each task. The scorer is both, learned.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/batch/own_columns.h"
#include "dotin/layers/parameters.h"
#include "dotin/network/relevance.h"

namespace dotin::models {

struct RelevanceOptions {
  batch::OwnColumns columns;  // what nodes have of themselves is all that is seen
  network::RelevanceShape shape;
  at::ScalarType type = at::kFloat;
  uint64_t seed = 0;
};

/// Evidence adds up over the nodes of a graph and is never negative: what a detector says of one statement cannot be
/// read off the lack of evidence for another one.
class Detectors {
 public:
  /// nodes: see network::detector_parameters.
  Detectors(const RelevanceOptions& options, double nodes);

  /// [graphs, statements]: L_c = log sum_i gate_i exp(e_ic), e_ic the evidence of node i. gate [nodes, 1]: how much of
  /// a node there is, in what it sends to its neighbours and in the sum; undefined for 1. batch: with own columns.
  at::Tensor forward(const batch::Batch& batch, const at::Tensor& gate = {}) const;
  /// [statements]: a_c > 0, by which L_c becomes a logit.
  at::Tensor gains() const;
  /// [nodes, D + statements]: normalised rows, and exp(e) / (1 + exp(e)); without a gradient.
  at::Tensor features(const batch::Batch& batch) const;

  layers::ParameterSet& parameters() { return parameters_; }

 private:
  layers::ParameterSet parameters_;
};

class Ranker {
 public:
  explicit Ranker(const RelevanceOptions& options);

  /// [nodes, tasks]. features: of the detectors, for this batch.
  at::Tensor forward(const batch::Batch& batch, const at::Tensor& features) const;

  layers::ParameterSet& parameters() { return parameters_; }

 private:
  layers::ParameterSet parameters_;
};

class Scorer {
 public:
  explicit Scorer(const RelevanceOptions& options);

  /// Takes what these two have learned.
  void take(Detectors& detectors, Ranker& ranker);
  /// The scores of a batch with all its columns, as numbers: [nodes, tasks], row by row.
  std::vector<double> scores(const batch::Batch& batch) const;

  const RelevanceOptions& options() const { return options_; }
  int64_t tasks() const { return options_.shape.tasks; }
  layers::ParameterSet& parameters() { return parameters_; }
  const layers::ParameterSet& parameters() const { return parameters_; }

 private:
  RelevanceOptions options_;
  layers::ParameterSet parameters_;
};

}  // namespace dotin::models
