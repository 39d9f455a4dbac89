#include "data/generated_graphs.h"

#include <algorithm>

#include "dotin/core/error.h"

namespace dotin::testing {

namespace {

int value_of(const io::LabelColumn& column, std::size_t i) {
  return std::stoi(column.values[static_cast<std::size_t>(column.codes[i])]);
}

}  // namespace

bool GeneratedGraph::joined(int u, int v) const {
  const std::vector<int>& of_u = neighbours[static_cast<std::size_t>(u)];
  return std::find(of_u.begin(), of_u.end(), v) != of_u.end();
}

std::vector<GeneratedEdge> GeneratedGraph::edges_among(const std::vector<int>& nodes) const {
  const auto among = [&nodes](int node) { return std::find(nodes.begin(), nodes.end(), node) != nodes.end(); };
  std::vector<GeneratedEdge> found;
  for (const GeneratedEdge& edge : edges) {
    if (among(edge.u) && among(edge.v)) found.push_back(edge);
  }
  return found;
}

int GeneratedGraph::neighbours_among(int node, const std::vector<int>& nodes) const {
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [&](int other) { return joined(node, other); }));
}

std::vector<GeneratedGraph> graphs_of(const io::Records& records) {
  std::vector<GeneratedGraph> graphs(static_cast<std::size_t>(records.graphs()));
  std::vector<std::size_t> graph_of;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    GeneratedGraph& graph = graphs[g];
    const auto first = static_cast<std::size_t>(records.node_offsets[g]);
    const auto last = static_cast<std::size_t>(records.node_offsets[g + 1]);
    graph_of.resize(last, g);
    graph.neighbours.resize(last - first);
    graph.truth.resize(records.relevant.size());
    for (const io::Target& target : records.targets) graph.classes.push_back(static_cast<int>(target.values[g]));
    for (std::size_t i = first; i < last; ++i) {
      if (!records.node_labels.empty()) graph.labels.push_back(value_of(records.node_labels[0], i));
      if (records.node_attributes.columns > 0) graph.attributes.push_back(records.node_attributes.values[i]);
      for (std::size_t task = 0; task < records.relevant.size(); ++task) {
        if (records.relevant[task].nodes[i] != 0) graph.truth[task].push_back(static_cast<int>(i - first));
      }
    }
  }
  for (std::size_t e = 0; e < records.edge_from.size(); ++e) {
    const std::size_t g = graph_of[static_cast<std::size_t>(records.edge_from[e])];
    const auto first = static_cast<int>(records.node_offsets[g]);
    const int u = records.edge_from[e] - first, v = records.edge_to[e] - first;
    GeneratedGraph& graph = graphs[g];
    graph.edges.push_back({u, v, records.edge_labels.empty() ? -1 : value_of(records.edge_labels[0], e)});
    graph.neighbours.at(static_cast<std::size_t>(u)).push_back(v);
    graph.neighbours.at(static_cast<std::size_t>(v)).push_back(u);
  }
  return graphs;
}

std::vector<GeneratedGraph> generated(const std::string& kind, int64_t graphs, int64_t nodes, uint64_t seed) {
  core::NoProgress quiet;
  data::GenerateOptions options;
  options.graphs = graphs;
  options.nodes = nodes;
  options.seed = seed;
  return graphs_of(data::generate(kind, options, quiet));
}

std::string refusal(const std::string& kind, void (*change)(data::GenerateOptions&)) {
  core::NoProgress quiet;
  data::GenerateOptions options;
  options.graphs = 1;
  change(options);
  try {
    data::generate(kind, options, quiet);
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace dotin::testing
