#include "dotin/io/target_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dotin/core/error.h"

namespace dotin::io {

std::string TargetBuilder::mismatch(const TargetValue& value) const {
  if (!known_ || value.missing()) return "";
  if (value.is_text != is_text_) {
    return value.is_text ? "is text, but a number in a graph before" : "is a number, but text in a graph before";
  }
  const auto width = static_cast<int64_t>(value.numbers.size());
  if (!is_text_ && width != width_) return fmt::format("has {} values, but {} in a graph before", width, width_);
  return "";
}

void TargetBuilder::set(int64_t graph, const TargetValue& value) {
  if (value.missing()) return;
  if (!known_) {
    known_ = true;
    is_text_ = value.is_text;
    width_ = is_text_ ? 1 : static_cast<int64_t>(value.numbers.size());
  }
  if (is_text_) {
    values_.push_back(names_.code_of(value.text));
  } else {
    values_.insert(values_.end(), value.numbers.begin(), value.numbers.end());
  }
  graphs_.push_back(graph);
}

Target TargetBuilder::take(int64_t graphs) {
  constexpr double kHarmless = 1e6, kMostPerGiven = 1000;
  const double wanted = static_cast<double>(graphs) * static_cast<double>(width_);
  DOTIN_CHECK(wanted <= kHarmless || wanted <= kMostPerGiven * static_cast<double>(values_.size()),
              "target '{}': {} of {} graphs have it, with {} values each (leave it out, or give it to more graphs)",
              name_, graphs_.size(), graphs, width_);
  if (is_text_) {
    const std::vector<int32_t> rank = names_.sort();
    for (double& value : values_) value = rank[static_cast<std::size_t>(value)];
  }
  const auto width = static_cast<std::size_t>(width_);
  std::vector<double> all(static_cast<std::size_t>(graphs) * width, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    std::copy_n(values_.data() + i * width, width, all.data() + static_cast<std::size_t>(graphs_[i]) * width);
  }
  return {name_, width_, std::move(all), names_.values()};
}

}  // namespace dotin::io
