#include "dotin/core/error.h"

namespace dotin::core {

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("internal error: {} does not hold ({}:{}); please report this", condition, file, line));
}

std::string to_string(const Where& where) {
  return where.line > 0 ? fmt::format("{}:{}", where.file, where.line) : where.file;
}

}  // namespace dotin::core
