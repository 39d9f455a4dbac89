#include "dotin/network/task_spec.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "dotin/core/registry.h"
#include "dotin/io/records.h"

namespace dotin::network {

namespace {

bool is_name(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

TaskSpec parse_task(const std::string& text) {
  TaskSpec spec;
  std::string rest = text;
  if (const std::size_t equals = rest.find('='); equals != std::string::npos) {
    spec.name = rest.substr(0, equals);
    rest = rest.substr(equals + 1);
    if (!is_name(spec.name)) core::fail_usage("task '{}': a name has letters, digits, _ and - only", text);
  }
  if (const std::size_t star = rest.find('*'); star != std::string::npos) {
    char* end = nullptr;
    spec.weight = std::strtod(rest.c_str() + star + 1, &end);
    if (star + 1 == rest.size() || *end != '\0' || !(spec.weight > 0 && spec.weight < 1e6)) {
      core::fail_usage("task '{}': the weight after * must be a positive number", text);
    }
    rest = rest.substr(0, star);
  }
  const std::size_t colon = rest.find(':');
  spec.kind = rest.substr(0, colon);
  if (colon != std::string::npos) spec.target = rest.substr(colon + 1);
  const std::vector<std::string> kinds = task_kinds();
  if (std::find(kinds.begin(), kinds.end(), spec.kind) == kinds.end()) {
    core::fail_usage("unknown task '{}'{}; there are: {}", spec.kind, core::suggestion(spec.kind, kinds),
                     fmt::join(kinds, ", "));
  }
  if (spec.kind == "ged") {
    if (!spec.target.empty()) core::fail_usage("task '{}': ged makes its own pairs and takes no target", text);
  } else if (spec.target.empty()) {
    spec.target = spec.kind == "classify" || spec.kind == "regress" ? io::kLabelTarget : io::kAttributesTarget;
  }
  return spec;
}

}  // namespace

std::vector<TaskSpec> parse_tasks(const std::vector<std::string>& texts) {
  if (texts.empty()) core::fail_usage("no task given: use e.g. `tasks` classify");
  std::vector<TaskSpec> specs;
  for (const std::string& text : texts) specs.push_back(parse_task(text));
  for (TaskSpec& spec : specs) {
    if (!spec.name.empty()) continue;
    const auto same_kind =
        std::count_if(specs.begin(), specs.end(), [&](const TaskSpec& other) { return other.kind == spec.kind; });
    spec.name = same_kind == 1 || spec.target.empty() ? spec.kind : spec.target;
    std::replace(spec.name.begin(), spec.name.end(), '.', '_');
  }
  for (const TaskSpec& spec : specs) {
    for (const char* const taken : {"graph", "id", "layers"}) {
      if (spec.name == taken) {
        core::fail_usage(
            "a task cannot be called '{}', which predictions use for something else: name it, e.g. my_{}={}:{}", taken,
            taken, spec.kind, spec.target);
      }
    }
    if (std::count_if(specs.begin(), specs.end(), [&](const TaskSpec& other) { return other.name == spec.name; }) > 1) {
      core::fail_usage("two tasks are called '{}': name them, e.g. first={}{}{}", spec.name, spec.kind,
                       spec.target.empty() ? "" : ":", spec.target);
    }
  }
  return specs;
}

}  // namespace dotin::network
