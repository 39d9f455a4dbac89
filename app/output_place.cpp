#include "output_place.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "dotin/core/error.h"

namespace dotin::app {

namespace fs = std::filesystem;

namespace {

/// The path without a trailing slash, which would make its last part empty.
fs::path without_slash(const std::string& path) {
  const fs::path result = fs::path(path).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

void check_old_folder(const fs::path& folder) {
  const std::string prefix = folder.filename().string() + "_";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    DOTIN_CHECK(
        entry.is_regular_file() && name.compare(0, prefix.size(), prefix) == 0 && entry.path().extension() == ".txt",
        "{} holds {}, which is not part of a dataset of that name: nothing was replaced; choose another place",
        folder.string(), name);
  }
}

/// A folder beside the place to be written, so that a rename suffices; gone at the end.
class NeighbourFolder {
 public:
  explicit NeighbourFolder(const fs::path& parent) {
    std::string pattern = (parent / ".dotin-XXXXXX").string();
    DOTIN_CHECK(mkdtemp(pattern.data()) != nullptr, "cannot write into {}: {}", parent.string(),
                std::error_code(errno, std::generic_category()).message());
    path_ = pattern;
  }
  ~NeighbourFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  NeighbourFolder(const NeighbourFolder&) = delete;
  NeighbourFolder& operator=(const NeighbourFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void move_into_place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  DOTIN_CHECK(!error, "cannot put {} in place: {}", to.string(), error.message());
}

}  // namespace

void check_file_free(const std::string& path, bool force) {
  if (!fs::exists(path)) return;
  // A rename over /dev/null, say, would replace the device.
  DOTIN_CHECK(fs::is_regular_file(path), "{} is no regular file: give the name of a file to write", path);
  DOTIN_CHECK(force, "{} exists: choose another name, or overwrite it with --force", path);
}

void check_folder_free(const std::string& path, bool force) {
  const fs::path place = without_slash(path);
  if (!fs::exists(place)) return;
  DOTIN_CHECK(fs::is_directory(place), "{} exists and is no folder: choose another name", path);
  if (fs::is_empty(place)) return;
  DOTIN_CHECK(force, "{} is not empty: choose another name, or replace it with --force", path);
  check_old_folder(place);
}

void write_folder(const std::string& path, const std::function<void(const std::string& folder)>& write) {
  const fs::path place = fs::absolute(without_slash(path));
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  DOTIN_CHECK(!error, "cannot make the folder {}: {}", place.parent_path().string(), error.message());

  const NeighbourFolder beside(place.parent_path());
  const fs::path fresh = beside.path() / "new" / place.filename();
  fs::create_directories(fresh);
  write(fresh.string());
  if (fs::exists(place)) move_into_place(place, beside.path() / "old");
  move_into_place(fresh, place);
}

}  // namespace dotin::app
