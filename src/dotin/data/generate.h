// Seeded generated datasets whose truth is known.
#pragma once

#include <cstdint>
#include <string>

#include "dotin/core/progress.h"
#include "dotin/io/records.h"

namespace dotin::data {

struct GenerateOptions {
  int64_t graphs = 1000;
  int64_t nodes = 60;  // average; motif and random draw from [nodes/2, 3 nodes/2]
  double degree = 4;   // average degree of the irrelevant part (grid: ignored)
  int32_t labels = 8;  // labels of irrelevant nodes
  int32_t tasks = 1;   // 1 or 2 (motif): the second target, "label2", depends on other nodes
  uint64_t seed = 0;
};

/// motif: random graphs in which a motif of few nodes is hidden; how it is wired decides the class (see generate.cpp).
/// Planted nodes are stored as truth. random: Erdos-Renyi graphs; the class is whether the graph is denser than the
/// middle of the drawn densities: no single node matters. grid: square grids; class by whether a planted straight line
/// of marked nodes is horizontal or vertical. Unknown kinds: core::UsageError that lists these.
io::Records generate(const std::string& kind, const GenerateOptions& options, core::Progress& progress);

}  // namespace dotin::data
