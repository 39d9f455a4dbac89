// Options of every command that reads a dataset.
#pragma once

#include <string>

#include "dotin/data/open.h"

namespace CLI {
class App;
}

namespace dotin::app {

struct ReadingOptions {
  std::string data;  // the DATA argument
  std::string duplicates = "merge";
  io::Limits limits;

  data::OpenOptions open_options() const;
};

/// The argument PATH, --duplicates and the limits of io/limits.h.
void add_reading_options(CLI::App& command, ReadingOptions& options);

}  // namespace dotin::app
