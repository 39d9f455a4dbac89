// dotin-data: the commands that read and write data. Called by dotin, see main.cpp.
#include "commands.h"
#include "descriptors.h"
#include "program.h"

int main(int argc, char** argv) {
  dotin::app::keep_standard_descriptors();
  return dotin::app::run_program(argc, argv, dotin::app::add_data);
}
