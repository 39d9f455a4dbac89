#include "dotin/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/registry.h"

namespace dotin::data {

GraphView Dataset::graph(int64_t index) const {
  const auto g = static_cast<std::size_t>(index);
  GraphView view;
  view.index = index;
  view.first_node = node_offsets[g];
  view.nodes = static_cast<int32_t>(node_offsets[g + 1] - node_offsets[g]);
  view.row_offsets =
      row_offsets.subspan(static_cast<std::size_t>(view.first_node), static_cast<std::size_t>(view.nodes) + 1);
  view.all_neighbours = neighbours.data();
  return view;
}

const io::Target& Dataset::target(const std::string& wanted) const {
  std::vector<std::string> names;
  for (const io::Target& candidate : targets) {
    if (candidate.name == wanted) return candidate;
    names.push_back(candidate.name);
  }
  if (names.empty())
    core::fail("{}: no target '{}': the data has no graph labels, graph attributes or targets at all", place(), wanted);
  core::fail("{}: no target '{}'{}; there are: {}", place(), wanted, core::suggestion(wanted, names),
             fmt::join(names, ", "));
}

namespace {

bool codes_have_values(const io::LabelColumn& column, int64_t from, int64_t to) {
  const std::size_t count = column.values.size();
  return std::all_of(column.codes.begin() + from, column.codes.begin() + to,
                     [&](int32_t code) { return static_cast<uint32_t>(code) < count; });
}

}  // namespace

void validate_graph(const Dataset& dataset, int64_t index) {
  DOTIN_ASSERT(index >= 0 && index < dataset.graphs());
  const GraphView graph = dataset.graph(index);
  const auto require = [&](bool good, const char* what) {
    DOTIN_CHECK(good, "{}: graph {} is damaged: {}; pack the data again", dataset.place(), index, what);
  };
  const core::Span<const int64_t> rows = graph.row_offsets;
  require(rows.front() >= 0 && rows.back() <= dataset.directed_edges() && std::is_sorted(rows.begin(), rows.end()),
          "its row offsets do not rise");

  // In the order of rows, the entries that name node j must be the entries of row j, one after the other: that each
  // edge has its mirror, in linear time.
  std::vector<int64_t> mirror(rows.begin(), rows.end());
  for (int32_t node = 0; node < graph.nodes; ++node) {
    int32_t previous = 0;
    for (const int32_t neighbour : graph.neighbours(node)) {
      require(neighbour >= 0 && neighbour < graph.nodes, "a neighbour is out of range");
      require(neighbour >= previous, "neighbours are not sorted");
      require(neighbour != node, "it has a self-loop");
      int64_t& next = mirror[static_cast<std::size_t>(neighbour)];
      require(next < rows[static_cast<std::size_t>(neighbour) + 1] && graph.all_neighbours[next] == node,
              "an edge has no mirror");
      ++next;
      previous = neighbour;
    }
  }
  for (const io::LabelColumn& column : dataset.node_labels) {
    require(codes_have_values(column, graph.first_node, graph.first_node + graph.nodes), "a node label has no value");
  }
  for (const io::LabelColumn& column : dataset.edge_labels) {
    require(codes_have_values(column, rows.front(), rows.back()), "an edge label has no value");
  }
}

Classes classes_of(const io::Target& target) {
  DOTIN_CHECK(target.width == 1, "target '{}' has {} columns, classes need one", target.name, target.width);
  std::vector<double> distinct;
  for (const double value : target.values) {
    if (!std::isnan(value)) distinct.push_back(value);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  Classes classes;
  for (const double value : distinct) {
    classes.names.push_back(target.names.empty() ? fmt::format("{}", value)
                                                 : target.names[static_cast<std::size_t>(value)]);
  }
  for (const double value : target.values) {
    const auto found = std::lower_bound(distinct.begin(), distinct.end(), value);
    classes.of_graph.push_back(std::isnan(value) ? -1 : static_cast<int32_t>(found - distinct.begin()));
  }
  return classes;
}

View::View(std::shared_ptr<const Dataset> dataset)
    : dataset_(std::move(dataset)), indices_(static_cast<std::size_t>(dataset_->graphs())) {
  std::iota(indices_.begin(), indices_.end(), int64_t{0});
}

View::View(std::shared_ptr<const Dataset> dataset, std::vector<int64_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
  for (const int64_t index : indices_) DOTIN_ASSERT(index >= 0 && index < dataset_->graphs());
}

View View::subset(const std::vector<int64_t>& positions) const {
  std::vector<int64_t> chosen;
  chosen.reserve(positions.size());
  for (const int64_t position : positions) chosen.push_back(indices_[static_cast<std::size_t>(position)]);
  return {dataset_, std::move(chosen)};
}

}  // namespace dotin::data
