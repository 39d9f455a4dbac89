#include "program_path.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace dotin::app {

namespace {

std::filesystem::path path_of(const std::string& name) {
  std::error_code unreadable;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  const std::filesystem::path beside = folder / name;
  return access(beside.c_str(), X_OK) == 0 ? beside : folder.parent_path() / DOTIN_LIBEXEC / name;
}

}  // namespace

int become(const std::string& name, char** argv) {
  const std::string program = path_of(name).string();
  execv(program.c_str(), argv);
  std::fprintf(stderr, "error: cannot run '%s', which belongs to dotin: %s. Install dotin again.\n", program.c_str(),
               std::strerror(errno));
  return 1;
}

}  // namespace dotin::app
