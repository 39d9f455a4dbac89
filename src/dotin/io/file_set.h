// The files of a folder or of a zip, alike to their reader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dotin/io/byte_source.h"
#include "dotin/io/limits.h"

namespace dotin::io {

class FileSet {
 public:
  explicit FileSet(std::string path) : path_(std::move(path)) {}
  virtual ~FileSet() = default;

  /// Of the folder or the zip.
  const std::string& path() const { return path_; }
  /// Relative to it, parts joined by one '/' each. The same name may come twice in a zip.
  const std::vector<std::string>& names() const { return names_; }
  virtual std::unique_ptr<ByteSource> open(std::size_t index) = 0;

 protected:
  std::string path_;
  std::vector<std::string> names_;
};

/// A folder down to `depth` folders below it, or a zip. Hidden files, and what macOS adds to a zip, are left out.
///
/// A zip is never trusted: core::Error for one that cannot be read, has too many entries, or names an entry with '..'
/// or from the root; and on opening or reading an entry that is encrypted, damaged or beyond the limits, where what
/// really comes out counts, not what the zip declares.
std::unique_ptr<FileSet> open_file_set(const std::string& path, int depth, const Limits& limits);

}  // namespace dotin::io
