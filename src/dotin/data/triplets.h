// Triplets for learning graph edit distance: from G a closer graph G_p and a farther one G_n.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/core/random.h"
#include "dotin/data/dataset.h"

namespace dotin::data {

struct GedOptions {
  int32_t k_p = 1;  // edges substituted for the positive graph
  int32_t k_n = 2;  // and for the negative one; k_n > k_p
};

/// The structure of an edited graph, same nodes as the original. Sorted rows, both directions, no self-loops.
struct EditedGraph {
  std::vector<int64_t> row_offsets;  // nodes + 1, from 0
  std::vector<int32_t> neighbours;
};

/// Removes k different edges and adds k that the graph did not have (nor gets back the removed ones). Where the graph
/// has fewer than k edges, or fewer than k free pairs, as many as there are. A graph without edges or with all pairs
/// joined comes back unchanged. Copies of an edge (kept duplicates) count as edges of their own. The graph must be
/// sound: rows sorted, both directions there.
EditedGraph substitute_edges(const GraphView& graph, int32_t k, core::Rng& rng);

}  // namespace dotin::data
