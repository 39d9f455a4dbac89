#include "dotin/data/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/core/registry.h"

namespace dotin::data {

namespace {

constexpr int32_t kMotifNodes = 4;
constexpr int64_t kLeastIrrelevant = 8;
constexpr int64_t kLeastGridSide = 4;

/// One graph before its nodes are shuffled. Kept between graphs to reuse its memory.
struct Sketch {
  std::vector<int32_t> labels;       // per node
  std::vector<int32_t> planted_for;  // per node: the task it was planted for, or -1
  std::vector<std::pair<int32_t, int32_t>> edges;
  std::vector<int64_t> pairs;  // scratch

  void clear() {
    labels.clear();
    planted_for.clear();
    edges.clear();
    pairs.clear();
  }
  int32_t nodes() const { return static_cast<int32_t>(labels.size()); }
  int32_t add_node(int32_t label, int32_t task) {
    labels.push_back(label);
    planted_for.push_back(task);
    return nodes() - 1;
  }
};

/// Two classes per graph, one per task. Graphs 2p and 2p + 1 differ in both, and four in a row have all combinations,
/// so that every prefix is balanced; which of them comes first is drawn.
std::pair<int32_t, int32_t> classes_of_graph(uint64_t seed, int64_t graph) {
  const auto g = static_cast<uint64_t>(graph);
  const auto first = static_cast<int32_t>((core::Rng({seed, g / 2, 1}).bits() ^ g) & 1);
  const auto differ = static_cast<int32_t>((core::Rng({seed, g / 4, 2}).bits() ^ (g >> 1)) & 1);
  return {first, first ^ differ};
}

struct SizeRange {
  int64_t low, high;
  int64_t draw(core::Rng& rng) const { return low + rng.below(high - low + 1); }
};

/// [nodes/2, 3 nodes/2], cut on both sides alike where the lower end would be below `least`: the average stays.
SizeRange size_range(int64_t nodes, int64_t least) {
  const int64_t low = std::max(nodes - nodes / 2, least);
  return {low, 2 * nodes - low};
}

int64_t pair_count(int64_t nodes) { return nodes * (nodes - 1) / 2; }

/// Pair u < v of 0 .. v <-> its number in the order (0,1), (0,2), (1,2), (0,3), ...
int64_t number_of_pair(int64_t u, int64_t v) { return pair_count(v) + u; }

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

/// Adds uniformly drawn pairs of `nodes` nodes to the distinct ones in `pairs` until there are `wanted`.
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

void add_random_nodes(Sketch& sketch, int64_t nodes, int32_t labels, core::Rng& rng) {
  for (int64_t i = 0; i < nodes; ++i) sketch.add_node(static_cast<int32_t>(rng.below(labels)), -1);
}

void pairs_to_edges(Sketch& sketch) {
  for (const int64_t pair : sketch.pairs) sketch.edges.push_back(pair_of_number(pair));
}

/// The four nodes that decide a class, all with one label: joined in a ring (0) or in two pairs (1), and each tied to
/// the rest by one or two edges, so that the rest sees the same of them in both classes.
void plant_motif(Sketch& sketch, int32_t task, int32_t class_of_task, int32_t irrelevant, int32_t label,
                 core::Rng& rng) {
  const int32_t first = sketch.nodes();
  for (int32_t i = 0; i < kMotifNodes; ++i) {
    const int32_t node = sketch.add_node(label, task);
    const bool joined_to_next = class_of_task == 0 || i % 2 == 0;
    if (joined_to_next) sketch.edges.emplace_back(node, first + (i + 1) % kMotifNodes);
    const auto tie = static_cast<int32_t>(rng.below(irrelevant));
    sketch.edges.emplace_back(node, tie);
    if (rng.chance(0.5)) {
      const auto skip = static_cast<int32_t>(1 + rng.below(irrelevant - 1));
      sketch.edges.emplace_back(node, (tie + skip) % irrelevant);
    }
  }
}

// Each kind has a check of its options, which returns the sizes to draw from, and a function that draws one graph.
using Check = SizeRange (*)(const GenerateOptions&);
using Draw = void (*)(const GenerateOptions&, int64_t nodes, std::pair<int32_t, int32_t> classes, core::Rng&, Sketch&);

SizeRange check_motif(const GenerateOptions& options) {
  const int64_t planted = kMotifNodes * options.tasks;
  const int64_t least = kLeastIrrelevant + planted;
  if (options.nodes < least)
    core::fail_usage("motif with {} task(s) needs at least {} nodes a graph on average, got {}", options.tasks, least,
                     options.nodes);
  const SizeRange range = size_range(options.nodes, least);
  const int64_t most = range.low - planted - 2;
  if (!(options.degree >= 2.5 && options.degree <= static_cast<double>(most)))
    core::fail_usage(
        "motif graphs of {} nodes on average need a degree from 2.5 (the irrelevant part is connected) to {} (all but "
        "joined in the smallest graph), got {}",
        options.nodes, most, options.degree);
  return range;
}

/// A ring has two edges more than two pairs: the irrelevant part makes up for it, so that the number of edges does not
/// tell the classes apart.
int64_t edges_to_balance(int32_t class_of_task) { return class_of_task == 0 ? -1 : 1; }

void draw_motif(const GenerateOptions& options, int64_t nodes, std::pair<int32_t, int32_t> classes, core::Rng& rng,
                Sketch& sketch) {
  const bool two = options.tasks > 1;
  const int64_t irrelevant = nodes - kMotifNodes * options.tasks;
  add_random_nodes(sketch, irrelevant, options.labels, rng);
  // A random tree first: no node without an edge, and no part that a message cannot reach.
  for (int64_t v = 1; v < irrelevant; ++v) sketch.pairs.push_back(number_of_pair(rng.below(v), v));
  const auto wanted = static_cast<int64_t>(std::llround(static_cast<double>(irrelevant) * options.degree / 2)) +
                      edges_to_balance(classes.first) + (two ? edges_to_balance(classes.second) : 0);
  add_random_pairs(sketch.pairs, irrelevant, wanted, rng);
  pairs_to_edges(sketch);

  const auto ties = static_cast<int32_t>(irrelevant);
  plant_motif(sketch, 0, classes.first, ties, options.labels, rng);
  if (two) plant_motif(sketch, 1, classes.second, ties, options.labels + 1, rng);
}

SizeRange check_random(const GenerateOptions& options) {
  if (options.nodes < kLeastIrrelevant)
    core::fail_usage("random needs at least {} nodes a graph on average, got {}", kLeastIrrelevant, options.nodes);
  const SizeRange range = size_range(options.nodes, kLeastIrrelevant);
  const double most = std::floor(static_cast<double>(range.low - 2) * 2 / 3);
  if (!(options.degree > 0 && options.degree <= most))
    core::fail_usage(
        "random graphs of {} nodes on average need a degree above 0 and up to {} (3/2 of it must fit the smallest "
        "graph), got {}",
        options.nodes, most, options.degree);
  return range;
}

void draw_random(const GenerateOptions& options, int64_t nodes, std::pair<int32_t, int32_t> classes, core::Rng& rng,
                 Sketch& sketch) {
  add_random_nodes(sketch, nodes, options.labels, rng);
  // The class follows from the numbers of nodes and edges exactly: an average degree above the middle, or not.
  const auto middle = static_cast<int64_t>(std::floor(static_cast<double>(nodes) * options.degree / 2));
  const int64_t half = middle / 2;
  const int64_t edges = classes.first == 1 ? middle + 1 + rng.below(half + 1) : middle - rng.below(half + 1);
  add_random_pairs(sketch.pairs, nodes, edges, rng);
  pairs_to_edges(sketch);
}

SizeRange check_grid(const GenerateOptions& options) {
  const int64_t least = kLeastGridSide * kLeastGridSide;
  if (options.nodes < least)
    core::fail_usage("grid needs at least {} nodes a graph on average, got {}", least, options.nodes);
  return size_range(options.nodes, least);
}

void draw_grid(const GenerateOptions& options, int64_t nodes, std::pair<int32_t, int32_t> classes, core::Rng& rng,
               Sketch& sketch) {
  const double stretch = std::exp2(rng.uniform() - 0.5);
  const int64_t width = std::clamp(static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(nodes)) * stretch)),
                                   kLeastGridSide, nodes / kLeastGridSide);
  const int64_t height = (nodes + width / 2) / width;
  add_random_nodes(sketch, width * height, options.labels, rng);
  const auto at = [width](int64_t x, int64_t y) { return static_cast<int32_t>(y * width + x); };
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      if (x + 1 < width) sketch.edges.emplace_back(at(x, y), at(x + 1, y));
      if (y + 1 < height) sketch.edges.emplace_back(at(x, y), at(x, y + 1));
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
    sketch.labels[static_cast<std::size_t>(node)] = options.labels;
    sketch.planted_for[static_cast<std::size_t>(node)] = 0;
  }
}

