// Small data and short runs for the tests of train, cv and predict.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::testing {

/// Rings ("ring") and paths ("path") of 4 to 7 atoms, as JSON Lines; without targets if so asked.
inline std::string rings_and_paths(int graphs, bool targets = true, const std::string& third_atom = "O") {
  std::string text;
  for (int g = 0; g < graphs; ++g) {
    const bool path = g % 2 == 1;
    const int nodes = 4 + g / 2 % 4;
    nlohmann::json graph;
    graph["edges"] = nlohmann::json::array();
    for (int i = 0; i + (path ? 1 : 0) < nodes; ++i) graph["edges"].push_back({i, (i + 1) % nodes});
    for (int i = 0; i < nodes; ++i) {
      graph["node_labels"].push_back(i % 3 == 0 ? "C" : i % 3 == 1 ? "N" : third_atom);
      graph["x"].push_back({i, g % 5});
    }
    graph["id"] = "g" + std::to_string(g);
    if (targets) {
      graph["y"] = path ? "path" : "ring";
      graph["targets"] = {{"size", nodes}, {"tox", {g % 3 == 0 ? nlohmann::json() : nlohmann::json(g % 2), 1}}};
    }
    text += graph.dump() + "\n";
  }
  return text;
}

/// dotin COMMAND DATA --out OUT with a model of a few hundred numbers and one thread; what `more` has comes instead.
inline std::vector<std::string> small_run(const std::string& command, const std::string& data, const std::string& out,
                                          const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {command, data, "--out", out};
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"--hidden", "8"}, {"--layers", "2"}, {"--epochs", "3"}, {"--batch", "4"}, {"--threads", "1"}}) {
    if (std::find(more.begin(), more.end(), name) == more.end()) words.insert(words.end(), {name, value});
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// metrics.csv without the column that says how long things took.
inline std::string without_seconds(const std::string& path) {
  std::ifstream file(path);
  std::string line, result;
  while (std::getline(file, line)) {
    std::size_t from = 0;
    for (int field = 0; field < 6; ++field) from = line.find(',', from) + 1;
    result += line.substr(0, from) + line.substr(line.find(',', from)) + "\n";
  }
  return result;
}

}  // namespace dotin::testing
