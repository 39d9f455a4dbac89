// A file in memory, read as it is used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace dotin::io {

class MappedFile {
 public:
  /// core::Error with the reason if it cannot be read, or is no regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  /// Null if the file is empty.
  const char* bytes() const { return bytes_; }
  uint64_t size() const { return size_; }

 private:
  std::string path_;
  const char* bytes_ = nullptr;
  uint64_t size_ = 0;
};

/// The path of the mapped file that the address lies in; null if in none. The system sends SIGBUS to who reads a part
/// of a mapped file that is no longer there, because somebody has cut the file short or its disk has failed. There is
/// no way to go on from there, but a handler can say which file it was: safe to be called from it.
const char* mapped_file_at(const void* address) noexcept;

}  // namespace dotin::io
