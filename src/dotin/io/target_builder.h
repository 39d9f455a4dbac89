// Targets whose values come graph by graph, some of them missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/io/label_codes.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// What one graph says about one target: numbers (NaN where missing) or text; neither where it is missing.
struct TargetValue {
  std::vector<double> numbers;
  std::string text;
  bool is_text = false;

  bool missing() const { return numbers.empty() && !is_text; }
};

class TargetBuilder {
 public:
  explicit TargetBuilder(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Empty if the value has the kind and width of those before; otherwise what is wrong.
  std::string mismatch(const TargetValue& value) const;
  /// The value of a graph, once for each and in rising order; mismatch(value) must be empty.
  void set(int64_t graph, const TargetValue& value);

  /// The target of so many graphs, those without a value missing. core::Error for a target that hardly any graph has
  /// and that would be enormous if all had it.
  Target take(int64_t graphs);

 private:
  std::string name_;
  bool known_ = false;  // kind and width, by the first value that is not missing
  bool is_text_ = false;
  int64_t width_ = 1;
  std::vector<int64_t> graphs_;  // that have a value
  std::vector<double> values_;   // of those
  TextLabels names_;
};

}  // namespace dotin::io
