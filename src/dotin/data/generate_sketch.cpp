#include "dotin/data/generate_sketch.h"

#include <algorithm>
#include <cmath>

namespace dotin::data {

namespace {

int64_t pair_count(int64_t nodes) { return nodes * (nodes - 1) / 2; }

std::pair<int32_t, int32_t> pair_of_number(int64_t number) {
  auto v = static_cast<int64_t>((1.0 + std::sqrt(1.0 + 8.0 * static_cast<double>(number))) / 2.0);
  while (pair_count(v) > number) --v;
  while (pair_count(v + 1) <= number) ++v;
  return {static_cast<int32_t>(number - pair_count(v)), static_cast<int32_t>(v)};
}

void sort_unique(std::vector<int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

void GraphSketch::clear() {
  labels.clear();
  planted_for.clear();
  attributes.clear();
  edges.clear();
  edge_labels.clear();
  pairs.clear();
}

int32_t GraphSketch::add_node(int32_t label, int32_t task) {
  labels.push_back(label);
  planted_for.push_back(task);
  return nodes() - 1;
}

void GraphSketch::mark(int32_t node, int32_t label, int32_t task) {
  labels[static_cast<std::size_t>(node)] = label;
  planted_for[static_cast<std::size_t>(node)] = task;
}

int64_t number_of_pair(int64_t u, int64_t v) { return pair_count(v) + u; }

void add_random_pairs(std::vector<int64_t>& pairs, int64_t nodes, int64_t wanted, core::Rng& rng) {
  const int64_t all = pair_count(nodes);
  sort_unique(pairs);
  if (2 * wanted > all) {
    // Dense: drawing would hit taken pairs too often, and listing the free ones is linear in the edges.
    std::vector<int64_t> free;
    std::size_t taken = 0;
    for (int64_t pair = 0; pair < all; ++pair) {
      if (taken < pairs.size() && pairs[taken] == pair) {
        ++taken;
      } else {
        free.push_back(pair);
      }
    }
    rng.shuffle(free);
    pairs.insert(pairs.end(), free.begin(), free.begin() + (wanted - static_cast<int64_t>(pairs.size())));
    return;
  }
  while (static_cast<int64_t>(pairs.size()) < wanted) {
    for (int64_t missing = wanted - static_cast<int64_t>(pairs.size()); missing > 0; --missing) {
      pairs.push_back(rng.below(all));
    }
    sort_unique(pairs);
  }
}

void add_random_nodes(GraphSketch& sketch, int64_t nodes, int32_t labels, core::Rng& rng) {
  for (int64_t i = 0; i < nodes; ++i) sketch.add_node(static_cast<int32_t>(rng.below(labels)), -1);
}

void pairs_to_edges(GraphSketch& sketch) {
  for (const int64_t pair : sketch.pairs) sketch.edges.push_back(pair_of_number(pair));
  std::sort(sketch.pairs.begin(), sketch.pairs.end());
}

int64_t edges_of_degree(int64_t nodes, double degree) {
  return static_cast<int64_t>(std::llround(static_cast<double>(nodes) * degree / 2));
}

void add_connected_rest(GraphSketch& sketch, int64_t nodes, int64_t edges, int32_t labels, core::Rng& rng) {
  add_random_nodes(sketch, nodes, labels, rng);
  // A random tree first: no node without an edge, and no part that a message cannot reach.
  for (int64_t v = 1; v < nodes; ++v) sketch.pairs.push_back(number_of_pair(rng.below(v), v));
  add_random_pairs(sketch.pairs, nodes, edges, rng);
  pairs_to_edges(sketch);
}

void tie_to_rest(GraphSketch& sketch, int32_t node, int32_t rest, core::Rng& rng, int32_t avoid) {
  const int64_t places = avoid < 0 ? rest : rest - 1;
  const auto join_place = [&](int64_t place) {
    sketch.join(node, static_cast<int32_t>(avoid >= 0 && place >= avoid ? place + 1 : place));
  };
  const int64_t tie = rng.below(places);
  join_place(tie);
  if (rng.chance(0.5)) join_place((tie + 1 + rng.below(places - 1)) % places);
}

std::vector<int32_t> distinct_nodes(int64_t count, int64_t nodes, core::Rng& rng) {
  std::vector<int32_t> chosen;
  while (static_cast<int64_t>(chosen.size()) < count) {
    const auto node = static_cast<int32_t>(rng.below(nodes));
    if (std::find(chosen.begin(), chosen.end(), node) == chosen.end()) chosen.push_back(node);
  }
  return chosen;
}

bool is_free(const std::vector<int64_t>& pairs, int32_t u, int32_t v) {
  const auto [low, high] = std::minmax(u, v);
  return !std::binary_search(pairs.begin(), pairs.end(), number_of_pair(low, high));
}

std::pair<int32_t, int32_t> take_free_pair(std::vector<int64_t>& pairs, int64_t nodes, core::Rng& rng) {
  while (true) {
    const int64_t pair = rng.below(pair_count(nodes));
    const auto place = std::lower_bound(pairs.begin(), pairs.end(), pair);
    if (place != pairs.end() && *place == pair) continue;
    pairs.insert(place, pair);
    return pair_of_number(pair);
  }
}

}  // namespace dotin::data
