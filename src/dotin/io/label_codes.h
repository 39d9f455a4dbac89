// Distinct values -> codes, as they come; sorted in the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dotin/io/records.h"

namespace dotin::io {

// Each column costs memory before the first row is stored: a line of ten million commas must not cost gigabytes.
inline constexpr std::size_t kMaxLabelColumns = 4096;

/// The name of a column that has none of its own: "label", or "label0", "label1", ... where there are several.
std::string label_name(std::size_t column, std::size_t columns);

/// Gathers one column of integers.
class IntegerLabels {
 public:
  void add(int64_t value) { codes_.push_back(code_of(value)); }
  std::vector<int32_t>& codes() { return codes_; }

  /// The column with its values in numeric order. Leaves nothing behind.
  LabelColumn take(std::string name);

 private:
  int32_t code_of(int64_t value);

  std::vector<int32_t> codes_;
  std::vector<int64_t> values_;                 // by code
  std::vector<int32_t> small_;                  // value -> code + 1 for 0 <= value < kSmall, 0 where there is none
  std::unordered_map<int64_t, int32_t> large_;  // the others
};

/// Gathers one column of text.
class TextLabels {
 public:
  /// The code of a value, a new one if it is new. The caller keeps the codes.
  int32_t code_of(std::string_view value);
  const std::vector<std::string>& values() const { return values_; }

  /// Sorts the values, in numeric order where all are plain integers, else in byte order, and gives for each code so
  /// far its place among them. No further codes can be had then.
  std::vector<int32_t> sort();

 private:
  std::vector<std::string> values_;
  std::unordered_map<std::string, int32_t> code_of_;
};

}  // namespace dotin::io
