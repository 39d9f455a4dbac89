#include "dotin/core/memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

namespace dotin::core {

namespace {

/// The value of a "Key:   123 kB" line, in bytes.
int64_t read_kib_line(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    int64_t kib = 0;
    if (word == key && file >> kib) return kib * 1024;
  }
  return 0;
}

/// The number of a file that has one, -1 elsewhere ("max" is none).
int64_t read_number(const std::string& path) {
  std::ifstream file(path);
  int64_t number = -1;
  return file >> number ? number : -1;
}

/// How a version of control groups tells about memory.
struct GroupFiles {
  const char *controller, *folder, *limit, *used, *reclaimable;
};

constexpr GroupFiles kGroups[] = {
    {"", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}};

/// What a folder of a group leaves, -1 where it sets no limit.
int64_t left_in(const std::string& folder, const GroupFiles& files) {
  const int64_t limit = read_number(folder + "/" + files.limit), used = read_number(folder + "/" + files.used);
  if (limit < 0 || used < 0) return -1;
  int64_t reclaimable = 0;  // cached files count as used, and give way
  std::ifstream statistics(folder + "/memory.stat");
  std::string key;
  for (int64_t value = 0; statistics >> key >> value;) {
    if (key == files.reclaimable) reclaimable = value;
  }
  return std::max<int64_t>(0, limit - std::max<int64_t>(0, used - reclaimable));
}

/// The least that the process's groups and those around them leave, -1 where none sets a limit.
int64_t left_by_groups(const std::string& root) {
  int64_t least = -1;
  std::ifstream groups(root + "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // number:controller,...:/path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const GroupFiles& files : kGroups) {
      if (controllers != files.controller) continue;
      // Within a container the path may be the host's, where only the folder at the top is seen.
      for (std::string path = line.substr(second + 1);; path.resize(path.find_last_of('/'))) {
        const int64_t left = left_in(root + files.folder + path, files);
        if (left >= 0 && (least < 0 || left < least)) least = left;
        if (path.find('/') == std::string::npos) break;
      }
    }
  }
  return least;
}

/// What the limits of the process leave, -1 where there is none.
int64_t left_by_limits(const std::string& root) {
  int64_t least = -1;
  const std::string status = root + "proc/self/status";
  const auto look = [&](auto resource, const char* used) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    const int64_t left = std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - read_kib_line(status, used));
    if (least < 0 || left < least) least = left;
  };
  look(RLIMIT_AS, "VmSize:");
  look(RLIMIT_DATA, "VmData:");
  return least;
}

}  // namespace

int64_t resident_bytes() { return read_kib_line("/proc/self/status", "VmRSS:"); }

int64_t peak_resident_bytes() { return read_kib_line("/proc/self/status", "VmHWM:"); }

bool reset_peak_resident() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

int64_t available_bytes(const std::string& root) {
  const int64_t machine = read_kib_line(root + "proc/meminfo", "MemAvailable:");
  int64_t least = machine > 0 ? machine : -1;
  for (const int64_t left : {left_by_groups(root), left_by_limits(root)}) {
    if (left >= 0 && (least < 0 || left < least)) least = left;
  }
  return std::max<int64_t>(0, least);
}

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
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace dotin::core
