#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/generated_graphs.h"

namespace dotin::data {
namespace {

using dotin::testing::generated;
using dotin::testing::GeneratedEdge;
using dotin::testing::GeneratedGraph;
using dotin::testing::graphs_of;

/// A triangle x y z and a square y z q p without a chord, of five nodes that have no other edges among them.
bool has_house(const GeneratedGraph& graph) {
  for (const GeneratedEdge& edge : graph.edges) {
    const int y = edge.u, z = edge.v;
    for (const int x : graph.neighbours[static_cast<std::size_t>(y)]) {
      if (x == z || !graph.joined(x, z)) continue;
      for (const int p : graph.neighbours[static_cast<std::size_t>(y)]) {
        if (p == x || p == z || graph.joined(p, z) || graph.joined(p, x)) continue;
        for (const int q : graph.neighbours[static_cast<std::size_t>(z)]) {
          if (q != y && graph.joined(p, q) && !graph.joined(q, y) && !graph.joined(q, x)) return true;
        }
      }
    }
  }
  return false;
}

int triangles(const GeneratedGraph& graph) {
  int count = 0;
  for (const GeneratedEdge& edge : graph.edges) {
    for (const int other : graph.neighbours[static_cast<std::size_t>(edge.u)]) {
      count += graph.joined(other, edge.v) ? 1 : 0;
    }
  }
  return count / 3;
}

std::set<int> nodes_within(const GeneratedGraph& graph, int centre, int hops) {
  std::set<int> reached{centre};
  for (int hop = 0; hop < hops; ++hop) {
    const std::set<int> before = reached;
    for (const int node : before) {
      const auto& next = graph.neighbours[static_cast<std::size_t>(node)];
      reached.insert(next.begin(), next.end());
    }
  }
  return reached;
}

TEST(GenerateHouse, AHouseIsInGraphsOfClassOneAndInNoOther) {
  for (const int64_t nodes : {13, 20, 100, 1000}) {
    for (const GeneratedGraph& graph : generated("house", nodes == 1000 ? 20 : 500, nodes, 3)) {
      EXPECT_EQ(has_house(graph), graph.classes[0] == 1);
      EXPECT_TRUE(graph.labels.empty());
    }
  }
}

TEST(GenerateHouse, TrianglesAreInBothClassesAndGraphsAreConnected) {
  int with_triangle = 0, cycles = 0;
  for (const GeneratedGraph& graph : generated("house", 600)) {
    EXPECT_EQ(static_cast<int>(nodes_within(graph, 0, graph.nodes()).size()), graph.nodes());
    if (graph.classes[0] == 1) continue;
    ++cycles;
    with_triangle += triangles(graph) > 0 ? 1 : 0;
  }
  EXPECT_EQ(cycles, 300);
  EXPECT_NEAR(with_triangle, 200, 4 * 8.2);  // two in three have one or two; sqrt(300 x 2/3 x 1/3) = 8.2
}

/// What a node sees in so many hops, written out: its label, and in brackets what its neighbours see in one hop less.
std::string view_of(const GeneratedGraph& graph, int node, int hops) {
  std::string text = std::to_string(graph.labels[static_cast<std::size_t>(node)]);
  if (hops == 0) return text;
  std::multiset<std::string> parts;
  for (const int other : graph.neighbours[static_cast<std::size_t>(node)]) {
    parts.insert(view_of(graph, other, hops - 1));
  }
  for (const std::string& part : parts) text += "(" + part + ")";
  return text;
}

int centre_of(const GeneratedGraph& graph) {
  for (const int node : graph.truth[0]) {
    if (graph.neighbours_among(node, graph.truth[0]) == 4) return node;
  }
  return -1;
}

class GenerateSurroundings : public ::testing::TestWithParam<int> {};

TEST_P(GenerateSurroundings, TheClassIsWhatOneNodeSeesAndNoOtherNodeSeesTheLikes) {
  core::NoProgress quiet;
  for (const uint64_t seed : {0, 1, 2, 3, 4}) {
    GenerateOptions options;
    options.graphs = 100;
    options.radius = GetParam();
    options.seed = seed;
    options.labels = seed == 4 ? 3 : 8;
    const auto graphs = graphs_of(generate("surroundings", options, quiet));
    std::string views[2];
    for (const GeneratedGraph& graph : graphs) {
      const int centre = centre_of(graph);
      ASSERT_GE(centre, 0);
      std::string& view = views[graph.classes[0]];
      if (view.empty()) view = view_of(graph, centre, GetParam());
      const std::set<int> around = nodes_within(graph, centre, GetParam());
      EXPECT_EQ(std::vector<int>(around.begin(), around.end()), graph.truth[0]);
    }
    ASSERT_NE(views[0], views[1]);
    for (const GeneratedGraph& graph : graphs) {
      int found[2] = {};
      for (int node = 0; node < graph.nodes(); ++node) {
        EXPECT_LE(graph.degree(node), 4);
        const std::string view = view_of(graph, node, GetParam());
        for (int which = 0; which < 2; ++which) found[which] += view == views[which] ? 1 : 0;
      }
      EXPECT_EQ(found[graph.classes[0]], 1);
      EXPECT_EQ(found[1 - graph.classes[0]], 0);
    }
  }
}

TEST_P(GenerateSurroundings, TheTruthIsAFifthToAThirdOfTheNodes) {
  core::NoProgress quiet;
  GenerateOptions options;
  options.radius = GetParam();
  double share = 0;
  for (const GeneratedGraph& graph : graphs_of(generate("surroundings", options, quiet))) {
    EXPECT_EQ(graph.truth[0].size(), GetParam() == 1 ? 5u : GetParam() == 2 ? 7u : 8u);
    share += static_cast<double>(graph.truth[0].size()) / graph.nodes() / 1000;
  }
  EXPECT_GE(share, 0.2);
  EXPECT_LE(share, 1.0 / 3);
}

TEST_P(GenerateSurroundings, BothClassesHaveTheSameLabelsInTheTree) {
  core::NoProgress quiet;
  GenerateOptions options;
  options.graphs = 20;
  options.radius = GetParam();
  std::set<std::multiset<int>> seen;
  for (const GeneratedGraph& graph : graphs_of(generate("surroundings", options, quiet))) {
    std::multiset<int> labels;
    for (const int node : graph.truth[0]) labels.insert(graph.labels[static_cast<std::size_t>(node)]);
    seen.insert(labels);
  }
  EXPECT_EQ(seen.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Radius, GenerateSurroundings, ::testing::Values(1, 2, 3));

TEST(GenerateSurroundings, TheRestIsLikeAMolecule) {
  double nodes = 0, edges = 0, first = 0, second = 0;
  for (const GeneratedGraph& graph : generated("surroundings", 500)) {
    nodes += graph.nodes();
    edges += static_cast<double>(graph.edges.size());
    first += static_cast<double>(std::count(graph.labels.begin(), graph.labels.end(), 0));
    second += static_cast<double>(std::count(graph.labels.begin(), graph.labels.end(), 1));
    EXPECT_EQ(static_cast<int>(nodes_within(graph, 0, graph.nodes()).size()), graph.nodes());
  }
  EXPECT_GT(edges / nodes, 0.95);
  EXPECT_LT(edges / nodes, 1.2);
  EXPECT_GT(first, 1.3 * second);
}

TEST(GenerateSurroundings, TheRadiusIsDrawnFromTheSeed) {
  std::set<std::size_t> sizes;
  for (uint64_t seed = 0; seed < 20; ++seed) sizes.insert(generated("surroundings", 1, 0, seed)[0].truth[0].size());
  EXPECT_EQ(sizes, (std::set<std::size_t>{5, 7, 8}));
}

}  // namespace
}  // namespace dotin::data