struct Kind {
  Check check;
  Draw draw;
  int32_t most_tasks;
  bool has_truth;
};

const core::Registry<Kind>& kinds() {
  static const core::Registry<Kind> registry("kind of generated data",
                                             {{"motif", {check_motif, draw_motif, 2, true}},
                                              {"random", {check_random, draw_random, 1, false}},
                                              {"grid", {check_grid, draw_grid, 1, true}}});
  return registry;
}

SizeRange check_options(const std::string& name, const Kind& kind, const GenerateOptions& options) {
  constexpr int64_t most_nodes = std::numeric_limits<int32_t>::max();
  if (options.graphs < 1) core::fail_usage("{} graphs asked for: at least 1", options.graphs);
  if (options.labels < 1 || options.labels > 1'000'000)
    core::fail_usage("{} labels asked for: from 1 to 1000000", options.labels);
  if (options.tasks < 1 || options.tasks > kind.most_tasks)
    core::fail_usage("{} tasks asked for: {} has {}", options.tasks, name, kind.most_tasks == 1 ? "1" : "1 or 2");
  if (options.nodes > most_nodes)
    core::fail_usage("{} nodes a graph asked for: a dataset holds at most {}", options.nodes, most_nodes);
  const SizeRange range = kind.check(options);
  // A grid is rounded to whole rows: by less than half of one.
  const int64_t largest = range.high + static_cast<int64_t>(std::sqrt(static_cast<double>(range.high)));
  if (options.graphs > most_nodes / largest)
    core::fail_usage("{} graphs of up to {} nodes asked for: a dataset holds at most {} nodes", options.graphs, largest,
                     most_nodes);
  return range;
}

