// Levels of sizes that are awkward for loops, drawn from a seed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dotin/core/random.h"
#include "dotin/kernels/level.h"

namespace dotin::testing {

/// Graphs of these sizes, each pair of nodes joined with that probability, in both directions; all weights 1.
inline kernels::Level level_of(const std::vector<int32_t>& sizes, double probability, core::Rng& rng) {
  kernels::Level level;
  level.node_offsets = {0};
  level.row_offsets = {0};
  for (const int32_t size : sizes) {
    const int32_t first = level.nodes();
    std::vector<std::vector<int32_t>> rows(static_cast<std::size_t>(size));
    for (int32_t i = 0; i < size; ++i) {
      for (int32_t j = 0; j < i; ++j) {
        if (!rng.chance(probability)) continue;
        rows[i].push_back(first + j);
        rows[j].push_back(first + i);
      }
    }
    for (const std::vector<int32_t>& row : rows) {  // sorted: i gets its smaller neighbours first
      level.columns.insert(level.columns.end(), row.begin(), row.end());
      level.row_offsets.push_back(level.edges());
    }
    level.node_offsets.push_back(first + size);
  }
  return level;
}

/// With a weight of its own on every entry, from 0.2 to 3, as drops leave them.
inline kernels::Level weighed(kernels::Level level, core::Rng& rng) {
  const auto draw = [&rng](int32_t count) {
    std::vector<double> weights;
    for (int32_t i = 0; i < count; ++i) weights.push_back(0.2 + 2.8 * rng.uniform());
    return weights;
  };
  level.weighted = true;
  level.edge_weight = draw(level.edges());
  level.self_weight = draw(level.nodes());
  level.row_to_virtual = draw(level.nodes());
  level.virtual_to_row = draw(level.nodes());
  level.virtual_self = draw(level.graphs());
  return level;
}

/// All but every third node of each graph leave.
inline void keep_few(const kernels::Level& level, uint8_t* keep) {
  for (int32_t g = 0; g < level.graphs(); ++g) {
    for (int32_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i)
      keep[i] = (i - level.node_offsets[g]) % 3 == 0 ? 1 : 0;
  }
}

struct NamedLevel {
  std::string name;
  kernels::Level level;
};

inline std::vector<NamedLevel> small_levels() {
  core::Rng rng(11);
  const kernels::Level ragged = level_of({6, 1, 4, 5}, 0.5, rng);
  return {{"one node", level_of({1}, 0, rng)},
          {"one node with weights", weighed(level_of({1}, 0, rng), rng)},
          {"no edges", level_of({4, 3}, 0, rng)},
          {"ragged", ragged},
          {"ragged with weights", weighed(ragged, rng)}};
}

inline std::vector<NamedLevel> all_levels() {
  core::Rng rng(12);
  std::vector<NamedLevel> levels = small_levels();
  levels.push_back({"no graphs", level_of({}, 0, rng)});
  levels.push_back({"graphs without nodes", level_of({0, 2, 0}, 1, rng)});
  levels.push_back({"7, 8, 9 with weights", weighed(level_of({7, 8, 9}, 0.6, rng), rng)});
  levels.push_back({"31, 33", level_of({31, 33}, 0.1, rng)});
  return levels;
}

}  // namespace dotin::testing
