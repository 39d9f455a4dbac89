// dotin: what users call. It starts the program that has the command, and is small because the others are not: libtorch
// takes half a second to load, OpenBLAS never ends where an address space is too small for it.
#include <cstdio>
#include <string>

#include "address_space.h"
#include "blas_core.h"
#include "descriptors.h"
#include "dotin/core/host.h"
#include "program_path.h"

namespace {

/// The first word that is not a flag of every command; empty where there is none.
std::string command_of(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool common_flag = argument == "-v" || argument == "--verbose" || argument == "-q" || argument == "--quiet";
    if (!common_flag) return argument;
  }
  return {};
}

/// Says so, and returns true, where there is not.
bool lacks_address_space(dotin::app::Libraries libraries) {
  const std::string problem =
      dotin::app::too_little_address_space(dotin::app::address_space_limit(), dotin::core::processors(), libraries);
  if (!problem.empty()) std::fprintf(stderr, "dotin: error: %s\n", problem.c_str());
  return !problem.empty();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dotin::app;
  keep_standard_descriptors();
  const std::string command = command_of(argc, argv);
  if (command == "data" || command == "--version") return become("dotin-data", argv);
  const bool predicts = command == "predict" || command == "explain";
  if (lacks_address_space(predicts ? Libraries::blas : Libraries::torch)) return 1;
  if (predicts) return become("dotin-predict", argv);
  choose_blas_core();
  return become("dotin-learn", argv);
}
