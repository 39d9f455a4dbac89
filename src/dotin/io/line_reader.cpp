#include "dotin/io/line_reader.h"

#include <algorithm>
#include <cstring>

namespace dotin::io {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, int64_t max_line_bytes)
    : source_(std::move(source)),
      max_line_bytes_(static_cast<std::size_t>(std::max<int64_t>(max_line_bytes, 1))),
      buffer_(kChunkBytes + 1) {}

bool LineReader::next(std::string_view& line) {
  too_long_ = false;
  std::size_t scanned = 0;  // bytes from begin_ on that hold no line end: a long line is not searched twice
  for (;;) {
    const char* const begin = buffer_.data() + begin_;
    const void* const found = std::memchr(begin + scanned, '\n', end_ - begin_ - scanned);
    std::size_t length = found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - begin) : 0;
    if (found == nullptr) {
      scanned = end_ - begin_;
      if (scanned > max_line_bytes_) {
        too_long_ = true;
        consumed_bytes_ += static_cast<int64_t>(scanned);
        begin_ = end_;
        scanned = 0;
      }
      if (fill()) continue;
      if (begin_ == end_ && !too_long_) return false;
      length = end_ - begin_;
      buffer_[end_] = '\n';
    }

    const char* const text = buffer_.data() + begin_;
    begin_ = std::min(begin_ + length + 1, end_);
    consumed_bytes_ += static_cast<int64_t>(length) + 1;
    ++line_number_;
    too_long_ = too_long_ || length > max_line_bytes_;
    line = too_long_ ? std::string_view("") : std::string_view(text, length);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line_number_ == 1 && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
    return true;
  }
}

bool LineReader::fill() {
  if (ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ + 1 == buffer_.size()) {
    buffer_.resize(std::min(2 * end_, max_line_bytes_ + kChunkBytes) + 1);
  }
  const std::size_t got = source_->read(buffer_.data() + end_, buffer_.size() - 1 - end_);
  end_ += got;
  ended_ = got == 0;
  return !ended_;
}

}  // namespace dotin::io
