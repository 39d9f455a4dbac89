#include "text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dotin::app {

namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

}  // namespace

std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    // The C1 controls, U+0080 to U+009F, are C2 80 to C2 9F in UTF-8.
    const bool c1 = c >= 0x80 && c < 0xA0 && i > 0 && static_cast<unsigned char>(text[i - 1]) == 0xC2;
    if (control) text[i] = '?';
    if (c1) text[i] = text[i - 1] = '?';
  }
  return text;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string flag_of(const std::string& option) {
  std::string text = "--" + option;
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string with_flags(const std::string& message) {
  static const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string text;
  std::size_t done = 0;
  for (std::size_t start = message.find('`'); start != std::string::npos; start = message.find('`', done)) {
    const std::size_t end = message.find_first_not_of(letters, start + 1);
    const bool names_option = end != std::string::npos && message[end] == '`' && end > start + 1;
    text += message.substr(done, start - done);
    text += names_option ? flag_of(message.substr(start + 1, end - start - 1)) : "`";
    done = names_option ? end + 1 : start + 1;
  }
  return text + message.substr(done);
}

std::string shortened(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  if (columns == 0) return "";
  std::size_t seen = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (starts_code_point(text[end]) && seen++ == columns - 1) break;
  }
  return text.substr(0, end) + "~";
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string counted(int64_t number, const std::string& noun) {
  if (number == 1) return "1 " + noun;
  const bool sibilant = !noun.empty() && noun.back() == 's';
  return grouped(number) + " " + noun + (sibilant ? "es" : "s");
}

std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, columns_of(row.first));
  std::string text;
  for (const auto& [name, value] : rows) {
    text += name + std::string(width - columns_of(name) + 2, ' ') + value + "\n";
  }
  return text;
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string listed(const std::vector<std::string>& items, std::size_t at_most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), at_most); ++i) text += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > at_most) text += " and " + grouped(static_cast<int64_t>(items.size() - at_most)) + " more";
  return text;
}

}  // namespace dotin::app
