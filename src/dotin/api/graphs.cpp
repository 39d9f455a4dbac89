#include "dotin/api/graphs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dotin/core/error.h"
#include "dotin/io/label_codes.h"
#include "dotin/io/target_builder.h"
#include "dotin/io/text.h"

namespace dotin::api {

namespace {

constexpr int64_t kMostNodes = std::numeric_limits<int32_t>::max();

std::string place_of(const Graph& graph, std::size_t index) {
  return graph.id.empty() ? fmt::format("graph {}", index) : fmt::format("graph {} ('{}')", index, graph.id);
}

/// Checks one graph, and says how many nodes it has.
class Check {
 public:
  Check(const Graph& graph, std::size_t index) : graph_(graph), place_(place_of(graph, index)) {}

  int64_t nodes() const {
    int64_t count = graph_.nodes;
    DOTIN_CHECK(count >= 0, "{}: a graph cannot have {} nodes", place_, count);
    for (const std::vector<std::string>& column : graph_.labels) agree(count, column.size(), "labels");
    if (!graph_.attributes.empty()) agree(count, graph_.attributes.size(), "rows of attributes");
    const bool known = count > 0;
    for (const auto& [from, to] : graph_.edges) {
      DOTIN_CHECK(from >= 0 && to >= 0 && (!known || std::max(from, to) < count) && std::max(from, to) < kMostNodes,
                  "{}: edge ({}, {}) names a node that it does not have; its {} nodes count from 0", place_, from, to,
                  known ? std::to_string(count) : "");
      if (!known) count = std::max({count, from + 1, to + 1});
    }
    DOTIN_CHECK(count > 0, "{}: it has no nodes; give `nodes`, labels or attributes", place_);
    return count;
  }

  void check_attributes(std::size_t width) const {
    for (std::size_t i = 0; i < graph_.attributes.size(); ++i) {
      const std::vector<double>& row = graph_.attributes[i];
      DOTIN_CHECK(row.size() == width, "{}: node {} has {} attributes where {} are expected", place_, i, row.size(),
                  width);
      for (const double value : row)
        DOTIN_CHECK(std::isfinite(value), "{}: an attribute of node {} is not a finite number", place_, i);
    }
    DOTIN_CHECK(width == 0 || !graph_.attributes.empty(),
                "{}: it has no attributes where others have {} for every node", place_, width);
  }

  void check_labels(std::size_t columns, const Wanted& wanted) const {
    DOTIN_CHECK(graph_.labels.size() == columns, "{}: it has {} columns of labels where {} are expected", place_,
                graph_.labels.size(), columns);
    if (wanted.features == nullptr || wanted.unknown_labels) return;
    std::size_t column = 0;
    for (const data::FeatureMap::Block& block : wanted.features->blocks) {
      if (block.kind != data::BlockKind::label || column >= columns) continue;
      const std::vector<std::string>& labels = graph_.labels[column++];
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const bool known = std::find(block.values.begin(), block.values.end(), labels[i]) != block.values.end();
        DOTIN_CHECK(known, "{}: the model has never seen label '{}' of node {}; it knows {}", place_, labels[i], i,
                    fmt::join(block.values, ", "));
      }
    }
  }

  const std::string& place() const { return place_; }

 private:
  void agree(int64_t& count, std::size_t rows, const char* what) const {
    if (count == 0) count = static_cast<int64_t>(rows);
    DOTIN_CHECK(count == static_cast<int64_t>(rows), "{}: it has {} {} for {} nodes", place_, rows, what, count);
  }

  const Graph& graph_;
  std::string place_;
};

/// Label columns of all graphs, under the names that the model or the readers of files have for them.
class Labels {
 public:
  Labels(std::size_t columns, const Wanted& wanted) : labels_(columns), codes_(columns) {
    for (std::size_t c = 0; c < columns; ++c) names_.push_back(io::label_name(c, columns));
    if (wanted.features == nullptr) return;
    std::size_t column = 0;
    for (const data::FeatureMap::Block& block : wanted.features->blocks) {
      if (block.kind == data::BlockKind::label && column < columns) names_[column++] = block.name;
    }
  }

