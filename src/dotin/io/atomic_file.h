// Files that are either the old or the new version, never half of one.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::io {

/// Writes to a temporary name beside path; commit() syncs the file, renames it over path and syncs the folder.
/// Without commit (an exception, say) the temporary file is removed and path stays as it was. Missing parent folders
/// are made.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws core::Error with the reason (disk full, no permission) if not all bytes were taken.
  void write(const void* bytes, std::size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int file_ = -1;
};

/// AtomicFile in one call.
void write_file_atomically(const std::string& path, const std::string& content);

/// The whole file; core::Error if it cannot be read or is larger than max_bytes.
std::string read_file(const std::string& path, int64_t max_bytes);

}  // namespace dotin::io
