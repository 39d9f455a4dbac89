#include "dotin/dataset.h"

#include <algorithm>
#include <cmath>

#include "dotin/api/graphs.h"
#include "dotin/core/error.h"
#include "dotin/data/dataset.h"
#include "dotin/data/open.h"
#include "dotin/data/splits.h"

namespace dotin {

namespace {

Dataset whole(data::Dataset dataset) {
  return Dataset(std::make_shared<const data::View>(std::make_shared<const data::Dataset>(std::move(dataset))));
}

/// The class of every graph of the dataset by its target "label"; all alike where it has none.
std::vector<int32_t> classes_of(const data::Dataset& dataset) {
  for (const io::Target& target : dataset.targets) {
    if (target.name == io::kLabelTarget && target.width == 1) return data::classes_of(target).of_graph;
  }
  return std::vector<int32_t>(static_cast<std::size_t>(dataset.graphs()), 0);
}

std::map<std::string, Target> targets_of(const data::Dataset& dataset, int64_t graph) {
  std::map<std::string, Target> targets;
  for (const io::Target& target : dataset.targets) {
    const double* const values = target.values.data() + graph * target.width;
    if (std::all_of(values, values + target.width, [](double value) { return std::isnan(value); })) continue;
    targets[target.name] = target.names.empty() ? Target(std::vector<double>(values, values + target.width))
                                                : Target(target.names[static_cast<std::size_t>(values[0])]);
  }
  return targets;
}

}  // namespace

int64_t Dataset::size() const { return view_->size(); }

const std::string& Dataset::name() const { return view_->dataset().name; }

Graph Dataset::operator[](int64_t index) const {
  DOTIN_CHECK(index >= 0 && index < size(), "{}: there is no graph {}; its {} graphs count from 0", name(), index,
              size());
  const data::Dataset& dataset = view_->dataset();
  const data::GraphView stored = view_->get(index);
  data::validate_graph(dataset, stored.index);
  Graph graph;
  if (!dataset.graph_ids.empty()) graph.id = dataset.graph_ids[static_cast<std::size_t>(stored.index)];
  graph.nodes = stored.nodes;
  const int64_t width = dataset.node_attributes.columns;
  for (const io::LabelColumn& column : dataset.node_labels) {
    std::vector<std::string>& labels = graph.labels.emplace_back();
    for (int64_t i = stored.first_node; i < stored.first_node + stored.nodes; ++i)
      labels.push_back(column.values[static_cast<std::size_t>(column.codes[static_cast<std::size_t>(i)])]);
  }
  for (int32_t i = 0; i < stored.nodes; ++i) {
    for (const int32_t j : stored.neighbours(i)) {
      if (i < j) graph.edges.emplace_back(i, j);
    }
    if (width == 0) continue;
    const float* const row = dataset.node_attributes.values.data() + (stored.first_node + i) * width;
    graph.attributes.emplace_back(row, row + width);
  }
  graph.targets = targets_of(dataset, stored.index);
  return graph;
}

Dataset Dataset::subset(const std::vector<int64_t>& places) const {
  for (const int64_t place : places)
    DOTIN_CHECK(place >= 0 && place < size(), "{}: there is no graph {}; its {} graphs count from 0", name(), place,
                size());
  return Dataset(std::make_shared<const data::View>(view_->subset(places)));
}

std::pair<Dataset, Dataset> Dataset::split(double test, uint64_t seed) const {
  DOTIN_CHECK(test > 0 && test < 1, "{}: the test share must be above 0 and below 1, not {}", name(), test);
  const std::vector<int32_t> of_graph = classes_of(view_->dataset());
  std::vector<int32_t> classes;
  for (const int64_t index : view_->indices()) classes.push_back(of_graph[static_cast<std::size_t>(index)]);
  const data::Split parts = data::stratified_split(classes, 0, test, seed);
  return {subset(parts.train), subset(parts.test)};
}

Dataset open(const std::string& path, Duplicates duplicates) {
  data::OpenOptions options;
  options.duplicates = duplicates;
  return Dataset(std::make_shared<const data::View>(data::open(path, options)));
}

Dataset dataset(const std::vector<Graph>& graphs, const std::string& name) {
  return whole(data::build_dataset(api::records_of(graphs, name, {}), Duplicates::merge));
}

}  // namespace dotin
