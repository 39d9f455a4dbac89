// Numbers and words out of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dotin::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Text for an error message: in quotes, cut after some 40 characters, unprintable bytes as \xNN.
std::string excerpt(std::string_view text);

/// The whole text as an integer; false if it is none or does not fit.
bool parse_integer(std::string_view text, int64_t& value);

/// An integer that may be written as one ("-3") or as a float ("-3.0", "1e2").
bool parse_whole_number(std::string_view text, int64_t& value);

/// The whole text as a finite number; false for text, NaN, infinity and what does not fit.
bool parse_number(std::string_view text, float& value);
bool parse_number(std::string_view text, double& value);

/// Why parse_number refused: "is empty", "is not a finite number", "is not a number".
std::string why_not_a_number(std::string_view text);

/// True for an integer as one writes it: no plus, no leading zeros, no "-0".
bool is_plain_integer(std::string_view text);

/// Whether all of it is UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF. JSON holds no other text.
bool is_utf8(std::string_view text);

/// The text with '?' for each byte that is no UTF-8. For names of files, which may have any.
std::string to_utf8(std::string_view text);

}  // namespace dotin::io
