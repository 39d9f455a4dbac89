#include "dotin/training/evaluate.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "dotin/core/denormals.h"

namespace dotin::training {

namespace {

// Triplets of training use the epochs from 0 on; those of evaluation begin where no training reaches.
constexpr int64_t kEvaluationEpoch = int64_t{1} << 40;

}  // namespace

BoundData bind(const Learner& learner, const data::Dataset& dataset, data::UnknownLabels unknown) {
  BoundData bound;
  bound.encoder = std::make_shared<const data::FeatureEncoder>(learner.features, dataset, unknown);
  for (const auto& task : learner.tasks) bound.targets.push_back(task->bind(dataset));
  return bound;
}

std::vector<MetricName> metric_names(const std::vector<std::unique_ptr<tasks::Task>>& tasks) {
  std::vector<MetricName> names;
  for (const auto& task : tasks) {
    for (const tasks::Metric& metric : task->metrics({}))
      names.push_back({task->name(), metric.name, metric.higher_is_better});
  }
  return names;
}

Evaluation evaluate(const Learner& learner, const BoundData& bound, const data::View& view, double drop_factor) {
  const at::NoGradGuard no_gradients;
  const core::FlushDenormals flush;
  std::vector<tasks::Collected> collected(learner.tasks.size());
  batch::Loader loader(view, bound.encoder, loader_options(learner, false));
  models::ForwardOptions options;
  options.drop_factor = drop_factor;
  options.random_key = static_cast<uint64_t>(learner.options.train.seed);
  const int64_t rounds = learner.needs_triplets() ? learner.options.task.ged_triplets : 1;
  Evaluation evaluation;
  for (int64_t round = 0; round < rounds; ++round) {
    loader.start_epoch(kEvaluationEpoch + round);
    while (const std::optional<batch::Batch> batch = loader.next()) {
      const models::Forward forward = learner.model->forward(*batch, options);
      const double loss = objective(learner, forward, *batch, bound).item<double>();
      evaluation.loss += loss * static_cast<double>(batch->anchors);
      for (std::size_t k = 0; k < learner.tasks.size(); ++k) {
        if (round > 0 && !learner.tasks[k]->needs_triplets()) continue;
        learner.tasks[k]->collect(forward.outputs[k], *batch, bound.targets[k], collected[k]);
      }
    }
  }
  evaluation.loss /= static_cast<double>(rounds * view.size());
  for (std::size_t k = 0; k < learner.tasks.size(); ++k) {
    const std::vector<tasks::Metric> metrics = learner.tasks[k]->metrics(collected[k]);
    for (const tasks::Metric& metric : metrics) evaluation.values.push_back(metric.value);
    evaluation.score += learner.tasks[k]->score(metrics) / static_cast<double>(learner.tasks.size());
  }
  evaluation.collected = std::move(collected);
  return evaluation;
}

at::Tensor objective(const Learner& learner, const models::Forward& forward, const batch::Batch& batch,
                     const BoundData& bound) {
  at::Tensor total;
  for (std::size_t k = 0; k < learner.tasks.size(); ++k) {
    const tasks::Task& task = *learner.tasks[k];
    at::Tensor loss = task.loss(forward.outputs[k], batch, bound.targets[k]);
    if (task.spec().weight != 1) loss = loss * task.spec().weight;
    total = total.defined() ? total + loss : loss;
  }
  if (learner.tasks.size() > 1) total = total / static_cast<double>(learner.tasks.size());
  return forward.auxiliary.defined() ? total + forward.auxiliary : total;
}

}  // namespace dotin::training
