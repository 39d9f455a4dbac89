#include "dotin/io/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <mutex>
#include <random>
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

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// ---- Temporary files: .NAME.tmp.RANDOM ----

constexpr const char* kMark = ".tmp.";

/// Long names are cut, so that there is room for the rest.
std::string temporary_start(const std::string& name) { return "." + name.substr(0, 200) + kMark; }

uint64_t random_number() {
  static std::random_device device;
  static std::mutex mutex;
  const std::lock_guard<std::mutex> guard(mutex);
  return uint64_t{device()} << 32 | device();
}

/// 0, or why not.
int lock_file(int file) {
  for (;;) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

bool has_name(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

/// Of the folder's files with such names those that nobody has locked. Where that cannot be known, they stay.
void remove_stale(const std::string& folder, const std::function<bool(const std::string&)>& wanted) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!wanted(entry->path().filename().string())) continue;
    const int file = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (lock_file(file) == 0) ::unlink(entry->path().c_str());
    ::close(file);
  }
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, Folders folders) : path_(follow_links(path)) {
  const std::string name = fs::path(path_).filename().string();
  DOTIN_CHECK(!name.empty(), "'{}': not the name of a file that can be written", path_);
  const std::string folder = folder_of(path_);
  if (folders == Folders::make) {
    std::error_code error;
    fs::create_directories(folder, error);
    DOTIN_CHECK(!error || is_folder(folder), "{}: cannot make the folder: {}", folder, error.message());
  }

  // A rename would replace a device or fail late on a folder: refuse both before any work is done.
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  DOTIN_CHECK(!exists || S_ISREG(old.st_mode), "{}: cannot write: it is there and not a regular file", path_);

  const std::string start = temporary_start(name);
  remove_stale(folder, [&](const std::string& other) {
    return other.compare(0, start.size(), start) == 0 && is_temporary_name(other);
  });
  while (file_ < 0) {
    temporary_ = fmt::format("{}/{}{:016x}", folder, start, random_number());
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) {
      const int error = errno;
      temporary_.clear();
      DOTIN_CHECK(error != ENOENT, "{}: cannot write: its folder is gone", path_);
      core::fail("{}: cannot write: {}", path_, reason(error));
    }
    // Whoever removes stale files may have come between the two calls: then this one is as good as stale.
    if (lock_file(file_) == EWOULDBLOCK || !has_name(file_)) {
      ::close(file_);
      file_ = -1;
    }
  }
  if (exists) ::fchmod(file_, old.st_mode & 0777);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (file_ >= 0) ::close(file_);
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
  DOTIN_CHECK(error == 0, "{}: cannot write: {}; the file is as it was before", path_, reason(error));
  // Renamed before it is closed: with the file the lock goes that keeps others from removing it.
  DOTIN_CHECK(::rename(temporary_.c_str(), path_.c_str()) == 0, "{}: cannot rename {} to it: {}", path_, temporary_,
              reason(errno));
  temporary_.clear();
  ::close(file_);
  file_ = -1;
  sync_folder(folder_of(path_));
}

bool is_temporary_name(const std::string& name) {
  const std::size_t mark = name.rfind(kMark);
  if (name.empty() || name.front() != '.' || mark == std::string::npos) return false;
  const std::size_t rest = mark + std::strlen(kMark);
  // Version 0.1 had the process and a count there.
  return rest < name.size() && name.find_first_not_of("0123456789abcdef.", rest) == std::string::npos;
}

void remove_stale_temporaries(const std::string& folder) { remove_stale(folder, is_temporary_name); }

void write_file_atomically(const std::string& path, const std::string& content, Folders folders) {
  AtomicFile file(path, folders);
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
