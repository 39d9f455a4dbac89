// Targets read as numbers: what regress and multilabel share.
#pragma once

#include "dotin/tasks/task.h"

namespace dotin::tasks {

/// The columns that the task names; core::Error where the target has text (class names) instead of numbers.
BoundTargets numbers_of(const data::Dataset& dataset, const network::TaskSpec& spec);

}  // namespace dotin::tasks
