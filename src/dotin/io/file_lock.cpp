#include "dotin/io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

#include "dotin/core/error.h"
#include "dotin/core/host.h"
#include "dotin/core/log.h"

namespace dotin::io {

namespace {

std::string lock_reason(int error) { return std::generic_category().message(error); }

/// "process 17 on host, since 2024-01-31 23:59:59": what the file holds while it is locked.
std::string holder_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char since[32] = {};
  std::strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &local);
  return fmt::format("process {} on {}, since {}", ::getpid(), core::host_name(), since);
}

std::string holder_of(int file) {
  char text[512] = {};
  const ssize_t got = ::pread(file, text, sizeof text - 1, 0);
  const std::string holder(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  return holder.empty() ? "another process" : holder.substr(0, holder.find('\n'));
}

/// The one who held it before may have removed it, and another made a new one, since it was opened.
bool is_still_at(int file, const std::string& path) {
  struct stat opened {
  }, there{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, const std::string& place) : path_(std::move(path)) {
  while (!take(place)) {
  }
  // Only told to people: if it cannot be written (a full disk), the lock holds all the same.
  const std::string holder = holder_text() + "\n";
  if (::ftruncate(file_, 0) == 0 && ::pwrite(file_, holder.data(), holder.size(), 0) < 0) (void)::ftruncate(file_, 0);
}

FileLock::~FileLock() {
  if (file_ < 0) return;
  if (is_still_at(file_, path_)) ::unlink(path_.c_str());
  ::close(file_);
}

bool FileLock::take(const std::string& place) {
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  DOTIN_CHECK(file >= 0, "{}: cannot write into it: {}", place, lock_reason(errno));
  int error = 0;
  while ((error = ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno) == EINTR) {
  }
  if (error == EWOULDBLOCK) {
    const std::string holder = holder_of(file);
    ::close(file);
    core::fail("{}: in use by {}: wait until it has ended, or choose another place", place, holder);
  }
  if (error != 0) {
    core::log_warning("{}: cannot be locked ({}): see to it that nothing else writes there", place, lock_reason(error));
  } else if (!is_still_at(file, path_)) {
    ::close(file);
    return false;
  }
  file_ = file;
  return true;
}

}  // namespace dotin::io
