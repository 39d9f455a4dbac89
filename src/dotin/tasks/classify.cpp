#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/metrics.h"
#include "dotin/ops/cross_entropy.h"
#include "dotin/tasks/kinds.h"

namespace dotin::tasks {

void Classify::fit(const data::View& train, const LossOptions& options) {
  const data::Classes classes = network::classes_of_task(train.dataset(), spec());
  DOTIN_CHECK(classes.count() >= 2, "task '{}': target '{}' has {} class(es); classification needs at least 2", name(),
              spec().target, classes.count());
  DOTIN_CHECK(classes.count() <= 10'000,
              "task '{}': target '{}' has {} different values: that looks like numbers to regress, not classes (use "
              "regress:{})",
              name(), spec().target, classes.count(), spec().target);
  meaning().classes = classes.names;
  label_smoothing_ = options.label_smoothing;
  std::vector<double> counts(meaning().classes.size(), 0);
  for (const int64_t index : train.indices()) {
    const int32_t label = classes.of_graph[static_cast<std::size_t>(index)];
    if (label >= 0) counts[static_cast<std::size_t>(label)] += 1;
  }
  double labelled = 0;
  for (const double count : counts) labelled += count;
  DOTIN_CHECK(labelled > 0, "task '{}': none of the training graphs has a value of target '{}'", name(), spec().target);
  if (options.balanced_classes) {
    class_weights_.clear();
    for (const double count : counts)
      class_weights_.push_back(labelled / (static_cast<double>(counts.size()) * std::max(count, 1.0)));
  }
}

BoundTargets Classify::bind(const data::Dataset& dataset) const {
  const data::Classes classes = network::classes_of_task(dataset, spec());
  std::vector<double> index_of;
  for (const std::string& value : classes.names) {
    const auto found = std::find(meaning().classes.begin(), meaning().classes.end(), value);
    DOTIN_CHECK(found != meaning().classes.end(),
                "{}: class '{}' of target '{}' is unknown to the model, which knows {}", dataset.name, value,
                spec().target, fmt::join(meaning().classes, ", "));
    index_of.push_back(static_cast<double>(found - meaning().classes.begin()));
  }
  BoundTargets bound;
  bound.width = 1;
  for (const int32_t index : classes.of_graph)
    bound.values.push_back(index < 0 ? std::nan("") : index_of[static_cast<std::size_t>(index)]);
  return bound;
}

at::Tensor Classify::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const {
  std::vector<int64_t> labels;
  for (int32_t g = 0; g < batch.anchors; ++g) {
    const double target = targets.values[static_cast<std::size_t>(batch.graph_index[g])];
    labels.push_back(std::isnan(target) ? -1 : static_cast<int64_t>(target));
  }
  return ops::cross_entropy(output, labels, class_weights_, label_smoothing_);
}

at::Tensor Classify::statements(const batch::Batch& batch, const BoundTargets& targets) const {
  const at::Tensor rows = target_rows(batch, targets).to(at::kDouble);
  const at::Tensor classes = at::arange(static_cast<int64_t>(meaning().classes.size()), rows.options());
  return at::where(rows.isnan(), rows, (rows == classes).to(at::kDouble));
}

void Classify::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                       Collected& collected) const {
  collect_rows(output, batch, targets, collected);
}

std::vector<Metric> Classify::metrics(const Collected& collected) const {
  const auto classes = static_cast<int64_t>(meaning().classes.size());
  std::vector<int32_t> labels;
  for (const double target : collected.targets)
    labels.push_back(std::isnan(target) ? -1 : static_cast<int32_t>(target));
  std::vector<Metric> result{{"accuracy", network::accuracy(collected.outputs, classes, labels), true},
                             {"f1", network::macro_f1(collected.outputs, classes, labels), true}};
  if (classes == 2) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < labels.size(); ++i)
      scores.push_back(collected.outputs[2 * i + 1] - collected.outputs[2 * i]);
    result.push_back({"auc", network::auc(scores, labels), true});
  }
  return result;
}

}  // namespace dotin::tasks
