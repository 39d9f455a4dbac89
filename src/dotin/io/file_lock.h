// Who may write somewhere: one at a time.
#pragma once

#include <string>

namespace dotin::io {

/// Holds the lock that the file at `path` stands for, and removes the file at the end. The kernel drops the lock with
/// the process that holds it, so that a file left by one that was killed does no harm. On file systems that know no
/// locks there is a warning in place of one.
class FileLock {
 public:
  /// core::Error that says who holds it, and since when, if another has it. place: what is locked, as messages call it.
  FileLock(std::string path, const std::string& place);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  bool take(const std::string& place);

  std::string path_;
  int file_ = -1;
};

}  // namespace dotin::io
