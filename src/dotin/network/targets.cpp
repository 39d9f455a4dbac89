#include "dotin/network/targets.h"

#include <algorithm>
#include <cctype>

#include "dotin/core/error.h"

namespace dotin::network {

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

std::vector<int32_t> stratification(const data::View& view, const RunOptions& options) {
  std::vector<int32_t> classes(static_cast<std::size_t>(view.size()), 0);
  for (const TaskSpec& spec : parse_tasks(options.task.tasks)) {
    if (spec.kind != "classify") continue;
    const std::vector<int32_t> of_graph = classes_of_task(view.dataset(), spec).of_graph;
    std::transform(view.indices().begin(), view.indices().end(), classes.begin(),
                   [&](int64_t index) { return of_graph[static_cast<std::size_t>(index)]; });
    break;
  }
  return classes;
}

}  // namespace dotin::network
