#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/metrics.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/numbers.h"

namespace dotin::tasks {

void Multilabel::fit(const data::View& train, const LossOptions&) {
  meaning().questions = numbers_of(train.dataset(), spec()).width;
  const BoundTargets all = bind(train.dataset());
  for (const int64_t g : train.indices()) {
    for (int64_t c = 0; c < meaning().questions; ++c) {
      if (!std::isnan(all.values[static_cast<std::size_t>(g * meaning().questions + c)])) return;
    }
  }
  core::fail("task '{}': none of the training graphs has a value of target '{}'", name(), spec().target);
}

BoundTargets Multilabel::bind(const data::Dataset& dataset) const {
  BoundTargets bound = numbers_of(dataset, spec());
  DOTIN_CHECK(bound.width == meaning().questions, "{}: target '{}' has {} columns, the model was trained on {}",
              dataset.name, spec().target, bound.width, meaning().questions);
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    const double value = bound.values[i];
    DOTIN_CHECK(std::isnan(value) || value == 0 || value == 1,
                "{}: graph {} has {} in target '{}'; multilabel takes 0, 1 or nothing", dataset.name,
                i / static_cast<std::size_t>(meaning().questions), value, spec().target);
  }
  return bound;
}

Task::TermsOfGraphs Multilabel::terms(const at::Tensor& output, const batch::Batch& batch,
                                      const BoundTargets& targets) {
  const at::Tensor rows = target_rows(batch, targets).to(output.options());
  const at::Tensor known = rows.isnan().logical_not();
  const at::Tensor answers = at::where(known, rows, at::zeros_like(rows));
  const at::Tensor losses =
      at::binary_cross_entropy_with_logits(output.narrow(0, 0, batch.anchors), answers, {}, {}, at::Reduction::None);
  return {losses * known, known};
}

at::Tensor Multilabel::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const {
  return terms(output, batch, targets).mean();
}

at::Tensor Multilabel::statements(const batch::Batch& batch, const BoundTargets& targets) const {
  const at::Tensor rows = target_rows(batch, targets).to(at::kDouble);
  const at::Tensor yes = at::where(rows.isnan(), rows, (rows > 0.5).to(at::kDouble));
  return at::cat({yes, 1 - yes}, 1);
}

void Multilabel::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                         Collected& collected) const {
  collect_rows(output, batch, targets, collected);
}

std::vector<Metric> Multilabel::metrics(const Collected& collected) const {
  double right = 0, known = 0;
  for (std::size_t i = 0; i < collected.targets.size(); ++i) {
    if (std::isnan(collected.targets[i])) continue;
    known += 1;
    right += (collected.outputs[i] > 0) == (collected.targets[i] > 0.5) ? 1 : 0;
  }
  return {{"auc", network::mean_column_auc(collected.outputs, collected.targets, meaning().questions), true},
          {"accuracy", right / known, true}};
}

}  // namespace dotin::tasks
