#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/metrics.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/numbers.h"

namespace dotin::tasks {

void Regress::fit(const data::View& train, const LossOptions&) {
  const BoundTargets all = numbers_of(train.dataset(), spec());
  meaning().mean.clear();
  meaning().deviation.clear();
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
    meaning().mean.push_back(sum / count);
    for (const double value : known) squares += (value - meaning().mean.back()) * (value - meaning().mean.back());
    const auto [least, most] = std::minmax_element(known.begin(), known.end());
    const double deviation = std::sqrt(squares / count);
    meaning().deviation.push_back(*least < *most && deviation > 0 ? deviation : 1);
    DOTIN_CHECK(std::isfinite(meaning().mean.back()) && std::isfinite(meaning().deviation.back()),
                "task '{}': the values in column {} of target '{}' are too large to standardise", name(), c,
                spec().target);
  }
}

BoundTargets Regress::bind(const data::Dataset& dataset) const {
  BoundTargets bound = numbers_of(dataset, spec());
  DOTIN_CHECK(bound.width == meaning().width(0), "{}: target '{}' has {} columns, the model was trained on {}",
              dataset.name, spec().target, bound.width, meaning().width(0));
  return bound;
}

Task::TermsOfGraphs Regress::terms(const at::Tensor& output, const batch::Batch& batch,
                                   const BoundTargets& targets) const {
  const at::Tensor mean = at::tensor(meaning().mean, at::kDouble),
                   deviation = at::tensor(meaning().deviation, at::kDouble);
  const at::Tensor rows = ((target_rows(batch, targets) - mean) / deviation).to(output.options());
  const at::Tensor known = rows.isnan().logical_not();
  const at::Tensor error = at::where(known, output.narrow(0, 0, batch.anchors) - rows, at::zeros_like(rows));
  return {error.square(), known};
}

at::Tensor Regress::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets) const {
  return terms(output, batch, targets).mean();
}

at::Tensor Regress::statements(const batch::Batch& batch, const BoundTargets& targets) const {
  const at::Tensor rows = target_rows(batch, targets).to(at::kDouble);
  const at::Tensor above =
      at::where(rows.isnan(), rows, (rows > at::tensor(meaning().mean, at::kDouble)).to(at::kDouble));
  return at::cat({above, 1 - above}, 1);
}

void Regress::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                      Collected& collected) const {
  const std::size_t first = collected.outputs.size();
  collect_rows(output, batch, targets, collected);
  for (std::size_t i = first; i < collected.outputs.size(); ++i) {
    const std::size_t column = i % meaning().mean.size();
    collected.outputs[i] = collected.outputs[i] * meaning().deviation[column] + meaning().mean[column];
  }
}

std::vector<Metric> Regress::metrics(const Collected& collected) const {
  return {{"rmse", network::rmse(collected.outputs, collected.targets), false},
          {"mae", network::mae(collected.outputs, collected.targets), false},
          {"r2", network::r2(collected.outputs, collected.targets, meaning().width(0)), true}};
}

}  // namespace dotin::tasks
