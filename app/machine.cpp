#include "machine.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace dotin::app {

namespace {

/// The value of the first line "NAME <separator> VALUE" of a file; "unknown" where there is none.
std::string first_value(const char* path, const std::string& name, char separator) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t at = line.find(separator);
    if (line.compare(0, name.size(), name) != 0 || at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos && begin <= end) return line.substr(begin, end - begin + 1);
  }
  return "unknown";
}

}  // namespace

nlohmann::json machine_json() {
  double load = 0;
  getloadavg(&load, 1);
  return {{"load", load},
          {"cpu", first_value("/proc/cpuinfo", "model name", ':')},
          {"cores", std::thread::hardware_concurrency()},
          {"system", first_value("/etc/os-release", "PRETTY_NAME", '=')}};
}

}  // namespace dotin::app
