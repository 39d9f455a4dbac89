// Files that are either the old or the new version, never half of one.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::io {

/// Whether folders that are missing on the way to a file are made. One that a run has made and that is gone was removed
/// by somebody: it must not come back with a part of its files.
enum class Folders { make, must_exist };

/// Writes to a temporary name beside path (.NAME.tmp.RANDOM); commit() syncs the file, renames it over path and syncs
/// the folder. Without commit (an exception, say) the temporary file is removed and path stays as it was. What a
/// process that was killed has left of the same path is removed; a temporary file is locked while somebody writes it.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, Folders folders = Folders::make);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws core::Error with the reason (disk full, no permission) if not all bytes were taken.
  void write(const void* bytes, std::size_t size);
  void write(const std::string& text) { write(text.data(), text.size()); }
  void commit();

  /// Where the content is until commit().
  const std::string& temporary() const { return temporary_; }

 private:
  std::string path_;
  std::string temporary_;
  int file_ = -1;
};

/// AtomicFile in one call.
void write_file_atomically(const std::string& path, const std::string& content, Folders folders = Folders::make);

/// Removes what killed processes have left in a folder while they wrote files there. Those of living ones stay.
void remove_stale_temporaries(const std::string& folder);

/// True for the names of temporary files.
bool is_temporary_name(const std::string& name);

/// The whole file; core::Error if it cannot be read or is larger than max_bytes.
std::string read_file(const std::string& path, int64_t max_bytes);

}  // namespace dotin::io
