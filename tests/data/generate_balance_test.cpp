// What must not tell the classes of generated data apart does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/generated_graphs.h"

namespace dotin::data {
namespace {

using dotin::testing::generated;
using dotin::testing::GeneratedEdge;
using dotin::testing::GeneratedGraph;

using Facts = std::map<std::string, double>;

struct Balanced {
  std::string kind;
  bool edges = true;    // the number of edges
  bool degrees = true;  // how the degrees spread, over all nodes and over the planted ones
  bool labels = true;   // shares of labels among nodes that are not planted
};

std::ostream& operator<<(std::ostream& out, const Balanced& balanced) { return out << balanced.kind; }

std::vector<bool> planted_in(const GeneratedGraph& graph) {
  std::vector<bool> planted(graph.neighbours.size(), false);
  for (const auto& nodes : graph.truth) {
    for (const int node : nodes) planted[static_cast<std::size_t>(node)] = true;
  }
  return planted;
}

Facts facts_of(const GeneratedGraph& graph, const Balanced& balanced) {
  const std::vector<bool> planted = planted_in(graph);
  const auto rest = static_cast<double>(std::count(planted.begin(), planted.end(), false));
  Facts facts;
  facts["nodes"] = graph.nodes();
  for (int i = 0; i < graph.nodes(); ++i) {
    const double degree = graph.degree(i);
    if (balanced.edges) facts["edges"] += degree / 2;
    if (balanced.degrees) {
      facts["squared degrees"] += degree * degree;
      facts["cubed degrees"] += degree * degree * degree;
      facts["leaves"] += degree == 1 ? 1 : 0;
    }
    const bool is_planted = planted[static_cast<std::size_t>(i)];
    if (!is_planted && balanced.labels && !graph.labels.empty()) {
      facts["label " + std::to_string(graph.labels[static_cast<std::size_t>(i)])] += 1 / rest;
    }
    if (!is_planted && !graph.attributes.empty()) {
      facts["attribute"] += static_cast<double>(graph.attributes[static_cast<std::size_t>(i)]);
    }
  }
  for (std::size_t task = 0; task < graph.truth.size() && balanced.degrees; ++task) {
    // Per planted node, as their number may decide.
    const double share = 1 / static_cast<double>(graph.truth[task].size());
    for (const int node : graph.truth[task]) {
      const double degree = graph.degree(node);
      facts["degree of a planted node"] += share * degree;
      facts["squared degree of a planted node"] += share * degree * degree;
    }
  }
  for (const GeneratedEdge& edge : graph.edges) {
    if (edge.label >= 0) facts["edge labels"] += edge.label;
  }
  return facts;
}

struct Moments {
  double count = 0, sum = 0, squares = 0;
  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double variance_of_mean() const { return std::max(0.0, squares / count - mean() * mean()) / count; }
};

class GenerateBalance : public ::testing::TestWithParam<Balanced> {};

/// Means of both classes differ by less than 4.5 standard errors of their difference: by chance one comparison in
/// 150,000 fails, and the seed is fixed.
TEST_P(GenerateBalance, WhatIsNotPlantedDoesNotTellTheClass) {
  const Balanced& balanced = GetParam();
  for (const int64_t nodes : {24, 60}) {
    std::vector<Facts> facts;
    Facts all;
    const auto graphs = generated(balanced.kind, 3000, nodes, 11);
    for (const GeneratedGraph& graph : graphs) {
      facts.push_back(facts_of(graph, balanced));
      all.insert(facts.back().begin(), facts.back().end());
    }
    for (std::size_t task = 0; task < graphs[0].classes.size(); ++task) {
      for (const auto& [name, unused] : all) {
        Moments of_class[2];
        for (std::size_t g = 0; g < graphs.size(); ++g) of_class[graphs[g].classes[task]].add(facts[g][name]);
        const double error = std::sqrt(of_class[0].variance_of_mean() + of_class[1].variance_of_mean());
        EXPECT_NEAR(of_class[0].mean(), of_class[1].mean(), 4.5 * error + 1e-9)
            << name << " with " << nodes << " nodes, task " << task;
      }
    }
  }
}

/// Where the classes differ in an edge between planted nodes, the number of edges follows from the size and the
/// degrees of the planted nodes by the same formula in both.
TEST(GenerateBalance, ThePlantedEdgeIsMadeUpFor) {
  const std::pair<const char*, int> kinds[] = {{"adjacent", 0}, {"triangle", 2}, {"two_patterns", 6}};
  for (const auto& [kind, inner] : kinds) {
    for (const GeneratedGraph& graph : generated(kind, 300, 30, 2)) {
      int planted_degrees = 0;
      for (const int node : graph.truth[0]) planted_degrees += graph.degree(node);
      const int rest = graph.nodes() - static_cast<int>(graph.truth[0].size());
      EXPECT_EQ(static_cast<int>(graph.edges.size()) - planted_degrees, 2 * rest - inner) << kind;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, GenerateBalance,
                         ::testing::Values(Balanced{"motif", true, false, true}, Balanced{"random", false, false, true},
                                           Balanced{"grid", true, false, true}, Balanced{"counts"},
                                           Balanced{"adjacent"}, Balanced{"product"}, Balanced{"triangle"},
                                           Balanced{"house"}, Balanced{"needle"}, Balanced{"edges"},
                                           Balanced{"two_patterns"}, Balanced{"surroundings"}, Balanced{"two_tasks"},
                                           Balanced{"vote", true, true, false}),
                         [](const auto& each) { return each.param.kind; });

}  // namespace
}  // namespace dotin::data
