// Another dotin beside this one, with its output in files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dotin::app {

/// A process of this same program. In a process group of its own: Ctrl-C on the terminal reaches this program alone,
/// which passes it on once, for a second signal would end a child without its checkpoint. Gets SIGTERM if this program
/// dies.
class Child {
 public:
  /// The words after `dotin`; what is at out and err is replaced.
  Child(const std::vector<std::string>& words, const std::string& out, const std::string& err);
  /// Ends a child that still runs, by SIGTERM, and waits for it.
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Looks whether it has ended, without waiting.
  bool ended();
  /// Of a child that has ended: its exit code, or 128 + the signal that killed it.
  int code() const { return code_; }
  void signal(int number) const;

 private:
  pid_t process_ = -1;  // -1: ended
  int code_ = -1;
};

}  // namespace dotin::app
