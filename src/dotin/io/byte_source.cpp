#include "dotin/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dotin/core/error.h"

namespace dotin::io {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, int64_t expected_bytes, int file)
      : ByteSource(path, expected_bytes), file_(file) {}
  ~FileSource() override { ::close(file_); }

  std::size_t read(char* buffer, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) core::fail("{}: cannot be read: {}", name(), std::strerror(errno));
    }
  }

 private:
  int file_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) core::fail("{}: cannot be opened: {}", path, std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(file);
    core::fail("{}: is a folder, a file is needed here", path);
  }
  return std::make_unique<FileSource>(path, known ? static_cast<int64_t>(status.st_size) : 0, file);
}

}  // namespace dotin::io
