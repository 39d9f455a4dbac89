// A stream of bytes, from a file on disk or an entry of a zip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace dotin::io {

class ByteSource {
 public:
  ByteSource(std::string name, int64_t expected_bytes) : name_(std::move(name)), expected_bytes_(expected_bytes) {}
  virtual ~ByteSource() = default;

  /// Reads up to size bytes; 0 only at the end. core::Error if the bytes cannot be had.
  virtual std::size_t read(char* buffer, std::size_t size) = 0;

  /// How error messages call it: "DD/DD_A.txt", or "DD.zip:DD/DD_A.txt".
  const std::string& name() const { return name_; }
  /// What the file system or the zip says it holds: good for a first guess, never to be trusted.
  int64_t expected_bytes() const { return expected_bytes_; }

 private:
  std::string name_;
  int64_t expected_bytes_;
};

/// core::Error with the reason if the file cannot be opened or is a folder.
std::unique_ptr<ByteSource> open_file(const std::string& path);

}  // namespace dotin::io
