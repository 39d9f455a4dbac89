#include "dotin/core/memory.h"

#include <fmt/format.h>
#include <malloc.h>

#include <fstream>

namespace dotin::core {

namespace {

/// The value of a "Key:   123 kB" line, in bytes.
int64_t read_kib_line(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    int64_t kib = 0;
    if (word == key && file >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace

int64_t resident_bytes() { return read_kib_line("/proc/self/status", "VmRSS:"); }

int64_t peak_resident_bytes() { return read_kib_line("/proc/self/status", "VmHWM:"); }

bool reset_peak_resident() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

int64_t available_bytes() { return read_kib_line("/proc/meminfo", "MemAvailable:"); }

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
#endif
}

std::string format_bytes(int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 || value >= 100 ? fmt::format("{:.0f} {}", value, units[unit])
                                   : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string format_seconds(double seconds) {
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace dotin::core
