// The methods that DOTIN is compared with, and the options that give them.
#pragma once

#include <string>
#include <vector>

namespace dotin::reproduce {

struct Method {
  std::string name;           // as in the paper's tables
  std::string drop, readout;  // values of --drop and --readout
};

/// In the order of the paper's tables; DOTIN itself is the last.
std::vector<Method> compared_methods();

/// "SAGPool, global" -> "sagpool-global": how a row is chosen on the command line.
std::string short_name(const std::string& name);

}  // namespace dotin::reproduce
