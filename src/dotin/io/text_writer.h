// Text into an AtomicFile, in large pieces.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "dotin/io/atomic_file.h"

namespace dotin::io {

class TextWriter {
 public:
  explicit TextWriter(const std::string& path) : file_(path) {}

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (text_.size() >= kPieceBytes) flush();
  }

  void commit() {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }

  AtomicFile file_;
  fmt::memory_buffer text_;
};

}  // namespace dotin::io
