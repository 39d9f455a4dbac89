// Small graphs written by hand or drawn by rapidcheck, and batches of them.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::testing {

struct SmallGraph {
  int32_t nodes = 0;
  std::vector<std::pair<int32_t, int32_t>> edges;  // each once, without self-loops
  std::vector<float> features;                     // nodes x width
  int64_t index = 0;                               // in the dataset it is said to come from
};

/// The disjoint union, with dense features of that width.
batch::Batch batch_of(const std::vector<SmallGraph>& graphs, int32_t width);

/// The same graph with node i renamed to new_of_old[i].
SmallGraph renamed(const SmallGraph& graph, const std::vector<int32_t>& new_of_old, int32_t width);

/// One to four graphs of 1 to 12 nodes, from edgeless to dense, with normal features, so no two nodes are alike.
rc::Gen<std::vector<SmallGraph>> any_graphs(int32_t width);

/// A mix of sizes for tests that draw nothing: 6 nodes, a single node, 4 nodes without edges, 5 nodes of which one is
/// isolated.
std::vector<SmallGraph> ragged_graphs(int32_t width);

}  // namespace dotin::testing

namespace rc {

/// So that a failed property prints its graphs.
inline void showValue(const dotin::testing::SmallGraph& graph, std::ostream& out) {
  out << "{nodes " << graph.nodes << ", edges";
  for (const auto& [u, v] : graph.edges) out << ' ' << u << '-' << v;
  out << '}';
}

}  // namespace rc
