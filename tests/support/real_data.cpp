#include "support/real_data.h"

#include <cstdlib>
#include <filesystem>

namespace dotin::testing {

std::optional<std::string> real_data(const std::string& name) {
  const char* const folder = std::getenv("DOTIN_DATA");
  const std::filesystem::path root = folder != nullptr ? folder : DOTIN_SOURCE_DIR "/../shared/data";
  const std::filesystem::path path = root / (name + ".zip");
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

}  // namespace dotin::testing
