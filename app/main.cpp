// dotin: what users call. Loading libtorch takes half a second, so that `dotin data` does without it and everything
// else is handed to the program dotin-learn, which has all commands.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "address_space.h"
#include "blas_core.h"
#include "commands.h"
#include "descriptors.h"
#include "dotin/core/host.h"
#include "program.h"

namespace {

bool needs_only_data_commands(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--version") return true;
    const bool common_flag = argument == "-v" || argument == "--verbose" || argument == "-q" || argument == "--quiet";
    if (!common_flag) return argument == "data";
  }
  return false;
}

/// Beside this program in a build folder, in libexec/dotin once installed.
std::filesystem::path learn_program() {
  std::error_code unreadable;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
  const std::filesystem::path beside = folder / "dotin-learn";
  return access(beside.c_str(), X_OK) == 0 ? beside : folder.parent_path() / DOTIN_LIBEXEC / "dotin-learn";
}

}  // namespace

int main(int argc, char** argv) {
  dotin::app::keep_standard_descriptors();
  if (needs_only_data_commands(argc, argv)) return dotin::app::run_program(argc, argv, dotin::app::add_data);
  const std::string too_little =
      dotin::app::too_little_address_space(dotin::app::address_space_limit(), dotin::core::processors());
  if (!too_little.empty()) {
    std::fprintf(stderr, "dotin: error: %s\n", too_little.c_str());
    return 1;
  }
  dotin::app::choose_blas_core();
  const std::string program = learn_program().string();
  execv(program.c_str(), argv);
  std::fprintf(stderr, "error: cannot run '%s', which belongs to dotin: %s. Install dotin again.\n", program.c_str(),
               std::strerror(errno));
  return 1;
}
