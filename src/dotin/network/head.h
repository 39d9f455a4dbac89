// What a model gives for one task.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::network {

/// One task as the model sees it: a head that maps an embedding to `width` numbers.
struct Head {
  std::string name;
  int64_t width;
};

}  // namespace dotin::network
