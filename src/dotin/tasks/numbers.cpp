#include "dotin/tasks/numbers.h"

#include <cmath>

#include "dotin/core/error.h"

namespace dotin::tasks {

BoundTargets numbers_of(const data::Dataset& dataset, const network::TaskSpec& spec) {
  const auto [target, column] = network::find_target(dataset, spec.target);
  DOTIN_CHECK(target->names.empty(),
              "task '{}': target '{}' holds text ('{}', ...), but {} needs numbers (use classify:{})", spec.name,
              spec.target, target->names.empty() ? "" : target->names.front(), spec.kind, spec.target);
  BoundTargets bound;
  bound.width = column < 0 ? target->width : 1;
  for (int64_t g = 0; g < dataset.graphs(); ++g) {
    for (int64_t c = 0; c < bound.width; ++c) {
      const double value = target->values[static_cast<std::size_t>(g * target->width + (column < 0 ? c : column))];
      DOTIN_CHECK(!std::isinf(value), "{}: graph {} has {} in target '{}'; leave out what is not known", dataset.name,
                  g, value, spec.target);
      bound.values.push_back(value);
    }
  }
  return bound;
}

}  // namespace dotin::tasks
