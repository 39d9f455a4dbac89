#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/metrics.h"
#include "dotin/tasks/numbers.h"

namespace dotin::tasks {

void Multilabel::fit(const data::View& train, const LossOptions&) {
  width_ = numbers_of(train.dataset(), spec()).width;
  const BoundTargets all = bind(train.dataset());
  for (const int64_t g : train.indices()) {
    for (int64_t c = 0; c < width_; ++c) {
      if (!std::isnan(all.values[static_cast<std::size_t>(g * width_ + c)])) return;
    }
  }
  core::fail("task '{}': none of the training graphs has a value of target '{}'", name(), spec().target);
}

nlohmann::json Multilabel::to_json() const { return {{"width", width_}}; }

void Multilabel::from_json(const nlohmann::json& json) {
  width_ = json.at("width").get<int64_t>();
  DOTIN_CHECK(width_ >= 1 && width_ <= 1'000'000, "task '{}' has {} labels", name(), width_);
}

int64_t Multilabel::head_width(int64_t) const { return width_; }

BoundTargets Multilabel::bind(const data::Dataset& dataset) const {
  BoundTargets bound = numbers_of(dataset, spec());
  DOTIN_CHECK(bound.width == width_, "{}: target '{}' has {} columns, the model was trained on {}", dataset.name,
              spec().target, bound.width, width_);
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    const double value = bound.values[i];
    DOTIN_CHECK(std::isnan(value) || value == 0 || value == 1,
                "{}: graph {} has {} in target '{}'; multilabel takes 0, 1 or nothing", dataset.name,
                i / static_cast<std::size_t>(width_), value, spec().target);
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

at::Tensor Multilabel::graph_losses(const at::Tensor& output, const batch::Batch& batch,
                                    const BoundTargets& targets) const {
  return terms(output, batch, targets).mean_by_graph();
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
  return {{"auc", mean_column_auc(collected.outputs, collected.targets, width_), true},
          {"accuracy", right / known, true}};
}

nlohmann::json Multilabel::prediction(const double* output, int64_t width) const {
  std::vector<double> probabilities;
  for (int64_t c = 0; c < width; ++c) probabilities.push_back(1 / (1 + std::exp(-output[c])));
  return {{"logits", std::vector<double>(output, output + width)}, {"probabilities", probabilities}};
}

double Multilabel::change(const double* before, const double* after, int64_t width) const {
  // The probability of no is that of yes for the opposite logit.
  const auto probability = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) {
    const double answer = before[c] > 0 ? 1 : -1;
    sum += probability(answer * before[c]) - probability(answer * after[c]);
  }
  return sum / static_cast<double>(width);
}

}  // namespace dotin::tasks
