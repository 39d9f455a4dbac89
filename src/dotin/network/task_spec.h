// Tasks as a user writes them: [NAME=]KIND[:TARGET][*WEIGHT].
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dotin::network {

struct TaskSpec {
  std::string name;    // as in metrics and the model file; unique in a run
  std::string kind;    // classify, regress, multilabel, ged
  std::string target;  // "label", "attributes.3", ...; empty for ged
  double weight = 1;   // of its loss among the others
};

/// Parses a list such as {"classify", "tox=multilabel:tox*0.5", "regress:attributes.3", "ged"}. Without a name a task
/// is called after its kind, or its target where that would not be unique. core::UsageError for an empty list, unknown
/// kinds, doubled names, names that predictions
/// use for something else, weights that are not positive.
std::vector<TaskSpec> parse_tasks(const std::vector<std::string>& texts);

/// The kinds there are (network/output.h).
std::vector<std::string> task_kinds();

}  // namespace dotin::network
