#include "dotin/io/text.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace dotin::io {
namespace {

constexpr std::size_t kExcerptBytes = 40;

std::string_view without_plus(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return plus ? text.substr(1) : text;
}

template <class Float>
bool parse_finite(std::string_view text, Float& value) {
  text = without_plus(text);
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  // Newer versions call 1e-400 out of range although 0 is the right answer.
  const bool parsed = error == std::errc() || error == std::errc::result_out_of_range;
  return parsed && end == text.data() + text.size() && std::isfinite(value);
}

/// Bytes of the character that the text begins with; 0 if that is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto goes_on = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !goes_on(1)) return 0;
  if (first < 0xE0) return 2;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate || !goes_on(2) ? 0 : 3;
  }
  const bool overlong = first == 0xF0 && second < 0x90, beyond = first == 0xF4 && second > 0x8F;
  return overlong || beyond || !goes_on(2) || !goes_on(3) ? 0 : 4;
}

}  // namespace

std::string excerpt(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text.substr(0, kExcerptBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + (text.size() > kExcerptBytes ? "'..." : "'");
}

bool parse_integer(std::string_view text, int64_t& value) {
  text = without_plus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse_whole_number(std::string_view text, int64_t& value) {
  if (parse_integer(text, value)) return true;
  constexpr double kExact = 9007199254740992.0;  // 2^53: beyond it a float no longer tells integers apart
  double real = 0;
  if (!parse_finite(text, real) || std::trunc(real) != real || std::abs(real) > kExact) return false;
  value = static_cast<int64_t>(real);
  return true;
}

bool parse_number(std::string_view text, float& value) { return parse_finite(text, value); }
bool parse_number(std::string_view text, double& value) { return parse_finite(text, value); }

std::string why_not_a_number(std::string_view text) {
  if (text.empty()) return "is empty";
  double value = 0;
  const std::string_view bare = without_plus(text);
  const auto [end, error] = fast_float::from_chars(bare.data(), bare.data() + bare.size(), value);
  const bool number = end == bare.data() + bare.size() && error != std::errc::invalid_argument;
  return number ? "is not a finite number" : "is not a number";
}

bool is_plain_integer(std::string_view text) {
  int64_t value = 0;
  if (!parse_integer(text, value)) return false;
  const std::string_view digits = text[0] == '-' ? text.substr(1) : text;
  return text[0] != '+' && (digits[0] != '0' || text == "0");
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    result += length > 0 ? text.substr(0, length) : std::string_view("?");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace dotin::io
