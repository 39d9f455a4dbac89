// The planted nodes alone decide the class: it is recomputed from them, for every kind that has some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "data/generated_graphs.h"

namespace dotin::data {
namespace {

using dotin::testing::generated;
using dotin::testing::GeneratedEdge;
using dotin::testing::GeneratedGraph;

constexpr int kRare = 8;  // the first label that irrelevant nodes do not have by default

/// What the planted nodes say; -1 where they are in no arrangement that the kind has.
using Decide = std::function<int(const GeneratedGraph&, const std::vector<int>& planted)>;

std::multiset<int> degrees_among(const GeneratedGraph& graph, const std::vector<int>& planted) {
  std::multiset<int> degrees;
  for (const int node : planted) degrees.insert(graph.neighbours_among(node, planted));
  return degrees;
}

/// The class whose degrees within the planted nodes these are.
Decide by_degrees(const std::multiset<int>& of_class_0, const std::multiset<int>& of_class_1) {
  return [=](const GeneratedGraph& graph, const std::vector<int>& planted) {
    const std::multiset<int> degrees = degrees_among(graph, planted);
    return degrees == of_class_0 ? 0 : degrees == of_class_1 ? 1 : -1;
  };
}

int by_count(const GeneratedGraph&, const std::vector<int>& planted) {
  return planted.size() == 2 ? 0 : planted.size() == 4 ? 1 : -1;
}

int by_product(const GeneratedGraph& graph, const std::vector<int>& planted) {
  const double product = static_cast<double>(graph.attributes[static_cast<std::size_t>(planted.at(0))]) *
                         static_cast<double>(graph.attributes[static_cast<std::size_t>(planted.at(1))]);
  return planted.size() == 2 && product != 0 ? (product > 0 ? 1 : 0) : -1;
}

int by_label(const GeneratedGraph& graph, const std::vector<int>& planted) {
  std::multiset<int> labels;
  for (const int node : planted) labels.insert(graph.labels[static_cast<std::size_t>(node)]);
  return labels.count(kRare) == 4 ? 0 : labels.count(kRare + 1) == 4 ? 1 : -1;
}

/// A node whose two edges of the ring have one label is there in class 1 only.
int by_edge_labels(const GeneratedGraph& graph, const std::vector<int>& planted) {
  if (degrees_among(graph, planted) != std::multiset<int>{2, 2, 2, 2}) return -1;
  int ones = 0, changes = 0;
  for (const int node : planted) {
    std::set<int> labels;
    for (const GeneratedEdge& edge : graph.edges_among(planted)) {
      if (edge.u == node || edge.v == node) labels.insert(edge.label);
    }
    changes += labels.size() == 2 ? 1 : 0;
  }
  for (const GeneratedEdge& edge : graph.edges_among(planted)) ones += edge.label;
  return ones != 2 ? -1 : changes == 4 ? 0 : changes == 2 ? 1 : -1;
}

struct Rule {
  std::string kind;
  std::vector<int> label_of_task;  // the label that all planted nodes have, per task; kRare - 1: of any kind
  std::vector<std::size_t> sizes;  // of the truth, over all tasks
  std::vector<Decide> decide;      // per task
};

std::ostream& operator<<(std::ostream& out, const Rule& rule) { return out << rule.kind; }

class GenerateTruth : public ::testing::TestWithParam<Rule> {};

TEST_P(GenerateTruth, ThePlantedNodesAloneDecideTheClass) {
  const Rule& rule = GetParam();
  for (const int64_t nodes : {int64_t{0}, int64_t{25}, int64_t{400}}) {
    const auto graphs = generated(rule.kind, nodes == 400 ? 40 : 400, nodes, 5);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const GeneratedGraph& graph = graphs[g];
      ASSERT_EQ(graph.classes.size(), rule.decide.size());
      ASSERT_EQ(graph.truth.size(), rule.decide.size());
      for (std::size_t task = 0; task < rule.decide.size(); ++task) {
        const std::vector<int>& planted = graph.truth[task];
        ASSERT_NE(std::find(rule.sizes.begin(), rule.sizes.end(), planted.size()), rule.sizes.end()) << planted.size();
        EXPECT_EQ(rule.decide[task](graph, planted), graph.classes[task]) << "graph " << g << ", task " << task;
      }
    }
  }
}

TEST_P(GenerateTruth, NoOtherNodeHasARareLabel) {
  const Rule& rule = GetParam();
  for (const GeneratedGraph& graph : generated(rule.kind, 100)) {
    std::vector<int> expected(graph.neighbours.size(), -1);
    for (std::size_t task = 0; task < rule.label_of_task.size(); ++task) {
      for (const int node : graph.truth[task]) expected[static_cast<std::size_t>(node)] = rule.label_of_task[task];
    }
    for (std::size_t i = 0; i < graph.labels.size(); ++i) {
      if (expected[i] < 0) {
        EXPECT_LT(graph.labels[i], kRare);
      } else if (rule.kind == "needle") {
        EXPECT_EQ(graph.labels[i], kRare + graph.classes[0]);
      } else {
        EXPECT_EQ(graph.labels[i], expected[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GenerateTruth,
    ::testing::Values(
        Rule{"motif", {kRare}, {4}, {by_degrees({2, 2, 2, 2}, {1, 1, 1, 1})}},
        Rule{"grid", {kRare}, {4}, {by_degrees({1, 1, 2, 2}, {1, 1, 1, 3})}},
        Rule{"counts", {kRare}, {2, 4}, {by_count}}, Rule{"adjacent", {kRare}, {2}, {by_degrees({0, 0}, {1, 1})}},
        Rule{"product", {kRare}, {2}, {by_product}}, Rule{"triangle", {kRare}, {3}, {by_degrees({1, 1, 2}, {2, 2, 2})}},
        Rule{"house", {}, {5}, {by_degrees({2, 2, 2, 2, 2}, {2, 2, 2, 3, 3})}},
        Rule{"needle", {kRare}, {4}, {by_label}}, Rule{"edges", {kRare}, {4}, {by_edge_labels}},
        Rule{"two_patterns", {kRare}, {9}, {by_degrees({1, 1, 1, 1, 2, 2, 2, 2, 2}, {1, 1, 2, 2, 2, 2, 2, 2, 2})}},
        Rule{"two_tasks", {kRare, kRare + 1}, {2, 4}, {by_count, by_degrees({0, 0}, {1, 1})}}),
    [](const auto& each) { return each.param.kind; });

TEST(GenerateCounts, VoteIsWhatMostNodesHaveAndHasNoTruth) {
  for (const int64_t nodes : {8, 9, 60}) {
    for (const GeneratedGraph& graph : generated("vote", 300, nodes)) {
      EXPECT_TRUE(graph.truth.empty());
      const auto ones = std::count(graph.labels.begin(), graph.labels.end(), 1);
      const auto zeros = std::count(graph.labels.begin(), graph.labels.end(), 0);
      EXPECT_EQ(ones + zeros, graph.nodes());
      EXPECT_NE(ones, zeros);
      EXPECT_EQ(ones > zeros ? 1 : 0, graph.classes[0]);
    }
  }
}

TEST(GenerateProduct, EveryNodeHasAnAttributeOfTheSameKind) {
  double positive = 0, count = 0, planted_positive = 0;
  for (const GeneratedGraph& graph : generated("product", 400)) {
    ASSERT_EQ(graph.attributes.size(), graph.neighbours.size());
    for (const float attribute : graph.attributes) {
      EXPECT_GE(std::abs(attribute), 0.5f);
      EXPECT_LE(std::abs(attribute), 1.5f);
      positive += attribute > 0 ? 1 : 0;
      ++count;
    }
    planted_positive += graph.attributes[static_cast<std::size_t>(graph.truth[0][0])] > 0 ? 1 : 0;
  }
  EXPECT_NEAR(positive / count, 0.5, 4 * 0.5 / std::sqrt(count));
  EXPECT_NEAR(planted_positive, 200, 4 * 10);
}

TEST(GenerateTwoPatterns, TheGroupsAreApart) {
  for (const GeneratedGraph& graph : generated("two_patterns", 100)) {
    const auto edges = graph.edges_among(graph.truth[0]);
    EXPECT_EQ(edges.size(), graph.classes[0] == 1 ? 8u : 7u);
    // Three groups of three: each node reaches exactly two others.
    for (const int node : graph.truth[0]) {
      std::set<int> reached{node};
      for (int step = 0; step < 9; ++step) {
        for (const GeneratedEdge& edge : edges) {
          if (reached.count(edge.u) + reached.count(edge.v) > 0) reached.insert({edge.u, edge.v});
        }
      }
      EXPECT_EQ(reached.size(), 3u);
    }
  }
}

TEST(GenerateTwoTasks, TargetsAreIndependentAndNeedOtherNodes) {
  int combinations[2][2] = {};
  for (const GeneratedGraph& graph : generated("two_tasks", 400)) {
    ++combinations[graph.classes[0]][graph.classes[1]];
    for (const int node : graph.truth[0]) {
      EXPECT_EQ(std::count(graph.truth[1].begin(), graph.truth[1].end(), node), 0);
    }
  }
  for (const auto& row : combinations) {
    for (const int count : row) EXPECT_EQ(count, 100);
  }
}

}  // namespace
}  // namespace dotin::data
