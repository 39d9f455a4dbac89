#include "dotin/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "dotin/core/error.h"

namespace dotin::io {

namespace {

/// What a signal handler may look at: it can take no lock, so that there is a fixed number of places, each taken and
/// left by an atomic step. Files beyond them are mapped all the same and only have no name there.
std::atomic<const MappedFile*> mapped_files[64];

void remember(const MappedFile* file) {
  for (auto& place : mapped_files) {
    const MappedFile* empty = nullptr;
    if (place.compare_exchange_strong(empty, file)) return;
  }
}

void forget(const MappedFile* file) {
  for (auto& place : mapped_files) {
    const MappedFile* expected = file;
    if (place.compare_exchange_strong(expected, nullptr)) return;
  }
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const auto reason = [] { return std::generic_category().message(errno); };
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);  // a pipe would wait for its writer
  DOTIN_CHECK(file >= 0, "{}: cannot read: {}", path, reason());
  struct Closer {
    int handle;
    ~Closer() { ::close(handle); }
  } closer{file};
  struct stat status {};
  DOTIN_CHECK(::fstat(file, &status) == 0, "{}: cannot read: {}", path, reason());
  DOTIN_CHECK(S_ISREG(status.st_mode), "{}: not a regular file", path);
  if (status.st_size == 0) return;
  size_ = static_cast<uint64_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  DOTIN_CHECK(bytes != MAP_FAILED, "{}: cannot map into memory: {}", path, reason());
  bytes_ = static_cast<const char*>(bytes);
  remember(this);
}

MappedFile::~MappedFile() {
  if (bytes_ == nullptr) return;
  forget(this);
  ::munmap(const_cast<char*>(bytes_), size_);
}

const char* mapped_file_at(const void* address) noexcept {
  const auto* const byte = static_cast<const char*>(address);
  for (const auto& place : mapped_files) {
    const MappedFile* const file = place;
    if (file != nullptr && byte >= file->bytes() && byte < file->bytes() + file->size()) return file->path().c_str();
  }
  return nullptr;
}

}  // namespace dotin::io
