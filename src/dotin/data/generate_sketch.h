// What the kinds of generated data share: one graph while it is drawn, and the parts it is drawn from. Internal to
// data/.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dotin/core/random.h"

namespace dotin::data {

constexpr int32_t kNoLabel = -1;

/// One graph before its nodes are shuffled. Kept between graphs to reuse its memory.
struct GraphSketch {
  std::vector<int32_t> labels;       // per node; kNoLabel for all of them where the kind has none
  std::vector<int32_t> planted_for;  // per node: the task it was planted for, or -1
  std::vector<float> attributes;     // per node, or empty
  std::vector<std::pair<int32_t, int32_t>> edges;
  std::vector<int32_t> edge_labels;  // per edge, or empty
  std::vector<int64_t> pairs;        // scratch: numbers of the pairs of irrelevant nodes that are taken

  void clear();
  int32_t nodes() const { return static_cast<int32_t>(labels.size()); }
  int32_t add_node(int32_t label, int32_t task);
  void join(int32_t u, int32_t v) { edges.emplace_back(u, v); }
  /// Makes a node one of those that decide.
  void mark(int32_t node, int32_t label, int32_t task);
};

/// Pair u < v of 0 .. v <-> its number in the order (0,1), (0,2), (1,2), (0,3), ...
int64_t number_of_pair(int64_t u, int64_t v);

/// Adds uniformly drawn pairs of `nodes` nodes to the distinct ones in `pairs` until there are `wanted`.
void add_random_pairs(std::vector<int64_t>& pairs, int64_t nodes, int64_t wanted, core::Rng& rng);

void add_random_nodes(GraphSketch& sketch, int64_t nodes, int32_t labels, core::Rng& rng);

/// An edge for each of sketch.pairs, which are in order afterwards.
void pairs_to_edges(GraphSketch& sketch);

/// Edges that give `nodes` nodes this average degree.
int64_t edges_of_degree(int64_t nodes, double degree);

/// The irrelevant part: a connected random graph.
void add_connected_rest(GraphSketch& sketch, int64_t nodes, int64_t edges, int32_t labels, core::Rng& rng);

/// Ties a node to one or two of the first `rest` nodes, but not to `avoid`.
void tie_to_rest(GraphSketch& sketch, int32_t node, int32_t rest, core::Rng& rng, int32_t avoid = -1);

/// `count` of the nodes 0 .. nodes-1, much fewer than there are, in any order.
std::vector<int32_t> distinct_nodes(int64_t count, int64_t nodes, core::Rng& rng);

/// Whether two nodes are none of the sorted pairs.
bool is_free(const std::vector<int64_t>& pairs, int32_t u, int32_t v);

/// A pair of the first `nodes` nodes that is none of the sorted pairs, and is one from now on.
std::pair<int32_t, int32_t> take_free_pair(std::vector<int64_t>& pairs, int64_t nodes, core::Rng& rng);

}  // namespace dotin::data
