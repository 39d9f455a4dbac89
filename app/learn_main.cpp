// dotin-learn: all commands, with libtorch. Called by dotin, see main.cpp.
#include "commands.h"
#include "descriptors.h"
#include "dotin/core/denormals.h"
#include "dotin/core/memory.h"
#include "program.h"

int main(int argc, char** argv) {
  dotin::app::keep_standard_descriptors();
  dotin::core::keep_freed_memory();
  const dotin::core::FlushDenormals flush;
  return dotin::app::run_program(argc, argv, dotin::app::add_commands);
}
