#include "dotin/core/host.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace dotin::core {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

int processors() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace dotin::core
