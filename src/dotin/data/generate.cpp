#include "dotin/data/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/core/registry.h"
#include "dotin/data/generate_kinds.h"

namespace dotin::data {

namespace {

/// Two classes per graph, one per task. Graphs 2p and 2p + 1 differ in both, and four in a row have all combinations,
/// so that every prefix is balanced; which of them comes first is drawn.
DrawnClasses classes_of_graph(uint64_t seed, int64_t graph) {
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

// Options that not every kind has. A degree is that of a connected graph, unless it is the class that it decides.
constexpr unsigned kDegree = 1, kLabels = 2, kRadius = 4, kDensity = 8;

using Draw = void (*)(const GenerateOptions&, int64_t nodes, DrawnClasses, core::Rng&, GraphSketch&);

struct Kind {
  Draw draw;
  unsigned has;        // of kDegree, kLabels, kRadius, kDensity
  int64_t nodes;       // where none are asked for; a tenth of the smallest graph then holds what few nodes decide
  int64_t least_rest;  // irrelevant nodes of the smallest graph
  int64_t planted;     // nodes that decide, at most, per task
  int32_t least_tasks, most_tasks;
  std::string decides, truth, same;  // see GeneratedKind
};

/// All there is to know of a kind apart from its drawing stands here, and only here.
const core::Registry<Kind>& kinds() {
  static const core::Registry<Kind> registry(
      "kind of generated data",
      {{"motif",
        {draw_motif, kDegree | kLabels, 60, 8, kMotifNodes, 1, 2,
         "four nodes of a rare label are joined in a ring, or in two pairs", "the four, per task",
         "labels, number of edges, ties to the rest"}},
       {"random",
        {draw_random, kDegree | kDensity | kLabels, 60, 8, 0, 1, 1, "the average degree: low or high, no node alone",
         "", "labels"}},
       {"grid",
        {draw_grid, kLabels, 60, 12, kMotifNodes, 1, 1, "four nodes of a rare label on a grid form a line, or a T",
         "the four", "labels, edges among the four"}},
       {"counts",
        {draw_counts, kDegree | kLabels, 80, 8, 4, 1, 1, "there are two nodes of a rare label, or four",
         "the two or four", "everything but the rare label"}},
       {"adjacent",
        {draw_adjacent, kDegree | kLabels, 60, 8, 2, 1, 1,
         "two nodes of a rare label have no edge between them, or one", "the two",
         "labels, number of edges, all degrees"}},
       {"product",
        {draw_product, kDegree | kLabels, 60, 8, 2, 1, 1,
         "the attributes of two nodes of a rare label have a product below 0, or above", "the two",
         "everything but the two signs together: each alone is chance"}},
       {"triangle",
        {draw_triangle, kDegree | kLabels, 60, 8, 3, 1, 1,
         "three nodes of a rare label are joined in a path, or in a triangle", "the three",
         "labels, number of edges, all degrees"}},
       {"house",
        {draw_house, 0, 100, 8, kHouseNodes, 1, 1,
         "a ring of five on a random tree has no chord, or one (a house); no labels at all", "the five",
         "number of edges, all degrees"}},
       {"needle",
        {draw_needle, kDegree | kLabels, 1000, 8, 4, 1, 1, "four nodes have one of two rare labels: which", "the four",
         "everything but the two rare labels"}},
       {"edges",
        {draw_edges, kDegree | kLabels, 80, 8, kMotifNodes, 1, 1,
         "the edge labels round a ring of four nodes of a rare label: 0 1 0 1, or 0 0 1 1", "the four",
         "structure, node labels, number of each edge label"}},
       {"two_patterns",
        {draw_two_patterns, kDegree | kLabels, 180, 8, 9, 1, 1,
         "of three groups of three nodes of a rare label one is a triangle and two are paths, or the other way round",
         "the nine", "labels, number of edges, all degrees, that a triangle or a path is there"}},
       {"surroundings",
        {draw_surroundings, kLabels | kRadius, 26, 8, kMostSurroundings, 1, 1,
         "what a centre has round it, 1 to 3 hops: one of two ways to label the same tree", "the tree: 5, 7 or 8 nodes",
         "number of edges, all degrees, number of each label"}},
       {"two_tasks",
        {draw_two_tasks, kDegree | kLabels, 120, 8, 3, 2, 2,
         "two targets: label as in counts, label2 as in adjacent with another rare label",
         "two or four for label, another two for label2", "as in counts and adjacent; neither tells the other"}},
       {"vote",
        {draw_vote, kDegree, 60, 8, 0, 1, 1, "which of two labels more nodes have; every node counts a little", "",
         "structure"}}});
  return registry;
}

std::string kinds_that_have(unsigned option) {
  std::vector<std::string> names;
  for (const std::string& name : kinds().names()) {
    if ((kinds().get(name).has & option) != 0) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_left_out(const std::string& name, const Kind& kind, unsigned option, const char* option_name, bool asked) {
  if (asked && (kind.has & option) == 0)
    core::fail_usage("{} has no {} to choose: leave that out; kinds that have it: {}", name, option_name,
                     kinds_that_have(option));
}

/// Written so that NaN is refused.
void check_degree(const std::string& name, const Kind& kind, const GenerateOptions& options, const SizeRange& range) {
  if ((kind.has & kDensity) != 0) {
    const double most = std::floor(static_cast<double>(range.low - 2) * 2 / 3);
    if (!(options.degree > 0 && options.degree <= most))
      core::fail_usage(
          "{} graphs of {} nodes on average need a degree above 0 and up to {} (3/2 of it must fit the smallest "
          "graph), got {}",
          name, options.nodes, most, options.degree);
    return;
  }
  const int64_t most = range.low - kind.planted * options.tasks - 2;
  if (!(options.degree >= 2.5 && options.degree <= static_cast<double>(most)))
    core::fail_usage(
        "{} graphs of {} nodes on average need a degree from 2.5 (the irrelevant part is connected) to {} (all but "
        "joined in the smallest graph), got {}",
        name, options.nodes, most, options.degree);
}

void check_tasks(const std::string& name, const Kind& kind, int32_t tasks) {
  if (tasks >= 1 && tasks <= kind.most_tasks) return;
  std::string has = std::to_string(kind.most_tasks);
  if (kind.least_tasks < kind.most_tasks) has = fmt::format("{} or {}", kind.least_tasks, kind.most_tasks);
  core::fail_usage("{} tasks asked for: {} has {}", tasks, name, has);
}

/// Fills in what the kind decides, and returns the sizes to draw from.
SizeRange check_options(const std::string& name, const Kind& kind, GenerateOptions& options) {
  constexpr int64_t most_nodes = std::numeric_limits<int32_t>::max();
  const GenerateOptions untouched;
  check_left_out(name, kind, kDegree, "degree", options.degree != untouched.degree);
  check_left_out(name, kind, kLabels, "labels", options.labels != untouched.labels);
  check_left_out(name, kind, kRadius, "radius", options.radius != untouched.radius);
  if (options.graphs < 1) core::fail_usage("{} graphs asked for: at least 1", options.graphs);
  const int32_t least_labels = (kind.has & kRadius) != 0 ? 3 : 1;
  if (options.labels < least_labels || options.labels > 1'000'000)
    core::fail_usage("{} labels asked for: from {} to 1000000", options.labels, least_labels);
  if (options.radius < 0 || options.radius > 3)
    core::fail_usage("radius {} asked for: from 1 to 3, or 0 to draw it from the seed", options.radius);
  check_tasks(name, kind, options.tasks);
  options.tasks = std::max(options.tasks, kind.least_tasks);
  if (options.nodes == 0) options.nodes = kind.nodes;
  if (options.nodes > most_nodes)
    core::fail_usage("{} nodes a graph asked for: a dataset holds at most {}", options.nodes, most_nodes);
  const int64_t least = kind.least_rest + kind.planted * options.tasks;
  if (options.nodes < least)
    core::fail_usage("{}{} needs at least {} nodes a graph on average, got {}", name,
                     options.tasks > kind.least_tasks ? fmt::format(" with {} tasks", options.tasks) : "", least,
                     options.nodes);
  const SizeRange range = size_range(options.nodes, least);
  if ((kind.has & kDegree) != 0) check_degree(name, kind, options, range);
  // A grid is rounded to whole rows: by less than half of one.
  const int64_t largest = range.high + static_cast<int64_t>(std::sqrt(static_cast<double>(range.high)));
  if (options.graphs > most_nodes / largest)
    core::fail_usage("{} graphs of up to {} nodes asked for: a dataset holds at most {} nodes", options.graphs, largest,
                     most_nodes);
  return range;
}

/// Only the values that occur, as a reader of the same data from a file would find them.
io::LabelColumn label_column(std::vector<int32_t> labels) {
  const int32_t largest = *std::max_element(labels.begin(), labels.end());
  std::vector<int32_t> code(static_cast<std::size_t>(largest) + 1, -1);
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

/// What is gathered over the graphs, node by node and edge by edge, beside what the records hold already.
struct Columns {
  std::vector<int32_t> labels, edge_labels;
  std::vector<float> attributes;
  std::vector<std::vector<uint8_t>> relevant;  // per task, or none
};

/// Appends a graph whose node i becomes node order[i] of it.
void append(const GraphSketch& sketch, const std::vector<int32_t>& order, io::Records& records, Columns& columns) {
  const auto first = static_cast<std::size_t>(records.nodes());
  const std::size_t total = first + order.size();
  columns.labels.resize(total);
  if (!sketch.attributes.empty()) columns.attributes.resize(total);
  for (auto& marks : columns.relevant) marks.resize(total, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t node = first + static_cast<std::size_t>(order[i]);
    columns.labels[node] = sketch.labels[i];
    if (!sketch.attributes.empty()) columns.attributes[node] = sketch.attributes[i];
    const int32_t task = sketch.planted_for[i];
    if (task >= 0) columns.relevant[static_cast<std::size_t>(task)][node] = 1;
  }
  for (const auto& [from, to] : sketch.edges) {
    records.edge_from.push_back(static_cast<int32_t>(first) + order[static_cast<std::size_t>(from)]);
    records.edge_to.push_back(static_cast<int32_t>(first) + order[static_cast<std::size_t>(to)]);
  }
  columns.edge_labels.insert(columns.edge_labels.end(), sketch.edge_labels.begin(), sketch.edge_labels.end());
  records.node_offsets.push_back(static_cast<int64_t>(total));
}

}  // namespace

std::vector<std::string> generated_kinds() { return kinds().names(); }

std::vector<GeneratedKind> described_kinds() {
  std::vector<GeneratedKind> described;
  for (const std::string& name : kinds().names()) {
    const Kind& kind = kinds().get(name);
    described.push_back({name, kind.decides, kind.truth, kind.same, kind.nodes});
  }
  return described;
}

io::Records generate(const std::string& kind_name, const GenerateOptions& asked, core::Progress& progress) {
  const Kind& kind = kinds().get(kind_name);
  GenerateOptions options = asked;
  const SizeRange range = check_options(kind_name, kind, options);
  const auto tasks = static_cast<std::size_t>(options.tasks);
  const bool has_truth = kind.planted > 0;

  io::Records records;
  records.name = kind_name;
  Columns columns;
  columns.relevant.resize(has_truth ? tasks : 0);
  std::vector<std::vector<double>> classes(tasks);
  GraphSketch sketch;
  std::vector<int32_t> order;
  const int64_t report_every = std::max<int64_t>(1, options.graphs / 200);
  for (int64_t g = 0; g < options.graphs; ++g) {
    const DrawnClasses drawn = classes_of_graph(options.seed, g);
    core::Rng rng({options.seed, static_cast<uint64_t>(g), 0});
    sketch.clear();
    kind.draw(options, range.draw(rng), drawn, rng, sketch);
    order.resize(sketch.labels.size());
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    append(sketch, order, records, columns);
    classes[0].push_back(drawn.first);
    if (tasks > 1) classes[1].push_back(drawn.second);
    if ((g + 1) % report_every == 0 || g + 1 == options.graphs) progress.update(g + 1, options.graphs, "graphs");
  }

  if (columns.labels.front() != kNoLabel) records.node_labels.push_back(label_column(std::move(columns.labels)));
  if (!columns.edge_labels.empty()) records.edge_labels.push_back(label_column(std::move(columns.edge_labels)));
  if (!columns.attributes.empty()) records.node_attributes = {1, std::move(columns.attributes)};
  for (std::size_t task = 0; task < tasks; ++task) {
    const std::string name = task == 0 ? io::kLabelTarget : "label2";
    records.targets.push_back({name, 1, std::move(classes[task]), {}});
    if (has_truth) records.relevant.push_back({name, std::move(columns.relevant[task])});
  }
  return records;
}

}  // namespace dotin::data
