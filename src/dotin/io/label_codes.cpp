#include "dotin/io/label_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dotin/io/text.h"

namespace dotin::io {
namespace {

constexpr int64_t kSmall = 1 << 12;

/// order[rank] = code  ->  rank of each code.
std::vector<int32_t> ranks(const std::vector<int32_t>& order) {
  std::vector<int32_t> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[static_cast<std::size_t>(order[i])] = static_cast<int32_t>(i);
  return rank;
}

std::vector<int32_t> identity(std::size_t size) {
  std::vector<int32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

std::string label_name(std::size_t column, std::size_t columns) {
  return columns == 1 ? kLabelTarget : fmt::format("{}{}", kLabelTarget, column);
}

int32_t IntegerLabels::code_of(int64_t value) {
  const bool small = value >= 0 && value < kSmall;
  if (small && small_.empty()) small_.resize(kSmall);
  int32_t& code = small ? small_[static_cast<std::size_t>(value)] : large_[value];
  if (code == 0) {
    values_.push_back(value);
    code = static_cast<int32_t>(values_.size());
  }
  return code - 1;
}

LabelColumn IntegerLabels::take(std::string name) {
  std::vector<int32_t> order = identity(values_.size());
  std::sort(order.begin(), order.end(), [this](int32_t a, int32_t b) {
    return values_[static_cast<std::size_t>(a)] < values_[static_cast<std::size_t>(b)];
  });
  const std::vector<int32_t> rank = ranks(order);
  for (int32_t& code : codes_) code = rank[static_cast<std::size_t>(code)];

  LabelColumn column;
  column.name = std::move(name);
  column.codes = std::move(codes_);
  for (const int32_t code : order) column.values.push_back(fmt::format("{}", values_[static_cast<std::size_t>(code)]));
  *this = {};
  return column;
}

int32_t TextLabels::code_of(std::string_view value) {
  const auto [found, is_new] = code_of_.try_emplace(std::string(value), static_cast<int32_t>(values_.size()));
  if (is_new) values_.emplace_back(value);
  return found->second;
}

std::vector<int32_t> TextLabels::sort() {
  std::vector<int64_t> numbers(values_.size());
  bool all_integers = true;
  for (std::size_t i = 0; i < values_.size() && all_integers; ++i) {
    all_integers = is_plain_integer(values_[i]) && parse_integer(values_[i], numbers[i]);
  }
  std::vector<int32_t> order = identity(values_.size());
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    return all_integers ? numbers[i] < numbers[j] : values_[i] < values_[j];
  });
  std::vector<std::string> sorted;
  for (const int32_t code : order) sorted.push_back(std::move(values_[static_cast<std::size_t>(code)]));
  values_ = std::move(sorted);
  code_of_.clear();
  return ranks(order);
}

}  // namespace dotin::io
