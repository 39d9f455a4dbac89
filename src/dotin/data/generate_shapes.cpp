#include <algorithm>
#include <cmath>
#include <vector>

#include "dotin/data/generate_kinds.h"

namespace dotin::data {

void draw_grid(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
               GraphSketch& sketch) {
  const double stretch = std::exp2(rng.uniform() - 0.5);
  const int64_t width = std::clamp(static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(nodes)) * stretch)),
                                   kLeastGridSide, nodes / kLeastGridSide);
  const int64_t height = (nodes + width / 2) / width;
  add_random_nodes(sketch, width * height, options.labels, rng);
  const auto at = [width](int64_t x, int64_t y) { return static_cast<int32_t>(y * width + x); };
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      if (x + 1 < width) sketch.join(at(x, y), at(x + 1, y));
      if (y + 1 < height) sketch.join(at(x, y), at(x, y + 1));
    }
  }

  constexpr int64_t line[kMotifNodes][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  constexpr int64_t tee[kMotifNodes][2] = {{0, 0}, {1, 0}, {2, 0}, {1, 1}};
  const bool is_line = classes.first == 0;
  const bool upright = rng.chance(0.5), flipped = rng.chance(0.5);
  const int64_t length = is_line ? 4 : 3, depth = is_line ? 1 : 2;
  const int64_t left = rng.below(width - (upright ? depth : length) + 1);
  const int64_t top = rng.below(height - (upright ? length : depth) + 1);
  for (const auto& cell : is_line ? line : tee) {
    const int64_t along = cell[0], across = flipped ? depth - 1 - cell[1] : cell[1];
    const int32_t node = upright ? at(left + across, top + along) : at(left + along, top + across);
    sketch.mark(node, options.labels, 0);
  }
}

void draw_house(const GenerateOptions&, int64_t nodes, DrawnClasses classes, core::Rng& rng, GraphSketch& sketch) {
  const auto rest = static_cast<int32_t>(nodes - kHouseNodes);
  // A tree that grows at the ends of random edges, so that nodes with many edges get more (Barabasi-Albert).
  std::vector<int32_t> parent;
  for (int32_t v = 0; v < rest; ++v) {
    sketch.add_node(kNoLabel, -1);
    const auto end = v < 2 ? 0 : static_cast<int32_t>(1 + rng.below(v - 1));
    parent.push_back(end > 0 && rng.chance(0.5) ? parent[static_cast<std::size_t>(end)] : end);
    if (v > 0) sketch.pairs.push_back(number_of_pair(parent.back(), v));
  }
  // Up to two triangles in any class, so that a house is not known by its triangle alone.
  for (const int32_t i : distinct_nodes(rng.below(3), rest - 2, rng)) {
    const int32_t v = i + 2, above = parent[static_cast<std::size_t>(v)];
    sketch.pairs.push_back(number_of_pair(above == 0 ? 1 : parent[static_cast<std::size_t>(above)], v));
  }
  pairs_to_edges(sketch);

  // The ring of five; its second and last node are joined in a house. As in plant_pair, two nodes of the rest lend
  // their ends, so that the number of edges and the degrees are the same in both classes. They and the third one, by
  // which the ring hangs on the tree, have no edge among them: no other house can come about through the ties.
  for (int32_t i = 0; i < kHouseNodes; ++i) sketch.add_node(kNoLabel, 0);
  for (int32_t i = 0; i < kHouseNodes; ++i) sketch.join(rest + i, rest + (i + 1) % kHouseNodes);
  std::vector<int32_t> ends;
  do {
    ends = distinct_nodes(3, rest, rng);
  } while (!is_free(sketch.pairs, ends[0], ends[1]) || !is_free(sketch.pairs, ends[0], ends[2]) ||
           !is_free(sketch.pairs, ends[1], ends[2]));
  const bool is_house = classes.first == 1;
  const int32_t u = rest + 1, v = rest + 4;
  sketch.join(u, is_house ? v : ends[0]);
  sketch.join(ends[1], is_house ? ends[0] : v);
  constexpr int32_t others[] = {0, 2, 3};
  sketch.join(rest + others[rng.below(3)], ends[2]);
}

}  // namespace dotin::data
