// Metrics of a learner on some graphs.
#pragma once

#include <vector>

#include "dotin/training/learner.h"
#include "dotin/training/selection.h"

namespace dotin::training {

/// Feature encoder and targets of one dataset: what a learner needs to read it.
struct BoundData {
  std::shared_ptr<const data::FeatureEncoder> encoder;
  std::vector<tasks::BoundTargets> targets;  // per task
};
BoundData bind(const Learner& learner, const data::Dataset& dataset, data::UnknownLabels unknown);

struct Evaluation {
  std::vector<double> values;               // in the order of metric_names
  double score = 0;                         // mean of the tasks' scores; higher is better
  double loss = 0;                          // the objective, averaged over the graphs
  std::vector<tasks::Collected> collected;  // per task: what the values are of
};

/// Every metric of every task, in order.
std::vector<MetricName> metric_names(const std::vector<std::unique_ptr<tasks::Task>>& tasks);

/// Triplets and random drops are the same in every call. An empty view gives NaN.
Evaluation evaluate(const Learner& learner, const BoundData& bound, const data::View& view, double drop_factor);

/// Sum of the weighted task losses over the number of tasks, (1/K) sum_k w_k loss_k, and what the drop method adds.
at::Tensor objective(const Learner& learner, const models::Forward& forward, const batch::Batch& batch,
                     const BoundData& bound);

}  // namespace dotin::training
