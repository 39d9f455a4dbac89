// Text for people: safe on a terminal, and aligned.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace dotin::app {

/// Control characters, which could drive a terminal, become '?'. Names in a file are not to be trusted. Line feeds and
/// tabs stay.
std::string printable(std::string text);

/// The flag of an option: drop_ratio -> --drop-ratio
std::string flag_of(const std::string& option);

/// The library names options as `drop_ratio`; here they are flags.
std::string with_flags(const std::string& message);

/// At most `columns` code points of a UTF-8 text, the last one "~" if something was cut off.
std::string shortened(const std::string& text, std::size_t columns);

/// Number of code points.
std::size_t columns_of(const std::string& text);

/// 334925 -> "334,925"
std::string grouped(int64_t number);

/// "1 graph", "2 graphs", "1,178 graphs"
std::string counted(int64_t number, const std::string& noun);

/// Rows of (name, value), the values aligned; a name may be empty to go on with the one above.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows);

/// With a line end; bytes that are no UTF-8, of a path, say, become U+FFFD.
std::string json_text(const nlohmann::json& json, int indent = 2);

/// "a, b, c and 12 more"
std::string listed(const std::vector<std::string>& items, std::size_t at_most);

}  // namespace dotin::app
