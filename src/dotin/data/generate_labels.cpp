#include <cmath>
#include <vector>

#include "dotin/data/generate_kinds.h"

namespace dotin::data {

namespace {

/// Drawn before anything is planted, so that the structure knows nothing of the class.
void add_graph(const GenerateOptions& options, int64_t nodes, int32_t labels, core::Rng& rng, GraphSketch& sketch) {
  add_connected_rest(sketch, nodes, edges_of_degree(nodes, options.degree), labels, rng);
}

}  // namespace

std::vector<int32_t> plant_label(GraphSketch& sketch, int32_t task, int64_t count, int32_t label, core::Rng& rng) {
  std::vector<int32_t> planted = distinct_nodes(count, sketch.nodes(), rng);
  for (const int32_t node : planted) sketch.mark(node, label, task);
  return planted;
}

void draw_random(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch) {
  add_random_nodes(sketch, nodes, options.labels, rng);
  // The class follows from the numbers of nodes and edges exactly: an average degree above the middle, or not.
  const auto middle = static_cast<int64_t>(std::floor(static_cast<double>(nodes) * options.degree / 2));
  const int64_t half = middle / 2;
  const int64_t edges = classes.first == 1 ? middle + 1 + rng.below(half + 1) : middle - rng.below(half + 1);
  add_random_pairs(sketch.pairs, nodes, edges, rng);
  pairs_to_edges(sketch);
}

void draw_counts(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch) {
  add_graph(options, nodes, options.labels, rng, sketch);
  plant_label(sketch, 0, classes.first == 0 ? 2 : 4, options.labels, rng);
}

void draw_needle(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                 GraphSketch& sketch) {
  add_graph(options, nodes, options.labels, rng, sketch);
  plant_label(sketch, 0, kMotifNodes, options.labels + classes.first, rng);
}

void draw_product(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
                  GraphSketch& sketch) {
  add_graph(options, nodes, options.labels, rng, sketch);
  const auto sign = [&rng] { return rng.chance(0.5) ? 1.0 : -1.0; };
  const auto attribute = [&rng](double sign_of_it) { return static_cast<float>(sign_of_it * (0.5 + rng.uniform())); };
  for (int64_t i = 0; i < nodes; ++i) sketch.attributes.push_back(attribute(sign()));
  const double first = sign(), second = classes.first == 1 ? first : -first;
  const std::vector<int32_t> planted = plant_label(sketch, 0, 2, options.labels, rng);
  sketch.attributes[static_cast<std::size_t>(planted[0])] = attribute(first);
  sketch.attributes[static_cast<std::size_t>(planted[1])] = attribute(second);
}

void draw_vote(const GenerateOptions& options, int64_t nodes, DrawnClasses classes, core::Rng& rng,
               GraphSketch& sketch) {
  add_graph(options, nodes, 1, rng, sketch);
  const int64_t winners = nodes / 2 + 1 + rng.below(nodes / 4 + 1);
  for (int64_t i = 0; i < nodes; ++i) {
    sketch.labels[static_cast<std::size_t>(i)] = i < winners ? classes.first : 1 - classes.first;
  }
  rng.shuffle(sketch.labels);
}

}  // namespace dotin::data
