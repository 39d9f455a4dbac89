// Cells with results made up by a test.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "reproduce/cell.h"

namespace dotin::reproduce {

/// Answers every cell with what `make` gives; null: it was not run.
class FakeCells : public Cells {
 public:
  explicit FakeCells(std::function<nlohmann::json(const Cell&)> make) : make_(std::move(make)) {}

  const nlohmann::json* find(const Cell& cell) override {
    const std::string key = key_of(cell, {"test", "", ""});
    const nlohmann::json result = make_(cell);
    if (result.is_null()) return nullptr;
    nlohmann::json& record = records_[key];
    record = {{"key", key},
              {"label", cell.label},
              {"seed", cell.seed},
              {"command", command_line(cell)},
              {"version", "test"},
              {"protocol", cell.protocol},
              {"started", "today"},
              {"seconds", 1.5},
              {"machine", {{"cpu", "a cpu"}, {"cores", 2}, {"threads", 1}, {"system", "a system"}}}};
    record[result.is_string() ? "error" : "result"] = result;
    return &record;
  }

 private:
  std::function<nlohmann::json(const Cell&)> make_;
  std::map<std::string, nlohmann::json> records_;
};

/// The value after a word of the cell's first command; empty if there is none.
inline std::string option_of(const Cell& cell, const std::string& name) {
  const Command& command = cell.commands.front();
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] == name) return command[i + 1];
  }
  return "";
}

/// What `dotin cv --json` says, for shares per fold of one metric by the validation rule; the other rules, and the
/// scores on validation folds, are shifted from those.
inline nlohmann::json cv_result(const std::map<std::pair<std::string, std::string>, std::vector<double>>& folds) {
  nlohmann::json tasks;
  for (const auto& [name, values] : folds) {
    // Shifted, so that no rule is taken for another.
    for (const auto& [rule, shift] : {std::pair("validation", 0.0), std::pair("last", -0.01),
                                      std::pair("best_mean", 0.02), std::pair("best_test", 0.1)}) {
      std::vector<double> shifted = values;
      double mean = 0, squares = 0;
      for (double& value : shifted) value += shift;
      for (const double value : shifted) mean += value / static_cast<double>(values.size());
      for (const double value : shifted) squares += (value - mean) * (value - mean);
      tasks[name.first][name.second][rule] = {{"mean", mean},
                                              {"std", std::sqrt(squares / static_cast<double>(values.size() - 1))},
                                              {"folds", shifted},
                                              {"validation", {{"mean", mean + 0.03}}}};
    }
  }
  return {{"tasks", tasks}};
}

}  // namespace dotin::reproduce
