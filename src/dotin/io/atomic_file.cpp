#include "dotin/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"

namespace dotin::io {

namespace fs = std::filesystem;

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::string folder_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// A symbolic link stays a link: the file it points to is the one replaced.
std::string follow_links(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  DOTIN_CHECK(!error, "{}: cannot follow this link: {}", path, error.message());
  return target.string();
}

/// The rename is only sure to survive a power cut once its folder is on the disk. Some file systems cannot sync a
/// folder and say EINVAL; there is nothing more to be done on those.
void sync_folder(const std::string& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;  // a folder that may be written but not read
  const int error = ::fsync(handle) == 0 ? 0 : errno;
  ::close(handle);
  DOTIN_CHECK(error == 0 || error == EINVAL, "{}: cannot sync the folder: {}", folder, reason(error));
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(follow_links(path)) {
  const fs::path name = fs::path(path_).filename();
  DOTIN_CHECK(!name.empty(), "'{}': not the name of a file that can be written", path_);
  const std::string folder = folder_of(path_);
  std::error_code error;
  fs::create_directories(folder, error);
  DOTIN_CHECK(!error || fs::is_directory(folder), "{}: cannot make the folder: {}", folder, error.message());

  // A rename would replace a device or fail late on a folder: refuse both before any work is done.
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  DOTIN_CHECK(!exists || S_ISREG(old.st_mode), "{}: cannot write: it is there and not a regular file", path_);

  static std::atomic<int> counter{0};
  temporary_ = fmt::format("{}/.{}.tmp.{}.{}", folder, name.string(), ::getpid(), counter++);
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  DOTIN_CHECK(file_ >= 0, "{}: cannot write: {}", path_, reason(errno));
  if (exists) ::fchmod(file_, old.st_mode & 0777);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, std::size_t size) {
  DOTIN_ASSERT(file_ >= 0);
  // Linux takes at most 2 GiB at once; smaller pieces also keep a slow disk interruptible.
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(file_, next, std::min(size, kPiece));
    if (written < 0 && errno == EINTR) continue;
    DOTIN_CHECK(written > 0, "{}: cannot write: {}; the file is as it was before", path_,
                reason(written < 0 ? errno : ENOSPC));
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  DOTIN_ASSERT(file_ >= 0);
  int error = ::fsync(file_) == 0 ? 0 : errno;
  if (error == EINVAL) error = 0;
  if (::close(file_) != 0 && error == 0 && errno != EINTR) error = errno;
  file_ = -1;
  DOTIN_CHECK(error == 0, "{}: cannot write: {}; the file is as it was before", path_, reason(error));
  DOTIN_CHECK(::rename(temporary_.c_str(), path_.c_str()) == 0, "{}: cannot rename {} to it: {}", path_, temporary_,
              reason(errno));
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void write_file_atomically(const std::string& path, const std::string& content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string read_file(const std::string& path, int64_t max_bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  DOTIN_CHECK(file >= 0, "{}: cannot read: {}", path, reason(errno));
  struct Closer {
    int handle;
    ~Closer() { ::close(handle); }
  } closer{file};

  // Not sized by stat: pipes and /proc say 0.
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string content;
  for (;;) {
    const std::size_t filled = content.size();
    content.resize(filled + std::max(filled / 2, kPiece));
    const ssize_t got = ::read(file, content.data() + filled, content.size() - filled);
    const int error = errno;
    content.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return content;
    if (got < 0 && error == EINTR) continue;
    DOTIN_CHECK(got > 0, "{}: cannot read: {}", path, reason(error));
    DOTIN_CHECK(static_cast<int64_t>(content.size()) <= max_bytes, "{}: larger than {}, the most that is read here",
                path, core::format_bytes(max_bytes));
  }
}

}  // namespace dotin::io
