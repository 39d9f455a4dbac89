#include "address_space.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "dotin/core/memory.h"

namespace dotin::app {

namespace {

// Measured on Debian 12: 1.04 GiB with one thread, 1.12 GiB with two; without libtorch 0.45 GiB with two.
constexpr int64_t kTorch = int64_t{1280} << 20;
constexpr int64_t kBlas = int64_t{448} << 20;
constexpr int64_t kEachThread = int64_t{96} << 20;

}  // namespace

std::string too_little_address_space(int64_t limit, int processors, Libraries libraries) {
  const int64_t needed = (libraries == Libraries::torch ? kTorch : kBlas) + kEachThread * processors;
  if (limit < 0 || limit >= needed) return {};
  return fmt::format(
      "the address space is limited to {} (ulimit -v), and {} are needed to begin with, most of them for libraries "
      "that are mapped and hardly used: raise the limit, or limit the memory itself (a container, systemd-run -p "
      "MemoryMax=...)",
      core::format_bytes(limit), core::format_bytes(needed));
}

int64_t address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<int64_t>(limit.rlim_cur);
}

}  // namespace dotin::app
