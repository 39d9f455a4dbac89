// Where the targets of a task are in a dataset.
#pragma once

#include <utility>

#include "dotin/data/dataset.h"
#include "dotin/network/run_options.h"
#include "dotin/network/task_spec.h"

namespace dotin::network {

/// Splits "attributes.3" into the dataset's target and a column; -1 for all columns. core::Error where there is none.
std::pair<const io::Target*, int64_t> find_target(const data::Dataset& dataset, const std::string& name);

/// The classes of a classify task's target. core::Error where it has several columns.
data::Classes classes_of_task(const data::Dataset& dataset, const TaskSpec& spec);

/// What splits keep in proportion: the class of every graph of the view by the first classify task; all alike where
/// there is none.
std::vector<int32_t> stratification(const data::View& view, const RunOptions& options);

}  // namespace dotin::network
