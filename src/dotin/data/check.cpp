#include "dotin/data/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "dotin/core/random.h"
#include "dotin/data/features.h"
#include "dotin/data/splits.h"

namespace dotin::data {

namespace {

/// Enough to carry a difference across a molecule; what 1-WL can tell apart shows after two or three rounds in
/// practice.
constexpr int kDuplicateRounds = 8;
constexpr std::size_t kMostExamples = 5;

/// The target "label" where its values name classes: text, or whole numbers. Measured values are none.
const io::Target* class_target(const Dataset& dataset) {
  for (const io::Target& target : dataset.targets) {
    if (target.name != io::kLabelTarget || target.width != 1) continue;
    const bool whole = std::all_of(target.values.begin(), target.values.end(),
                                   [](double value) { return std::isnan(value) || value == std::floor(value); });
    return !target.names.empty() || whole ? &target : nullptr;
  }
  return nullptr;
}

uint64_t hash_text(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

uint64_t hash_number(float number) {
  if (number == 0) number = 0;  // -0 and 0 are equal
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// What a node is by itself: its label values and attributes, not the codes, which another dataset would number
/// differently.
uint64_t hash_node(const Dataset& dataset, int64_t node) {
  uint64_t hash = 0;
  for (const io::LabelColumn& column : dataset.node_labels) {
    const int32_t code = column.codes[static_cast<std::size_t>(node)];
    hash = core::mix(hash, hash_text(column.values[static_cast<std::size_t>(code)]));
  }
  const int64_t columns = dataset.node_attributes.columns;
  for (int64_t c = 0; c < columns; ++c) {
    hash = core::mix(hash, hash_number(dataset.node_attributes.values[static_cast<std::size_t>(node * columns + c)]));
  }
  return hash;
}

/// Sets of at least two graphs with the same hash, each sorted, in the order of their first members.
std::vector<std::vector<int64_t>> equal_graphs(const Dataset& dataset) {
  std::vector<std::pair<uint64_t, int64_t>> hashes;
  hashes.reserve(static_cast<std::size_t>(dataset.graphs()));
  for (int64_t g = 0; g < dataset.graphs(); ++g) {
    validate_graph(dataset, g);
    hashes.emplace_back(weisfeiler_lehman_hash(dataset, dataset.graph(g), kDuplicateRounds), g);
  }
  std::sort(hashes.begin(), hashes.end());
  std::vector<std::vector<int64_t>> sets;
  for (std::size_t begin = 0, end = 0; begin < hashes.size(); begin = end) {
    while (end < hashes.size() && hashes[end].first == hashes[begin].first) ++end;
    if (end - begin < 2) continue;
    sets.emplace_back();
    for (std::size_t i = begin; i < end; ++i) sets.back().push_back(hashes[i].second);
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

}  // namespace

Summary summarize(const Dataset& dataset) {
  Summary summary;
  summary.name = dataset.name;
  summary.graphs = dataset.graphs();
  summary.nodes = dataset.nodes();
  summary.directed_edges = dataset.directed_edges();
  summary.self_loops = dataset.self_loops;
  summary.duplicate_edges = dataset.duplicate_edges;
  if (summary.graphs > 0) {
    const auto graphs = static_cast<double>(summary.graphs);
    summary.avg_nodes = static_cast<double>(summary.nodes) / graphs;
    summary.avg_edges = static_cast<double>(summary.directed_edges) / 2 / graphs;
    summary.min_nodes = dataset.graph(0).nodes;
  }
  for (int64_t g = 0; g < summary.graphs; ++g) {
    const GraphView graph = dataset.graph(g);
    summary.min_nodes = std::min<int64_t>(summary.min_nodes, graph.nodes);
    summary.max_nodes = std::max<int64_t>(summary.max_nodes, graph.nodes);
    summary.graphs_without_edges += graph.directed_edges() == 0 ? 1 : 0;
    for (int32_t node = 0; node < graph.nodes; ++node) {
      const int64_t degree = graph.degree(node);
      summary.max_degree = std::max(summary.max_degree, degree);
      summary.isolated_nodes += degree == 0 ? 1 : 0;
    }
  }
  if (const io::Target* target = class_target(dataset)) {
    const Classes classes = classes_of(*target);
    summary.class_names = classes.names;
    summary.class_sizes.assign(classes.names.size(), 0);
    for (const int32_t of_graph : classes.of_graph) {
      if (of_graph >= 0) ++summary.class_sizes[static_cast<std::size_t>(of_graph)];
    }
  }
  for (const io::LabelColumn& column : dataset.node_labels) {
    summary.label_values.push_back(static_cast<int64_t>(column.values.size()));
  }
  summary.attribute_columns = dataset.node_attributes.columns;
  summary.edge_label_columns = static_cast<int64_t>(dataset.edge_labels.size());
  summary.edge_attribute_columns = dataset.edge_attributes.columns;
  // The view does not outlive this call, so it need not own the dataset.
  const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const Dataset>(), &dataset);
  summary.node_features = fit_features(View(borrowed), FeatureOptions{}).width();
  for (const io::Target& target : dataset.targets) summary.targets.push_back(target.name);
  return summary;
}

uint64_t weisfeiler_lehman_hash(const Dataset& dataset, const GraphView& graph, int rounds) {
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  std::vector<uint64_t> colours(nodes), next(nodes);
  for (std::size_t i = 0; i < nodes; ++i) colours[i] = hash_node(dataset, graph.first_node + static_cast<int64_t>(i));
  // A sum of well mixed words stands for a multiset: it does not depend on the order, and needs no sorting.
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t& colour : colours) colour = core::mix(colour, 0x5bd1e995);
    for (std::size_t i = 0; i < nodes; ++i) {
      uint64_t around = 0;
      for (const int32_t j : graph.neighbours(static_cast<int32_t>(i))) around += colours[static_cast<std::size_t>(j)];
      next[i] = core::mix(colours[i], around);
    }
    colours.swap(next);
  }
  uint64_t sum = 0;
  for (const uint64_t colour : colours) sum += core::mix(colour, 0x9747b28c);
  return core::mix(sum, nodes);
}

DuplicateReport find_duplicates(const Dataset& dataset, int64_t folds, uint64_t seed) {
  const auto graphs = static_cast<std::size_t>(dataset.graphs());
  std::vector<int32_t> classes(graphs, -1);
  if (const io::Target* target = class_target(dataset)) classes = classes_of(*target).of_graph;

  DuplicateReport report;
  std::vector<int64_t> fold_of(graphs, 0);
  folds = std::min(folds, dataset.graphs());
  if (folds >= 2) {
    report.folds = folds;
    const auto dealt = stratified_folds(classes, folds, seed);
    for (std::size_t f = 0; f < dealt.size(); ++f) {
      for (const int64_t g : dealt[f]) fold_of[static_cast<std::size_t>(g)] = static_cast<int64_t>(f);
    }
  }
  for (auto& set : equal_graphs(dataset)) {
    ++report.groups;
    report.graphs += static_cast<int64_t>(set.size());
    const auto all_alike = [&set](const auto& values) {
      return std::all_of(set.begin(), set.end(), [&](int64_t g) {
        return values[static_cast<std::size_t>(g)] == values[static_cast<std::size_t>(set.front())];
      });
    };
    if (!all_alike(classes)) report.conflicting += static_cast<int64_t>(set.size());
    // Spread over two folds or more, every member has an equal one outside its own.
    if (!all_alike(fold_of)) report.straddling += static_cast<int64_t>(set.size());
    if (report.examples.size() < kMostExamples) report.examples.push_back(std::move(set));
  }
  return report;
}

}  // namespace dotin::data
