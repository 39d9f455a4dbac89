#include "dotin/tasks/task.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "dotin/core/registry.h"
#include "dotin/tasks/kinds.h"

namespace dotin::tasks {

namespace {

using Factory = std::unique_ptr<Task> (*)(const TaskSpec&);

template <class T>
std::unique_ptr<Task> make(const TaskSpec& spec) {
  return std::make_unique<T>(spec);
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

std::unique_ptr<Task> make_task(const TaskSpec& spec) { return registry().get(spec.kind)(spec); }

std::pair<const io::Target*, int64_t> find_target(const data::Dataset& dataset, const std::string& name) {
  for (const io::Target& target : dataset.targets) {
    if (target.name == name) return {&target, -1};
  }
  const std::size_t dot = name.rfind('.');
  const std::size_t digits = dot == std::string::npos ? 0 : name.size() - dot - 1;
  if (digits > 0 && digits < 10 &&
      std::all_of(name.end() - static_cast<std::ptrdiff_t>(digits), name.end(),
                  [](unsigned char c) { return std::isdigit(c); })) {
    const io::Target& target = dataset.target(name.substr(0, dot));
    const int64_t column = std::stoll(name.substr(dot + 1));
    DOTIN_CHECK(column < target.width, "{}: target '{}' has {} columns (0 to {}), not a column {}", dataset.name,
                target.name, target.width, target.width - 1, column);
    return {&target, column};
  }
  return {&dataset.target(name), -1};
}

data::Classes classes_of_task(const data::Dataset& dataset, const TaskSpec& spec) {
  const auto [target, column] = find_target(dataset, spec.target);
  if (column < 0) return data::classes_of(*target);
  std::vector<double> values;
  for (int64_t g = 0; g < dataset.graphs(); ++g)
    values.push_back(target->values[static_cast<std::size_t>(g * target->width + column)]);
  return data::classes_of({spec.target, 1, std::move(values), target->names});
}

at::Tensor Task::TermsOfGraphs::mean() const { return losses.sum() / known.sum().clamp_min(1); }

at::Tensor Task::TermsOfGraphs::mean_by_graph() const {
  const at::Tensor count = known.sum(1), means = losses.sum(1) / count.clamp_min(1);
  return at::where(count > 0, means, at::full_like(means, std::nan("")));
}

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
