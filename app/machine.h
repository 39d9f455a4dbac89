// What the machine is, to be said beside every number measured on it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace dotin::app {

/// {"cpu": model, "cores": number, "system": name of the distribution, "load": processes at work, mean of a minute}
nlohmann::json machine_json();

}  // namespace dotin::app
