// The machine that the process runs on.
#pragma once

#include <string>

namespace dotin::core {

/// Its name; "localhost" where it has none.
std::string host_name();

/// Processors that this process may use, at least 1.
int processors();

}  // namespace dotin::core
