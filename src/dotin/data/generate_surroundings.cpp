#include <algorithm>
#include <set>
#include <vector>

#include "dotin/data/generate_kinds.h"

namespace dotin::data {

namespace {

constexpr int32_t kMostDegree = 4;

/// A tree round its first node, the centre, and two ways to label it with the same labels.
struct Surroundings {
  int32_t radius = 1;
  std::vector<int32_t> parent, depth;
  std::vector<int32_t> labels[2];
};

/// As in molecules: each label is half as frequent as the one before.
int32_t skewed_label(int32_t labels, core::Rng& rng) {
  int32_t label = 0;
  while (label + 1 < labels && rng.chance(0.5)) ++label;
  return label;
}

/// What each node sees in `rounds` hops: labels, and how they are joined (Weisfeiler-Lehman).
std::vector<uint64_t> colours(const std::vector<int32_t>& labels, const std::vector<std::pair<int32_t, int32_t>>& edges,
                              int32_t rounds) {
  std::vector<uint64_t> colour(labels.begin(), labels.end());
  for (int32_t round = 0; round < rounds; ++round) {
    std::vector<uint64_t> seen(colour.size(), 0);
    for (const auto& [u, v] : edges) {
      seen[static_cast<std::size_t>(u)] += core::mix(colour[static_cast<std::size_t>(v)], 1);
      seen[static_cast<std::size_t>(v)] += core::mix(colour[static_cast<std::size_t>(u)], 1);
    }
    for (std::size_t i = 0; i < colour.size(); ++i) colour[i] = core::mix(colour[i], seen[i]);
  }
  return colour;
}

uint64_t colour_of_centre(const Surroundings& pattern, std::size_t which) {
  std::vector<std::pair<int32_t, int32_t>> edges;
  for (std::size_t i = 1; i < pattern.parent.size(); ++i)
    edges.emplace_back(static_cast<int32_t>(i), pattern.parent[i]);
  return colours(pattern.labels[which], edges, pattern.radius).front();
}

/// The same for all graphs of a dataset.
Surroundings draw_pattern(const GenerateOptions& options) {
  constexpr std::size_t sizes[] = {5, 7, kMostSurroundings};  // by radius
  core::Rng rng({options.seed, 3});
  Surroundings pattern;
  const auto drawn = static_cast<int32_t>(1 + rng.below(3));
  pattern.radius = options.radius > 0 ? options.radius : drawn;
  const auto add = [&pattern](std::size_t parent) {
    pattern.parent.push_back(static_cast<int32_t>(parent));
    pattern.depth.push_back(pattern.depth[parent] + 1);
  };
  pattern.parent.push_back(-1);
  pattern.depth.push_back(0);
  // Only the centre has four edges, so that no other node of the pattern can pass for a centre.
  for (int32_t i = 0; i < kMostDegree; ++i) add(0);
  while (pattern.depth.back() < pattern.radius) add(pattern.depth.size() - 1);
  while (pattern.depth.size() < sizes[pattern.radius - 1]) {
    const auto node = static_cast<std::size_t>(rng.below(static_cast<int64_t>(pattern.depth.size())));
    const auto children = std::count(pattern.parent.begin(), pattern.parent.end(), static_cast<int32_t>(node));
    if (node > 0 && pattern.depth[node] < pattern.radius && children < 2) add(node);
  }
  std::set<int32_t> distinct;
  while (distinct.size() < 3) {
    pattern.labels[0].clear();
    for (std::size_t i = 0; i < pattern.parent.size(); ++i) {
      pattern.labels[0].push_back(skewed_label(options.labels, rng));
    }
    distinct = {pattern.labels[0].begin(), pattern.labels[0].end()};
  }
  pattern.labels[1] = pattern.labels[0];
  while (colour_of_centre(pattern, 0) == colour_of_centre(pattern, 1)) rng.shuffle(pattern.labels[1]);
  return pattern;
}

/// Chains that branch, with a few rings of six, and at most four edges a node. Returns the degrees.
std::vector<int32_t> add_molecule(int32_t nodes, int32_t labels, core::Rng& rng, GraphSketch& sketch) {
  std::vector<int32_t> parent, degree(static_cast<std::size_t>(nodes), 0);
  const auto join = [&](int32_t u, int32_t v) {
    sketch.join(u, v);
    ++degree[static_cast<std::size_t>(u)];
    ++degree[static_cast<std::size_t>(v)];
  };
  const auto full = [&degree](int32_t node) { return degree[static_cast<std::size_t>(node)] == kMostDegree; };
  for (int32_t v = 0; v < nodes; ++v) {
    sketch.add_node(skewed_label(labels, rng), -1);
    int32_t above = -1;
    if (v > 0) {
      do {
        above = v - 1 - static_cast<int32_t>(rng.below(std::min(v, 4)));
      } while (full(above));
      join(v, above);
    }
    parent.push_back(above);
  }
  for (int32_t v = 0; v < nodes; ++v) {
    if (rng.chance(0.875)) continue;
    int32_t other = v;
    for (int32_t hop = 0; hop < 5 && other >= 0; ++hop) other = parent[static_cast<std::size_t>(other)];
    if (other >= 0 && !full(v) && !full(other)) join(v, other);
  }
  return degree;
}

/// A node of the rest that happens to see what a centre sees gets a label that no centre has.
void remove_chance_finds(const Surroundings& pattern, int32_t rest, int32_t labels, core::Rng& rng,
                         GraphSketch& sketch) {
  const uint64_t known[2] = {colour_of_centre(pattern, 0), colour_of_centre(pattern, 1)};
  for (bool again = true; again;) {
    again = false;
    const std::vector<uint64_t> colour = colours(sketch.labels, sketch.edges, pattern.radius);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rest); ++i) {
      if (colour[i] != known[0] && colour[i] != known[1]) continue;
      again = true;
      int32_t& label = sketch.labels[i];
      while (label == pattern.labels[0].front() || label == pattern.labels[1].front()) {
        label = skewed_label(labels, rng);
      }
    }
  }
}

}  // namespace

void draw_surroundings(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                       GraphSketch& sketch) {
  const Surroundings pattern = draw_pattern(options);
  const auto rest = static_cast<int32_t>(nodes - static_cast<int64_t>(pattern.parent.size()));
  std::vector<int32_t> degree = add_molecule(rest, options.labels, rng, sketch);
  for (std::size_t i = 0; i < pattern.parent.size(); ++i) {
    const int32_t node = sketch.add_node(pattern.labels[classes.first][i], 0);
    if (i > 0) sketch.join(node, rest + pattern.parent[i]);
    // Only the outermost nodes have ties, so that the centre sees the pattern and nothing else.
    if (pattern.depth[i] < pattern.radius) continue;
    int32_t tie = 0;
    do {
      tie = static_cast<int32_t>(rng.below(rest));
    } while (degree[static_cast<std::size_t>(tie)] == kMostDegree);
    ++degree[static_cast<std::size_t>(tie)];
    sketch.join(node, tie);
  }
  remove_chance_finds(pattern, rest, options.labels, rng, sketch);
}

}  // namespace dotin::data
