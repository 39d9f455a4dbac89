// The one exception type of the library.
#pragma once

#include <stdexcept>

namespace dotin {

/// A file, an option, a graph or a machine that does not fit. The message names the place, what was wrong and what to
/// do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dotin
