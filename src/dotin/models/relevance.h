// Two small networks that learn which nodes matter (docs/method.md, "Ranking by relevance"). The judge tells the tasks'
// targets from parts of graphs, and so knows what a part is worth. The scorer gives every node a number for each task,
// without knowing the target: about how much more a part is worth that has this node.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/batch/part.h"
#include "dotin/layers/parameters.h"
#include "dotin/network/head.h"
#include "dotin/network/relevance.h"

namespace dotin::models {

/// Both see what nodes have of themselves (batch/part.h), and have three layers that add up a node's neighbours. The
/// judge reads the mean and the maximum of all rows. A node's score is a term of its own and the mean of another one
/// over two hops.
struct RelevanceOptions {
  batch::OwnColumns columns;
  at::ScalarType type = at::kFloat;
  uint64_t seed = 0;
};

class Judge {
 public:
  static constexpr int64_t kHidden = 64;

  Judge(const RelevanceOptions& options, std::vector<network::Head> heads);

  /// Per task [graphs, width]. batch: with own columns.
  std::vector<at::Tensor> forward(const batch::Batch& batch) const;
  /// The same by a predictor that sees no node: what there is to know without any.
  std::vector<at::Tensor> forward_blind(int64_t graphs) const;

  layers::ParameterSet& parameters() { return parameters_; }

 private:
  std::vector<network::Head> heads_;
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
