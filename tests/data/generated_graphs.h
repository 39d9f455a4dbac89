// Generated records, graph by graph, for the tests of the kinds.
#pragma once

#include <string>
#include <vector>

#include "dotin/data/generate.h"

namespace dotin::testing {

struct GeneratedEdge {
  int u, v;
  int label;  // -1 where edges have none
};

/// Nodes count from 0 within the graph.
struct GeneratedGraph {
  std::vector<int> classes;  // per target
  std::vector<int> labels;   // as in the file; empty where there are none
  std::vector<float> attributes;
  std::vector<GeneratedEdge> edges;
  std::vector<std::vector<int>> neighbours;
  std::vector<std::vector<int>> truth;  // per target that has some: the nodes

  int nodes() const { return static_cast<int>(neighbours.size()); }
  int degree(int node) const { return static_cast<int>(neighbours[static_cast<std::size_t>(node)].size()); }
  bool joined(int u, int v) const;
  /// The edges among the nodes.
  std::vector<GeneratedEdge> edges_among(const std::vector<int>& nodes) const;
  /// How many of the nodes are neighbours of this one.
  int neighbours_among(int node, const std::vector<int>& nodes) const;
};

std::vector<GeneratedGraph> graphs_of(const io::Records& records);

/// A dataset with default options but these.
std::vector<GeneratedGraph> generated(const std::string& kind, int64_t graphs, int64_t nodes = 0, uint64_t seed = 0);

/// What generate() says to one graph with default options but for the change; "no error" if it takes them.
std::string refusal(const std::string& kind, void (*change)(data::GenerateOptions&));

}  // namespace dotin::testing
