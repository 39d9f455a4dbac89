#include "dotin/data/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "data/generated_graphs.h"

namespace dotin::data {
namespace {

core::NoProgress quiet;

std::vector<std::vector<int32_t>> adjacency(const io::Records& records) {
  std::vector<std::vector<int32_t>> neighbours(static_cast<std::size_t>(records.nodes()));
  for (std::size_t e = 0; e < records.edge_from.size(); ++e) {
    neighbours[static_cast<std::size_t>(records.edge_from[e])].push_back(records.edge_to[e]);
    neighbours[static_cast<std::size_t>(records.edge_to[e])].push_back(records.edge_from[e]);
  }
  return neighbours;
}

int32_t label_of(const io::Records& records, int64_t node) {
  const io::LabelColumn& column = records.node_labels.at(0);
  return std::stoi(column.values[static_cast<std::size_t>(column.codes[static_cast<std::size_t>(node)])]);
}

std::vector<int64_t> planted_nodes(const io::Records& records, std::size_t task, int64_t graph) {
  std::vector<int64_t> planted;
  for (int64_t i = records.node_offsets[static_cast<std::size_t>(graph)];
       i < records.node_offsets[static_cast<std::size_t>(graph) + 1]; ++i) {
    if (records.relevant.at(task).nodes[static_cast<std::size_t>(i)] != 0) planted.push_back(i);
  }
  return planted;
}

void expect_simple_edges_within_graphs(const io::Records& records) {
  std::vector<int64_t> graph_of;
  for (int64_t g = 0; g < records.graphs(); ++g) {
    graph_of.resize(static_cast<std::size_t>(records.node_offsets[static_cast<std::size_t>(g) + 1]), g);
  }
  std::set<std::pair<int32_t, int32_t>> seen;
  for (std::size_t e = 0; e < records.edge_from.size(); ++e) {
    const auto [u, v] = std::minmax(records.edge_from[e], records.edge_to[e]);
    EXPECT_NE(u, v);
    EXPECT_EQ(graph_of.at(static_cast<std::size_t>(u)), graph_of.at(static_cast<std::size_t>(v)));
    EXPECT_TRUE(seen.emplace(u, v).second) << u << " - " << v << " twice";
  }
}

TEST(Generate, MotifClassIsTheWiringOfThePlantedNodesAndNothingElse) {
  GenerateOptions options;
  options.graphs = 101;
  options.nodes = 30;
  options.degree = 3;
  options.tasks = 2;
  options.seed = 7;
  const io::Records records = generate("motif", options, quiet);
  ASSERT_EQ(records.graphs(), 101);
  ASSERT_EQ(records.relevant.size(), 2u);
  EXPECT_EQ(records.targets[0].name, "label");
  EXPECT_EQ(records.targets[1].name, "label2");
  EXPECT_EQ(records.relevant[0].target, "label");
  EXPECT_EQ(records.relevant[1].target, "label2");
  expect_simple_edges_within_graphs(records);

  const auto neighbours = adjacency(records);
  std::map<std::pair<int, int>, int> combinations;
  for (int64_t g = 0; g < records.graphs(); ++g) {
    for (std::size_t task = 0; task < 2; ++task) {
      const bool pairs = records.targets[task].values[static_cast<std::size_t>(g)] == 1;
      const std::vector<int64_t> planted = planted_nodes(records, task, g);
      ASSERT_EQ(planted.size(), 4u);
      for (const int64_t node : planted) {
        EXPECT_EQ(label_of(records, node), options.labels + static_cast<int32_t>(task));
        int within = 0;
        for (const int32_t other : neighbours[static_cast<std::size_t>(node)]) {
          const bool is_planted = std::find(planted.begin(), planted.end(), other) != planted.end();
          within += is_planted ? 1 : 0;
          EXPECT_TRUE(is_planted || label_of(records, other) < options.labels);
        }
        const auto outside = static_cast<int>(neighbours[static_cast<std::size_t>(node)].size()) - within;
        EXPECT_EQ(within, pairs ? 1 : 2);
        EXPECT_TRUE(outside == 1 || outside == 2) << outside;
      }
    }
    ++combinations[{static_cast<int>(records.targets[0].values[static_cast<std::size_t>(g)]),
                    static_cast<int>(records.targets[1].values[static_cast<std::size_t>(g)])}];
  }
  ASSERT_EQ(combinations.size(), 4u);
  for (const auto& [classes, count] : combinations) EXPECT_NEAR(count, 25, 1);
}

TEST(Generate, TheNumberOfEdgesDoesNotTellMotifClassesApart) {
  GenerateOptions options;
  options.graphs = 2000;
  options.nodes = 30;
  const io::Records records = generate("motif", options, quiet);
  std::vector<double> edges(2000);
  for (const int32_t from : records.edge_from) {
    const auto after = std::upper_bound(records.node_offsets.begin(), records.node_offsets.end(), from);
    edges[static_cast<std::size_t>(after - records.node_offsets.begin() - 1)] += 1;
  }
  // What is left after the part that follows from the number of nodes: 4 to 8 ties over a base, the same in both
  // classes.
  std::map<double, int> of_class[2];
  for (std::size_t g = 0; g < 2000; ++g) {
    const auto irrelevant = static_cast<double>(records.node_offsets[g + 1] - records.node_offsets[g] - 4);
    ++of_class[static_cast<std::size_t>(records.targets[0].values[g])][edges[g] - 2 * irrelevant];
  }
  EXPECT_EQ(of_class[0].size(), 5u);
  for (const auto& [extra, count] : of_class[0]) EXPECT_NEAR(of_class[1][extra], count, 80) << extra;
}

TEST(Generate, MotifGraphsAreConnectedAndHaveTheAskedSizeAndDegree) {
  GenerateOptions options;
  options.graphs = 400;
  options.nodes = 41;
  options.degree = 5;
  const io::Records records = generate("motif", options, quiet);
  const auto neighbours = adjacency(records);
  int64_t smallest = options.nodes, largest = 0;
  for (int64_t g = 0; g < records.graphs(); ++g) {
    const int64_t begin = records.node_offsets[static_cast<std::size_t>(g)];
    const int64_t size = records.node_offsets[static_cast<std::size_t>(g) + 1] - begin;
    smallest = std::min(smallest, size);
    largest = std::max(largest, size);
    std::set<int64_t> reached{begin};
    std::vector<int64_t> waiting{begin};
    while (!waiting.empty()) {
      const int64_t node = waiting.back();
      waiting.pop_back();
      for (const int32_t other : neighbours[static_cast<std::size_t>(node)]) {
        if (reached.insert(other).second) waiting.push_back(other);
      }
    }
    EXPECT_EQ(static_cast<int64_t>(reached.size()), size);
  }
  EXPECT_GE(smallest, 21);
  EXPECT_LE(smallest, 23);
  EXPECT_LE(largest, 61);
  EXPECT_GE(largest, 59);
  EXPECT_NEAR(static_cast<double>(records.nodes()) / 400, 41, 2);
  int64_t irrelevant_edges = 0, irrelevant_nodes = 0;
  for (int64_t i = 0; i < records.nodes(); ++i) irrelevant_nodes += label_of(records, i) < options.labels ? 1 : 0;
  for (std::size_t e = 0; e < records.edge_from.size(); ++e) {
    irrelevant_edges += label_of(records, records.edge_from[e]) < options.labels &&
                                label_of(records, records.edge_to[e]) < options.labels
                            ? 1
                            : 0;
  }
  EXPECT_NEAR(2.0 * static_cast<double>(irrelevant_edges) / static_cast<double>(irrelevant_nodes), 5, 0.02);
}

TEST(Generate, ClassesAreBalancedAndDoNotFollowTheOrder) {
  for (const std::string& kind : generated_kinds()) {
    GenerateOptions options;
    options.graphs = 401;
    options.nodes = 20;
    const io::Records records = generate(kind, options, quiet);
    double ones = 0, agreements = 0;
    for (std::size_t g = 0; g < 401; ++g) {
      ones += records.targets[0].values[g];
      agreements += records.targets[0].values[g] == static_cast<double>(g % 2) ? 1 : 0;
    }
    EXPECT_NEAR(ones, 200.5, 0.6) << kind;
    EXPECT_NEAR(agreements, 200, 60) << kind;
  }
}

TEST(Generate, RandomClassIsTheDensity) {
  GenerateOptions options;
  options.graphs = 300;
  options.degree = 7;
  const io::Records records = generate("random", options, quiet);
  expect_simple_edges_within_graphs(records);
  EXPECT_TRUE(records.relevant.empty());
  const auto neighbours = adjacency(records);
  for (int64_t g = 0; g < 300; ++g) {
    double degrees = 0;
    const int64_t begin = records.node_offsets[static_cast<std::size_t>(g)];
    const int64_t end = records.node_offsets[static_cast<std::size_t>(g) + 1];
    for (int64_t i = begin; i < end; ++i)
      degrees += static_cast<double>(neighbours[static_cast<std::size_t>(i)].size());
    const double average = degrees / static_cast<double>(end - begin);
    EXPECT_EQ(average > options.degree ? 1 : 0, records.targets[0].values[static_cast<std::size_t>(g)]);
    EXPECT_GT(average, 3.3);
    EXPECT_LT(average, 10.7);
  }
}

TEST(Generate, GridClassIsTheShapeOfTheMarkedNodes) {
  GenerateOptions options;
  options.graphs = 300;
  options.nodes = 50;
  const io::Records records = generate("grid", options, quiet);
  expect_simple_edges_within_graphs(records);
  EXPECT_NEAR(static_cast<double>(records.nodes()) / 300, 50, 3);
  const auto neighbours = adjacency(records);
  for (int64_t g = 0; g < 300; ++g) {
    const std::vector<int64_t> marked = planted_nodes(records, 0, g);
    ASSERT_EQ(marked.size(), 4u);
    std::multiset<int> degrees;
    for (const int64_t node : marked) {
      EXPECT_EQ(label_of(records, node), options.labels);
      int within = 0;
      for (const int32_t other : neighbours[static_cast<std::size_t>(node)]) {
        within += records.relevant[0].nodes[static_cast<std::size_t>(other)];
      }
      degrees.insert(within);
    }
    const bool is_line = records.targets[0].values[static_cast<std::size_t>(g)] == 0;
    EXPECT_EQ(degrees, is_line ? (std::multiset<int>{1, 1, 2, 2}) : (std::multiset<int>{1, 1, 1, 3}));
  }
}

TEST(Generate, DenseGraphsGetEveryEdgeAskedFor) {
  GenerateOptions options;
  options.graphs = 5;
  options.nodes = 12;
  options.degree = 6;
  const io::Records records = generate("motif", options, quiet);  // 12 nodes, 8 of them irrelevant, 24 of 28 pairs
  expect_simple_edges_within_graphs(records);
  EXPECT_EQ(records.nodes(), 60);
  int64_t irrelevant = 0, expected = 0;
  for (std::size_t e = 0; e < records.edge_from.size(); ++e) {
    irrelevant += label_of(records, records.edge_from[e]) < 8 && label_of(records, records.edge_to[e]) < 8 ? 1 : 0;
  }
  for (const double target : records.targets[0].values) expected += target == 0 ? 23 : 25;
  EXPECT_EQ(irrelevant, expected);
}

TEST(Generate, LabelValuesAreThoseThatOccurInNumericOrder) {
  GenerateOptions options;
  options.graphs = 1;
  options.nodes = 12;
  options.labels = 1000;
  const io::Records records = generate("motif", options, quiet);
  const io::LabelColumn& column = records.node_labels.at(0);
  EXPECT_EQ(column.name, "label");
  EXPECT_LE(column.values.size(), 12u);
  std::set<int32_t> used(column.codes.begin(), column.codes.end());
  EXPECT_EQ(used.size(), column.values.size());
  for (std::size_t i = 1; i < column.values.size(); ++i) {
    EXPECT_LT(std::stoi(column.values[i - 1]), std::stoi(column.values[i]));
  }
}

TEST(Generate, OneGraphOfAMillionNodesIsQuickWork) {
  GenerateOptions options;
  options.graphs = 1;
  options.nodes = 1'000'000;
  const io::Records records = generate("motif", options, quiet);
  EXPECT_GE(records.nodes(), 500'000);
  EXPECT_NEAR(static_cast<double>(records.edge_from.size()) / static_cast<double>(records.nodes()), 2, 0.01);
}

TEST(Generate, ReportsProgressUpToTheEnd) {
  struct Recorder : core::Progress {
    void update(int64_t done, int64_t total, const std::string&) override {
      EXPECT_GT(done, last);
      last = done;
      EXPECT_EQ(total, 1001);
      ++calls;
    }
    int64_t last = 0, calls = 0;
  } recorder;
  GenerateOptions options;
  options.graphs = 1001;
  options.nodes = 12;
  generate("motif", options, recorder);
  EXPECT_EQ(recorder.last, 1001);
  EXPECT_LE(recorder.calls, 210);
}

TEST(Generate, ImpossibleOptionsAreUsageErrorsThatGiveTheReason) {
  using Options = GenerateOptions;
  EXPECT_NE(dotin::testing::refusal("motive", [](Options&) {}).find("motif, random, grid"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.graphs = 0; }).find("0 graphs"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.nodes = 11; }).find("at least 12 nodes"),
            std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.nodes = -5; }).find("got -5"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("grid", [](Options& o) { o.nodes = 15; }).find("at least 16 nodes"),
            std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.degree = 26; }).find("to 24"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.degree = 1; }).find("from 2.5"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("random", [](Options& o) { o.degree = std::numeric_limits<double>::quiet_NaN(); })
                .find("degree"),
            std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.tasks = 3; }).find("1 or 2"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("random", [](Options& o) { o.tasks = 2; }).find("random has 1"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.labels = 0; }).find("0 labels"), std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.graphs = 100'000'000; }).find("at most 2147483647"),
            std::string::npos);
  EXPECT_NE(dotin::testing::refusal("motif", [](Options& o) { o.nodes = std::numeric_limits<int64_t>::max(); })
                .find("at most"),
            std::string::npos);
}

}  // namespace
}  // namespace dotin::data
