#include <vector>

#include "dotin/data/generate_kinds.h"

namespace dotin::data {

namespace {

/// The four nodes that decide a class, all with one label: joined in a ring (0) or in two pairs (1), and each tied to
/// the rest by one or two edges, so that the rest sees the same of them in both classes.
void plant_motif(GraphSketch& sketch, int32_t task, int32_t class_of_task, int32_t rest, int32_t label,
                 core::Rng& rng) {
  const int32_t first = sketch.nodes();
  for (int32_t i = 0; i < kMotifNodes; ++i) {
    const int32_t node = sketch.add_node(label, task);
    const bool joined_to_next = class_of_task == 0 || i % 2 == 0;
    if (joined_to_next) sketch.join(node, first + (i + 1) % kMotifNodes);
    tie_to_rest(sketch, node, rest, rng);
  }
}

/// A ring has two edges more than two pairs: the irrelevant part makes up for it, so that the number of edges does not
/// tell the classes apart.
int64_t edges_to_balance(int32_t class_of_task) { return class_of_task == 0 ? -1 : 1; }

/// Two nodes u and v, joined or not; a third one, if asked for, is joined to both. A pair a, b of the rest without an
/// edge lends its ends: there are the edges u-v and a-b, or u-a and v-b. So the number of edges and the degree of every
/// node are the same either way.
void plant_pair(GraphSketch& sketch, int32_t task, bool joined, bool with_third, int32_t rest, int32_t label,
                core::Rng& rng) {
  const auto [a, b] = take_free_pair(sketch.pairs, rest, rng);
  const int32_t u = sketch.add_node(label, task), v = sketch.add_node(label, task);
  sketch.join(u, joined ? v : a);
  sketch.join(b, joined ? a : v);
  tie_to_rest(sketch, u, rest, rng, a);
  tie_to_rest(sketch, v, rest, rng, b);
  if (!with_third) return;
  const int32_t third = sketch.add_node(label, task);
  sketch.join(third, u);
  sketch.join(third, v);
  tie_to_rest(sketch, third, rest, rng);
}

/// The irrelevant part of a graph in which `planted` nodes are still to come. Returns its size.
int32_t add_rest(const GenerateOptions& options, int64_t nodes, int64_t planted, core::Rng& rng, GraphSketch& sketch) {
  const int64_t rest = nodes - planted;
  add_connected_rest(sketch, rest, edges_of_degree(rest, options.degree), options.labels, rng);
  return static_cast<int32_t>(rest);
}

}  // namespace

void draw_motif(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                GraphSketch& sketch) {
  const bool two = options.tasks > 1;
  const int64_t rest = nodes - kMotifNodes * options.tasks;
  const int64_t edges = edges_of_degree(rest, options.degree) + edges_to_balance(classes.first) +
                        (two ? edges_to_balance(classes.second) : 0);
  add_connected_rest(sketch, rest, edges, options.labels, rng);
  const auto ties = static_cast<int32_t>(rest);
  plant_motif(sketch, 0, classes.first, ties, options.labels, rng);
  if (two) plant_motif(sketch, 1, classes.second, ties, options.labels + 1, rng);
}

void draw_adjacent(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                   GraphSketch& sketch) {
  const int32_t rest = add_rest(options, nodes, 2, rng, sketch);
  plant_pair(sketch, 0, classes.first == 1, false, rest, options.labels, rng);
}

void draw_triangle(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                   GraphSketch& sketch) {
  const int32_t rest = add_rest(options, nodes, 3, rng, sketch);
  plant_pair(sketch, 0, classes.first == 1, true, rest, options.labels, rng);
}

void draw_two_patterns(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                       GraphSketch& sketch) {
  const int32_t rest = add_rest(options, nodes, 9, rng, sketch);
  const int32_t triangles = classes.first == 1 ? 2 : 1;
  for (int32_t i = 0; i < 3; ++i) plant_pair(sketch, 0, i < triangles, true, rest, options.labels, rng);
}

void draw_two_tasks(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                    GraphSketch& sketch) {
  const int32_t rest = add_rest(options, nodes, 2, rng, sketch);
  plant_label(sketch, 0, classes.first == 0 ? 2 : 4, options.labels, rng);
  plant_pair(sketch, 1, classes.second == 1, false, rest, options.labels + 1, rng);
}

void draw_edges(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                GraphSketch& sketch) {
  const int32_t rest = add_rest(options, nodes, kMotifNodes, rng, sketch);
  std::vector<std::size_t> ring;
  for (int32_t i = 0; i < kMotifNodes; ++i) {
    const int32_t node = sketch.add_node(options.labels, 0);
    ring.push_back(sketch.edges.size());
    sketch.join(node, rest + (i + 1) % kMotifNodes);
    tie_to_rest(sketch, node, rest, rng);
  }
  for (std::size_t e = 0; e < sketch.edges.size(); ++e)
    sketch.edge_labels.push_back(static_cast<int32_t>(rng.below(2)));
  // Two edges of each label either way: 0 1 0 1 round the ring, or 0 0 1 1.
  for (std::size_t i = 0; i < ring.size(); ++i) {
    sketch.edge_labels[ring[i]] = static_cast<int32_t>(classes.first == 0 ? i % 2 : i / 2);
  }
}

}  // namespace dotin::data
