#include "dotin/core/host.h"

#include <algorithm>

#include <unistd.h>

#include <algorithm>
#include <thread>
#include "dotin/core/log.h"

namespace dotin::core {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

int processors() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

int usable_threads(int64_t asked) {
  const int all = processors();
  if (asked > all)
    log_warning("{} threads are asked for, but there are {} processors: {} threads are used", asked, all, all);
  return asked > 0 ? static_cast<int>(std::min<int64_t>(asked, all)) : all;
}

}  // namespace dotin::core