  void add(const Graph& graph) {
    for (std::size_t c = 0; c < labels_.size(); ++c) {
      for (const std::string& label : graph.labels[c]) codes_[c].push_back(labels_[c].code_of(label));
    }
  }

  std::vector<io::LabelColumn> take() {
    std::vector<io::LabelColumn> columns;
    for (std::size_t c = 0; c < labels_.size(); ++c) {
      const std::vector<int32_t> places = labels_[c].sort();
      for (int32_t& code : codes_[c]) code = places[static_cast<std::size_t>(code)];
      columns.push_back({names_[c], std::move(codes_[c]), labels_[c].values()});
    }
    return columns;
  }

 private:
  std::vector<std::string> names_;
  std::vector<io::TextLabels> labels_;
  std::vector<std::vector<int32_t>> codes_;
};

class Targets {
 public:
  void add(const Graph& graph, std::size_t index, const std::string& place) {
    for (const auto& [name, target] : graph.targets) {
      io::TargetValue value;
      value.numbers = target.numbers;
      value.is_text = target.numbers.empty() && !target.text.empty();
      value.text = target.text;
      io::TargetBuilder& builder = builder_of(name);
      const std::string mismatch = builder.mismatch(value);
      DOTIN_CHECK(mismatch.empty(), "{}: target '{}' {}; give it the same kind and width in every graph", place, name,
                  mismatch);
      builder.set(static_cast<int64_t>(index), value);
    }
  }

  std::vector<io::Target> take(std::size_t graphs) {
    std::vector<io::Target> targets;
    for (io::TargetBuilder& builder : builders_) targets.push_back(builder.take(static_cast<int64_t>(graphs)));
    return targets;
  }

 private:
  io::TargetBuilder& builder_of(const std::string& name) {
    const auto found =
        std::find_if(builders_.begin(), builders_.end(), [&](const auto& builder) { return builder.name() == name; });
    return found != builders_.end() ? *found : builders_.emplace_back(name);
  }

  std::vector<io::TargetBuilder> builders_;
};

}  // namespace

io::Records records_of(const std::vector<Graph>& graphs, const std::string& name, const Wanted& wanted) {
  DOTIN_CHECK(!graphs.empty(), "{}: there is no graph", name);
  io::Records records;
  records.name = name;
  const std::size_t columns = graphs[0].labels.size();
  const std::size_t width = graphs[0].attributes.empty() ? 0 : graphs[0].attributes[0].size();
  Labels labels(columns, wanted);
  Targets targets;
  std::vector<float> attributes;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph& graph = graphs[g];
    const Check check(graph, g);
    DOTIN_CHECK(io::is_utf8(graph.id), "graph {}: its id is not UTF-8 text", g);
    const int64_t first = records.node_offsets.back(), nodes = check.nodes();
    DOTIN_CHECK(first + nodes <= kMostNodes, "{}: with it there are more than {} nodes", check.place(), kMostNodes);
    check.check_attributes(width);
    check.check_labels(columns, wanted);
    records.node_offsets.push_back(first + nodes);
    for (const auto& [from, to] : graph.edges) {
      records.edge_from.push_back(static_cast<int32_t>(first + from));
      records.edge_to.push_back(static_cast<int32_t>(first + to));
    }
    labels.add(graph);
    for (const std::vector<double>& row : graph.attributes) attributes.insert(attributes.end(), row.begin(), row.end());
    targets.add(graph, g, check.place());
    records.graph_ids.push_back(graph.id);
  }
  records.node_labels = labels.take();
  records.node_attributes = {static_cast<int64_t>(width), std::move(attributes)};
  records.targets = targets.take(graphs.size());
  const bool named = std::any_of(graphs.begin(), graphs.end(), [](const Graph& graph) { return !graph.id.empty(); });
  if (!named) records.graph_ids.clear();
  return records;
}

}  // namespace dotin::api
