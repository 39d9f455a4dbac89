// What can go wrong, and how it is said.
//
// A user error (a bad file, a wrong option, a full disk) is a core::Error whose message names the place, what was wrong
// and what to do; app/main.cpp prints it and exits with 1. Wrong usage of the command line is a core::UsageError (exit
// 2). A bug in dotin itself is a failed DOTIN_ASSERT.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "dotin/error.h"

namespace dotin::core {

using dotin::Error;

class UsageError : public Error {
 public:
  using Error::Error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

/// Does the work; a core::Error of it that does not begin with the file's path is thrown with the path in front, and as
/// no core::UsageError: it is the file that is at fault.
template <class Work>
auto naming_file(const std::string& path, Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.compare(0, path.size(), path) == 0) throw Error(message);
    throw Error(path + ": " + message);
  }
}

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

/// A place in a file. line counts from 1; 0 means the file as a whole.
struct Where {
  std::string file;
  int64_t line = 0;
};

/// "DD_A.txt:17", or "DD_A.txt" for the whole file.
std::string to_string(const Where& where);

}  // namespace dotin::core

/// Throws core::Error with a formatted message unless the condition holds. For mistakes a user can mend.
#define DOTIN_CHECK(condition, ...)                     \
  do {                                                  \
    if (!(condition)) ::dotin::core::fail(__VA_ARGS__); \
  } while (false)

/// For what can only be a bug in dotin. Always on: none of them stands in a hot loop.
#define DOTIN_ASSERT(condition)                                                        \
  do {                                                                                 \
    if (!(condition)) ::dotin::core::assertion_failed(#condition, __FILE__, __LINE__); \
  } while (false)
