#include "dotin/io/tu_files.h"

#include <fmt/ranges.h>

#include <vector>

#include "dotin/core/error.h"

namespace dotin::io {
namespace {

constexpr int kFolderDepth = 3;
constexpr std::size_t kListed = 10;
const std::string kEdgesEnding = "_A.txt";

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

TuFiles::TuFiles(const std::string& path, const Limits& limits) : files_(open_file_set(path, kFolderDepth, limits)) {
  std::vector<std::string> found;
  for (const std::string& name : files_->names()) {
    const bool bare = ends_with(name, "/" + kEdgesEnding);  // nothing before the "_A.txt": no dataset's name
    if (ends_with(name, kEdgesEnding) && !bare) found.push_back(name);
  }
  DOTIN_CHECK(!found.empty(),
              "{}: there is no *_A.txt in it (a TU dataset has NAME_A.txt and NAME_graph_indicator.txt)", path);
  if (found.size() > 1) {
    const std::size_t more = found.size() > kListed ? found.size() - kListed : 0;
    found.resize(found.size() - more);
    core::fail("{}: there are several *_A.txt: {}{} (give the folder of one dataset, or a zip with one)", path,
               fmt::join(found, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  const std::size_t slash = found[0].rfind('/');
  folder_ = slash == std::string::npos ? "" : found[0].substr(0, slash + 1);
  name_ = found[0].substr(folder_.size(), found[0].size() - folder_.size() - kEdgesEnding.size());
}

std::unique_ptr<ByteSource> TuFiles::open(const std::string& kind) {
  const std::string wanted = folder_ + file_name(kind);
  const std::vector<std::string>& names = files_->names();
  std::size_t found = names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != wanted) continue;
    DOTIN_CHECK(found == names.size(), "{}: has {} twice (make the zip again)", files_->path(), wanted);
    found = i;
  }
  return found < names.size() ? files_->open(found) : nullptr;
}

void TuFiles::read_through() {
  std::vector<char> piece(std::size_t{1} << 16);
  for (std::size_t i = 0; i < files_->names().size(); ++i) {
    const std::unique_ptr<ByteSource> file = files_->open(i);
    while (file->read(piece.data(), piece.size()) > 0) {
    }
  }
}

}  // namespace dotin::io
