// Two small networks that learn which nodes matter (docs/method.md, "Ranking by relevance"). The detectors learn for
// every statement about a graph, e.g. "it is of class 2", which nodes are evidence for it. The scorer, without knowing
// the target, gives every node a number for each task: how much it adds to the evidence.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/batch/part.h"
#include "dotin/layers/parameters.h"
#include "dotin/network/head.h"
#include "dotin/network/relevance.h"

namespace dotin::models {

/// Both see what nodes have of themselves (batch/part.h), and have three layers that add up a node's neighbours. A
/// node's score is a term of its own and the mean of another one over two hops.
struct RelevanceOptions {
  batch::OwnColumns columns;
  at::ScalarType type = at::kFloat;
  uint64_t seed = 0;
};

/// Evidence adds up over the nodes of a graph and is never negative: what a detector says of one statement cannot be
/// read off the lack of evidence for another one.
class Detectors {
 public:
  static constexpr int64_t kHidden = 32;

  /// statements: how many there are, of all tasks. nodes: of a usual graph, whose evidence adds up to about 1/2 at
  /// first.
  Detectors(const RelevanceOptions& options, int64_t statements, double nodes);

  /// [graphs, statements]: L_c = log sum_i gate_i exp(e_ic), e_ic the evidence of node i. gate [nodes, 1]: how much of
  /// a node there is, in what it sends to its neighbours and in the sum; undefined for 1. batch: with own columns.
  at::Tensor forward(const batch::Batch& batch, const at::Tensor& gate = {}) const;
  /// [statements]: a_c > 0, by which L_c becomes a logit.
  at::Tensor gains() const;

  layers::ParameterSet& parameters() { return parameters_; }

 private:
  layers::ParameterSet parameters_;
};

class Scorer {
 public:
  static constexpr int64_t kHidden = network::kScorerHidden;

  Scorer(const RelevanceOptions& options, int64_t tasks);

  /// [nodes, K]. batch: with own columns.
  at::Tensor forward(const batch::Batch& batch) const;
  /// The scores of a batch with all its columns, as numbers.
  std::vector<double> scores(const batch::Batch& batch) const;

  int64_t tasks() const { return tasks_; }
  layers::ParameterSet& parameters() { return parameters_; }
  const layers::ParameterSet& parameters() const { return parameters_; }

 private:
  batch::OwnColumns columns_;
  int64_t tasks_;
  layers::ParameterSet parameters_;
};

}  // namespace dotin::models
