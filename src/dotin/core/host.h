// The machine that the process runs on.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::core {

/// Its name; "localhost" where it has none.
std::string host_name();

/// Processors that this process may use, at least 1.
int processors();

/// Threads to use where so many are asked for; 0: all processors. More than those only stand in each other's way: as
/// many as there are processors, with a warning.
int usable_threads(int64_t asked);

}  // namespace dotin::core
