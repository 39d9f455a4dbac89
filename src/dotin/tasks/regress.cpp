#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/metrics.h"
#include "dotin/tasks/numbers.h"

namespace dotin::tasks {

void Regress::fit(const data::View& train, const LossOptions&) {
  const BoundTargets all = numbers_of(train.dataset(), spec());
  mean_.assign(static_cast<std::size_t>(all.width), 0);
  deviation_.assign(static_cast<std::size_t>(all.width), 1);
  for (int64_t c = 0; c < all.width; ++c) {
    double count = 0, sum = 0, squares = 0;
    for (const int64_t g : train.indices()) {
      const double value = all.values[static_cast<std::size_t>(g * all.width + c)];
      if (std::isnan(value)) continue;
      count += 1;
      sum += value;
      squares += value * value;
    }
    DOTIN_CHECK(count > 0, "task '{}': no training graph has a value in column {} of target '{}'", name(), c,
                spec().target);
    mean_[c] = sum / count;
    const double variance = std::max(0.0, squares / count - mean_[c] * mean_[c]);
    if (variance > 1e-24) deviation_[c] = std::sqrt(variance);
  }
}

nlohmann::json Regress::to_json() const { return {{"mean", mean_}, {"deviation", deviation_}}; }

void Regress::from_json(const nlohmann::json& json) {
  mean_ = json.at("mean").get<std::vector<double>>();
  deviation_ = json.at("deviation").get<std::vector<double>>();
  DOTIN_CHECK(mean_.size() == deviation_.size(), "task '{}': mean and deviation differ in length", name());
}

int64_t Regress::head_width(int64_t) const { return static_cast<int64_t>(mean_.size()); }

BoundTargets Regress::bind(const data::Dataset& dataset) const {
  BoundTargets bound = numbers_of(dataset, spec());
  DOTIN_CHECK(bound.width == head_width(0), "{}: target '{}' has {} columns, the model was trained on {}", dataset.name,
              spec().target, bound.width, head_width(0));
  return bound;
}

at::Tensor Regress::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const {
  const at::Tensor mean = at::tensor(mean_, at::kDouble).to(output.options());
  const at::Tensor deviation = at::tensor(deviation_, at::kDouble).to(output.options());
  const at::Tensor rows = (target_rows(batch, targets, output) - mean) / deviation;
  const at::Tensor known = rows.isnan().logical_not();
  const at::Tensor error = at::where(known, output.narrow(0, 0, batch.anchors) - rows, at::zeros_like(rows));
  return error.square().sum() / known.sum().clamp_min(1);
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

}  // namespace dotin::tasks
