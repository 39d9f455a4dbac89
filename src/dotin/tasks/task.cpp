#include "dotin/tasks/task.h"

#include <cmath>

#include "dotin/core/registry.h"
#include "dotin/tasks/kinds.h"

namespace dotin::tasks {

namespace {

using Factory = std::unique_ptr<Task> (*)(std::shared_ptr<network::Output>);

template <class T>
std::unique_ptr<Task> make(std::shared_ptr<network::Output> output) {
  return std::make_unique<T>(std::move(output));
}

const core::Registry<Factory>& registry() {
  static const core::Registry<Factory> tasks("task", {
                                                         {"classify", make<Classify>},
                                                         {"regress", make<Regress>},
                                                         {"multilabel", make<Multilabel>},
                                                         {"ged", make<Ged>},
                                                     });
  return tasks;
}

}  // namespace

std::unique_ptr<Task> make_task(std::shared_ptr<network::Output> output) {
  const Factory& factory = registry().get(output->spec().kind);
  return factory(std::move(output));
}

at::Tensor Task::TermsOfGraphs::mean() const { return losses.sum() / known.sum().clamp_min(1); }

at::Tensor Task::target_rows(const batch::Batch& batch, const BoundTargets& targets) {
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(batch.anchors * targets.width));
  for (int32_t g = 0; g < batch.anchors; ++g) {
    const double* const row = targets.values.data() + batch.graph_index[g] * targets.width;
    rows.insert(rows.end(), row, row + targets.width);
  }
  return at::tensor(rows, at::kDouble).view({batch.anchors, targets.width});
}

void Task::collect_rows(const at::Tensor& output, const batch::Batch& batch, const BoundTargets& targets,
                        Collected& collected) {
  const at::Tensor rows = output.detach().narrow(0, 0, batch.anchors).to(at::kCPU, at::kDouble).contiguous();
  collected.outputs.insert(collected.outputs.end(), rows.data_ptr<double>(), rows.data_ptr<double>() + rows.numel());
  for (int32_t g = 0; g < batch.anchors; ++g) {
    const double* const row = targets.values.data() + batch.graph_index[g] * targets.width;
    collected.targets.insert(collected.targets.end(), row, row + targets.width);
  }
}

}  // namespace dotin::tasks
