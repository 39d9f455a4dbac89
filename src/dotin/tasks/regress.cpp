#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/metrics.h"
#include "dotin/tasks/numbers.h"

namespace dotin::tasks {

void Regress::fit(const data::View& train, const LossOptions&) {
  const BoundTargets all = numbers_of(train.dataset(), spec());
  mean_.clear();
  deviation_.clear();
  for (int64_t c = 0; c < all.width; ++c) {
    std::vector<double> known;
    for (const int64_t g : train.indices()) {
      const double value = all.values[static_cast<std::size_t>(g * all.width + c)];
      if (!std::isnan(value)) known.push_back(value);
    }
    DOTIN_CHECK(!known.empty(), "task '{}': no training graph has a value in column {} of target '{}'", name(), c,
                spec().target);
    const auto count = static_cast<double>(known.size());
    // In two passes: one loses everything where the mean is far larger than the deviation.
    double sum = 0, squares = 0;
    for (const double value : known) sum += value;
    mean_.push_back(sum / count);
    for (const double value : known) squares += (value - mean_.back()) * (value - mean_.back());
    const auto [least, most] = std::minmax_element(known.begin(), known.end());
    const double deviation = std::sqrt(squares / count);
    deviation_.push_back(*least < *most && deviation > 0 ? deviation : 1);
    DOTIN_CHECK(std::isfinite(mean_.back()) && std::isfinite(deviation_.back()),
                "task '{}': the values in column {} of target '{}' are too large to standardise", name(), c,
                spec().target);
  }
}

nlohmann::json Regress::to_json() const { return {{"mean", mean_}, {"deviation", deviation_}}; }

void Regress::from_json(const nlohmann::json& json) {
  mean_ = json.at("mean").get<std::vector<double>>();
  deviation_ = json.at("deviation").get<std::vector<double>>();
  DOTIN_CHECK(!mean_.empty() && mean_.size() == deviation_.size(), "task '{}' has {} means and {} deviations", name(),
              mean_.size(), deviation_.size());
}

int64_t Regress::head_width(int64_t) const { return static_cast<int64_t>(mean_.size()); }

BoundTargets Regress::bind(const data::Dataset& dataset) const {
  BoundTargets bound = numbers_of(dataset, spec());
  DOTIN_CHECK(bound.width == head_width(0), "{}: target '{}' has {} columns, the model was trained on {}", dataset.name,
              spec().target, bound.width, head_width(0));
  return bound;
}

Task::TermsOfGraphs Regress::terms(const at::Tensor& output, const batch::Batch& batch,
                                   const BoundTargets& targets) const {
  const at::Tensor mean = at::tensor(mean_, at::kDouble), deviation = at::tensor(deviation_, at::kDouble);
  const at::Tensor rows = ((target_rows(batch, targets) - mean) / deviation).to(output.options());
  const at::Tensor known = rows.isnan().logical_not();
  const at::Tensor error = at::where(known, output.narrow(0, 0, batch.anchors) - rows, at::zeros_like(rows));
  return {error.square(), known};
}

at::Tensor Regress::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const {
  return terms(output, batch, targets).mean();
}

at::Tensor Regress::graph_losses(const at::Tensor& output, const batch::Batch& batch,
                                 const BoundTargets& targets) const {
  return terms(output, batch, targets).mean_by_graph();
}

void Regress::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                      Collected& collected) const {
  const std::size_t first = collected.outputs.size();
  collect_rows(output, batch, targets, collected);
  for (std::size_t i = first; i < collected.outputs.size(); ++i) {
    const std::size_t column = i % mean_.size();
    collected.outputs[i] = collected.outputs[i] * deviation_[column] + mean_[column];
  }
}

std::vector<Metric> Regress::metrics(const Collected& collected) const {
  return {{"rmse", rmse(collected.outputs, collected.targets), false},
          {"mae", mae(collected.outputs, collected.targets), false},
          {"r2", r2(collected.outputs, collected.targets, head_width(0)), true}};
}

nlohmann::json Regress::prediction(const double* output, int64_t width) const {
  std::vector<double> values;
  for (int64_t c = 0; c < width; ++c) values.push_back(output[c] * deviation_[c] + mean_[c]);
  if (width == 1) return {{"value", values[0]}};
  return {{"value", values}};
}

double Regress::change(const double* before, const double* after, int64_t width) const {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += std::abs(after[c] - before[c]);
  return sum / static_cast<double>(width);
}

}  // namespace dotin::tasks
