// Lines of a text file, streamed.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dotin/io/byte_source.h"

namespace dotin::io {

/// Gives out one line after the other, without its end (LF or CRLF) and without a UTF-8 byte order mark. Memory: one
/// chunk, or the longest line where that is more, but at most max_line_bytes and a chunk.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, int64_t max_line_bytes);

  /// False at the end. The line stays valid until the next call, and the byte behind it is always readable and no
  /// digit, so that a scanner of numbers needs no check for the end.
  bool next(std::string_view& line);

  /// Of the line last given out, from 1.
  int64_t line_number() const { return line_number_; }
  /// True if that line was longer than max_line_bytes: it was skipped, and given out as empty.
  bool too_long() const { return too_long_; }
  /// Bytes of the lines given out so far.
  int64_t consumed_bytes() const { return consumed_bytes_; }
  const ByteSource& source() const { return *source_; }

 private:
  bool fill();

  std::unique_ptr<ByteSource> source_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;  // one byte longer than what is ever filled: room for the mark behind the last line
  std::size_t begin_ = 0;     // of what is not yet given out
  std::size_t end_ = 0;
  bool ended_ = false;
  bool too_long_ = false;
  int64_t line_number_ = 0;
  int64_t consumed_bytes_ = 0;
};

}  // namespace dotin::io