/// Only the values that occur, as a reader of the same data from a file would find them.
io::LabelColumn label_column(std::vector<int32_t> labels, int32_t label_count) {
  std::vector<int32_t> code(static_cast<std::size_t>(label_count), -1);
  for (const int32_t label : labels) code[static_cast<std::size_t>(label)] = 0;
  io::LabelColumn column;
  column.name = "label";
  for (std::size_t label = 0; label < code.size(); ++label) {
    if (code[label] < 0) continue;
    code[label] = static_cast<int32_t>(column.values.size());
    column.values.push_back(std::to_string(label));
  }
  for (int32_t& label : labels) label = code[static_cast<std::size_t>(label)];
  column.codes = std::move(labels);
  return column;
}

}  // namespace

std::vector<std::string> generated_kinds() { return kinds().names(); }

io::Records generate(const std::string& kind_name, const GenerateOptions& options, core::Progress& progress) {
  const Kind& kind = kinds().get(kind_name);
  const SizeRange range = check_options(kind_name, kind, options);
  const auto tasks = static_cast<std::size_t>(options.tasks);

  io::Records records;
  records.name = kind_name;
  std::vector<int32_t> labels;
  std::vector<std::vector<uint8_t>> relevant(kind.has_truth ? tasks : 0);
  std::vector<std::vector<double>> classes(tasks);
  Sketch sketch;
  std::vector<int32_t> order;
  const int64_t report_every = std::max<int64_t>(1, options.graphs / 200);
  for (int64_t g = 0; g < options.graphs; ++g) {
    const auto drawn = classes_of_graph(options.seed, g);
    core::Rng rng({options.seed, static_cast<uint64_t>(g), 0});
    sketch.clear();
    kind.draw(options, range.draw(rng), drawn, rng, sketch);

    order.resize(sketch.labels.size());
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    const auto first = static_cast<std::size_t>(records.nodes());
    const std::size_t total = first + order.size();
    labels.resize(total);
    for (auto& marks : relevant) marks.resize(total, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t node = first + static_cast<std::size_t>(order[i]);
      labels[node] = sketch.labels[i];
      const int32_t task = sketch.planted_for[i];
      if (task >= 0) relevant[static_cast<std::size_t>(task)][node] = 1;
    }
    for (const auto& [from, to] : sketch.edges) {
      records.edge_from.push_back(static_cast<int32_t>(first) + order[static_cast<std::size_t>(from)]);
      records.edge_to.push_back(static_cast<int32_t>(first) + order[static_cast<std::size_t>(to)]);
    }
    records.node_offsets.push_back(static_cast<int64_t>(total));
    classes[0].push_back(drawn.first);
    if (tasks > 1) classes[1].push_back(drawn.second);
    if ((g + 1) % report_every == 0 || g + 1 == options.graphs) progress.update(g + 1, options.graphs, "graphs");
  }

  records.node_labels.push_back(label_column(std::move(labels), options.labels + options.tasks));
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::string name = task == 0 ? io::kLabelTarget : "label2";
    records.targets.push_back({name, 1, std::move(classes[task]), {}});
    if (kind.has_truth) records.relevant.push_back({name, std::move(relevant[task])});
  }
  return records;
}

}  // namespace dotin::data
