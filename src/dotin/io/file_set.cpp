#include "dotin/io/file_set.h"

#include <algorithm>
#include <filesystem>

#include "dotin/core/error.h"
#include "dotin/io/zip_file_set.h"

namespace dotin::io {
namespace {

namespace fs = std::filesystem;

class FolderFileSet : public FileSet {
 public:
  FolderFileSet(const std::string& path, int depth) : FileSet(path) {
    std::error_code error;
    // Folders below it that may not be read are left out, but not the folder itself.
    const fs::directory_iterator readable(path, error);
    DOTIN_CHECK(!error, "{}: the folder cannot be read: {}", path, error.message());
    fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      const std::string name = entry->path().lexically_relative(path).generic_string();
      if (is_clutter(name)) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file(ignored)) {
        names_.push_back(name);
      } else if (entry.depth() >= depth) {
        entry.disable_recursion_pending();
      }
    }
    DOTIN_CHECK(!error, "{}: the folder cannot be read: {}", path, error.message());
    std::sort(names_.begin(), names_.end());
  }

  std::unique_ptr<ByteSource> open(std::size_t index) override {
    return open_file((fs::path(path()) / names_[index]).string());
  }
};

}  // namespace

bool is_clutter(const std::string& name) {
  for (std::size_t part = 0; part < name.size();) {
    if (name[part] == '.' || name.compare(part, 9, "__MACOSX/") == 0) return true;
    const std::size_t slash = name.find('/', part);
    if (slash == std::string::npos) break;
    part = slash + 1;
  }
  return false;
}

std::unique_ptr<FileSet> open_file_set(const std::string& path, int depth, const Limits& limits) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  DOTIN_CHECK(fs::exists(status), "{}: there is no such file or folder (check the path)", path);
  if (fs::is_directory(status)) return std::make_unique<FolderFileSet>(path, depth);
  DOTIN_CHECK(fs::is_regular_file(status), "{}: neither a folder nor a file", path);
  return open_zip(path, limits);
}

}  // namespace dotin::io
