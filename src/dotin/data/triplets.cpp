#include "dotin/data/triplets.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace dotin::data {

namespace {

using Pair = std::pair<int32_t, int32_t>;

/// `count` different numbers below `n`, sorted (Floyd's method: no list of all n).
std::vector<int64_t> draw_distinct(int64_t n, int64_t count, core::Rng& rng) {
  std::unordered_set<int64_t> drawn;
  for (int64_t last = n - count; last < n; ++last) {
    const int64_t number = rng.below(last + 1);
    if (!drawn.insert(number).second) drawn.insert(last);
  }
  std::vector<int64_t> sorted(drawn.begin(), drawn.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

bool joined(const GraphView& graph, int32_t u, int32_t v) {
  const auto row = graph.neighbours(u);
  return std::binary_search(row.begin(), row.end(), v);
}

std::vector<Pair> free_pairs(const GraphView& graph) {
  std::vector<Pair> free;
  for (int32_t u = 0; u < graph.nodes; ++u) {
    for (int32_t v = u + 1; v < graph.nodes; ++v) {
      if (!joined(graph, u, v)) free.emplace_back(u, v);
    }
  }
  return free;
}

/// `count` different pairs that are no edges, out of `free` such pairs.
std::vector<Pair> draw_additions(const GraphView& graph, int64_t count, int64_t free, int64_t all, core::Rng& rng) {
  std::vector<Pair> additions;
  if (2 * free < all || 2 * count > free) {
    // Here all <= 3 * edges: listing every pair is as cheap as reading the edges, and drawing would often miss.
    const std::vector<Pair> candidates = free_pairs(graph);
    for (const int64_t chosen : draw_distinct(free, count, rng)) {
      additions.push_back(candidates[static_cast<std::size_t>(chosen)]);
    }
    return additions;
  }
  std::unordered_set<int64_t> taken;
  while (static_cast<int64_t>(additions.size()) < count) {
    auto u = static_cast<int32_t>(rng.below(graph.nodes));
    auto v = static_cast<int32_t>(rng.below(graph.nodes));
    if (u > v) std::swap(u, v);
    if (u == v || joined(graph, u, v) || !taken.insert(int64_t{u} * graph.nodes + v).second) continue;
    additions.emplace_back(u, v);
  }
  return additions;
}

std::vector<Pair> both_directions(const std::vector<Pair>& pairs) {
  std::vector<Pair> directed;
  directed.reserve(2 * pairs.size());
  for (const auto& [u, v] : pairs) {
    directed.emplace_back(u, v);
    directed.emplace_back(v, u);
  }
  std::sort(directed.begin(), directed.end());
  return directed;
}

}  // namespace

EditedGraph substitute_edges(const GraphView& graph, int32_t k, core::Rng& rng) {
  // Edges in row order; copies of an edge (kept duplicates) are edges of their own, but take up one pair.
  int64_t edges = 0, joined_pairs = 0;
  for (int32_t u = 0; u < graph.nodes; ++u) {
    int32_t last = -1;
    for (const int32_t v : graph.neighbours(u)) {
      if (v <= u) continue;
      ++edges;
      joined_pairs += v != last ? 1 : 0;
      last = v;
    }
  }
  const int64_t all = int64_t{graph.nodes} * (graph.nodes - 1) / 2;
  const int64_t free = all - joined_pairs;
  const int64_t count = std::max<int64_t>(0, std::min({int64_t{k}, edges, free}));

  std::vector<Pair> removals, additions;
  if (count > 0) {
    const std::vector<int64_t> chosen = draw_distinct(edges, count, rng);
    int64_t edge = 0;
    for (int32_t u = 0; u < graph.nodes; ++u) {
      for (const int32_t v : graph.neighbours(u)) {
        if (v <= u) continue;
        if (removals.size() < chosen.size() && chosen[removals.size()] == edge) removals.emplace_back(u, v);
        ++edge;
      }
    }
    additions = both_directions(draw_additions(graph, count, free, all, rng));
    removals = both_directions(removals);
  }

  EditedGraph edited;
  edited.row_offsets.reserve(static_cast<std::size_t>(graph.nodes) + 1);
  edited.neighbours.reserve(static_cast<std::size_t>(graph.directed_edges()));
  edited.row_offsets.push_back(0);
  std::size_t removed = 0, added = 0;
  for (int32_t u = 0; u < graph.nodes; ++u) {
    const auto add_below = [&](Pair limit) {
      for (; added < additions.size() && additions[added] < limit; ++added) {
        edited.neighbours.push_back(additions[added].second);
      }
    };
    for (const int32_t v : graph.neighbours(u)) {
      if (removed < removals.size() && removals[removed] == Pair{u, v}) {
        ++removed;
        continue;
      }
      add_below({u, v});
      edited.neighbours.push_back(v);
    }
    add_below({u, graph.nodes});
    edited.row_offsets.push_back(static_cast<int64_t>(edited.neighbours.size()));
  }
  return edited;
}

}  // namespace dotin::data
