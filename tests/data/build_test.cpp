#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "dotin/core/error.h"
#include "dotin/data/dataset.h"

namespace dotin::data {
namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;

io::Records records_of(std::vector<int64_t> node_offsets, const Edges& edges) {
  io::Records records;
  records.name = "test";
  records.node_offsets = std::move(node_offsets);
  for (const auto& [from, to] : edges) {
    records.edge_from.push_back(from);
    records.edge_to.push_back(to);
  }
  return records;
}

std::vector<int32_t> row(const Dataset& dataset, int64_t graph, int32_t node) {
  const auto neighbours = dataset.graph(graph).neighbours(node);
  return {neighbours.begin(), neighbours.end()};
}

using Row = std::vector<int32_t>;

TEST(BuildDataset, StoresBothDirectionsSortedAndNumberedWithinTheGraph) {
  const Dataset dataset =
      build_dataset(records_of({0, 3, 5}, {{4, 3}, {2, 1}, {0, 2}, {2, 0}}), DuplicatePolicy::merge);
  EXPECT_EQ(dataset.graphs(), 2);
  EXPECT_EQ(dataset.nodes(), 5);
  EXPECT_EQ(dataset.directed_edges(), 6);
  EXPECT_EQ(row(dataset, 0, 0), (Row{2}));
  EXPECT_EQ(row(dataset, 0, 1), (Row{2}));
  EXPECT_EQ(row(dataset, 0, 2), (Row{0, 1}));
  EXPECT_EQ(row(dataset, 1, 0), (Row{1}));
  EXPECT_EQ(row(dataset, 1, 1), (Row{0}));
  EXPECT_EQ(dataset.duplicate_edges, 0) << "an edge listed in both directions is no duplicate";
}

TEST(BuildDataset, EdgesListedOnceOrTwiceGiveTheSameDataset) {
  const Dataset once = build_dataset(records_of({0, 4}, {{0, 1}, {1, 3}}), DuplicatePolicy::error);
  const Dataset twice = build_dataset(records_of({0, 4}, {{3, 1}, {0, 1}, {1, 3}, {1, 0}}), DuplicatePolicy::error);
  EXPECT_TRUE(
      std::equal(once.neighbours.begin(), once.neighbours.end(), twice.neighbours.begin(), twice.neighbours.end()));
  EXPECT_TRUE(
      std::equal(once.row_offsets.begin(), once.row_offsets.end(), twice.row_offsets.begin(), twice.row_offsets.end()));
}

TEST(BuildDataset, SelfLoopsAreTakenOutAndCounted) {
  const Dataset dataset = build_dataset(records_of({0, 2}, {{0, 0}, {0, 1}, {1, 1}, {1, 1}}), DuplicatePolicy::error);
  EXPECT_EQ(dataset.self_loops, 3);
  EXPECT_EQ(row(dataset, 0, 0), (Row{1}));
  EXPECT_EQ(row(dataset, 0, 1), (Row{0}));
}

TEST(BuildDataset, IsolatedNodesAndGraphsWithoutEdgesAreKept) {
  const Dataset dataset = build_dataset(records_of({0, 2, 2, 5}, {{2, 4}}), DuplicatePolicy::merge);
  EXPECT_EQ(dataset.graphs(), 3);
  EXPECT_EQ(dataset.graph(0).nodes, 2);
  EXPECT_EQ(dataset.graph(0).directed_edges(), 0);
  EXPECT_EQ(dataset.graph(1).nodes, 0);
  EXPECT_EQ(dataset.graph(2).directed_edges(), 2);
  EXPECT_EQ(dataset.graph(2).degree(1), 0);
  for (int64_t graph = 0; graph < 3; ++graph) EXPECT_NO_THROW(validate_graph(dataset, graph));
}

TEST(BuildDataset, NoGraphsAtAll) {
  const Dataset dataset = build_dataset(records_of({0}, {}), DuplicatePolicy::merge);
  EXPECT_EQ(dataset.graphs(), 0);
  EXPECT_EQ(dataset.nodes(), 0);
  EXPECT_EQ(dataset.directed_edges(), 0);
}

// (0,1) three times outwards and once inwards, (1,2) once: two duplicates to merge.
const Edges kDuplicated{{0, 1}, {1, 2}, {0, 1}, {1, 0}, {0, 1}};

TEST(BuildDataset, MergesDuplicatesAndCountsThem) {
  const Dataset dataset = build_dataset(records_of({0, 3}, kDuplicated), DuplicatePolicy::merge);
  EXPECT_EQ(dataset.duplicate_edges, 2);
  EXPECT_EQ(row(dataset, 0, 0), (Row{1}));
  EXPECT_EQ(row(dataset, 0, 1), (Row{0, 2}));
}

TEST(BuildDataset, KeepsDuplicatesInBothDirections) {
  const Dataset dataset = build_dataset(records_of({0, 3}, kDuplicated), DuplicatePolicy::keep);
  EXPECT_EQ(dataset.duplicate_edges, 0) << "counts merged ones";
  EXPECT_EQ(row(dataset, 0, 0), (Row{1, 1, 1}));
  EXPECT_EQ(row(dataset, 0, 1), (Row{0, 0, 0, 2}));
  EXPECT_NO_THROW(validate_graph(dataset, 0));
}

TEST(BuildDataset, ADuplicateCanBeAnErrorThatNamesTheNodes) {
  try {
    build_dataset(records_of({0, 2, 5}, {{2, 3}, {4, 3}, {4, 3}}), DuplicatePolicy::error);
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("test: graph 1: the edge between nodes 1 and 2"), std::string::npos)
        << error.what();
  }
}

TEST(BuildDataset, EdgeLabelsAndAttributesFollowTheirEdgeAndTheFirstListedWins) {
  io::Records records = records_of({0, 3}, {{2, 1}, {0, 1}, {0, 0}, {1, 0}, {0, 1}});
  records.edge_labels.push_back({"label", std::vector<int32_t>{3, 1, 4, 2, 0}, {"a", "b", "c", "d", "e"}});
  records.edge_attributes = {2, std::vector<float>{3, 30, 1, 10, 4, 40, 2, 20, 0, 0}};
  const Dataset dataset = build_dataset(std::move(records), DuplicatePolicy::merge);
  // Rows: 0 -> 1; 1 -> 0, 2; 2 -> 1.
  const auto& codes = dataset.edge_labels[0].codes;
  EXPECT_EQ(std::vector<int32_t>(codes.begin(), codes.end()), (std::vector<int32_t>{1, 1, 3, 3}));
  const auto& values = dataset.edge_attributes.values;
  EXPECT_EQ(std::vector<float>(values.begin(), values.end()), (std::vector<float>{1, 10, 1, 10, 3, 30, 3, 30}));
}

TEST(BuildDataset, KeptDuplicatesKeepTheirOwnLabels) {
  io::Records records = records_of({0, 2}, {{0, 1}, {0, 1}, {1, 0}});
  records.edge_labels.push_back({"label", std::vector<int32_t>{5, 6, 7}, std::vector<std::string>(8)});
  const Dataset dataset = build_dataset(std::move(records), DuplicatePolicy::keep);
  const auto& codes = dataset.edge_labels[0].codes;
  EXPECT_EQ(std::vector<int32_t>(codes.begin(), codes.end()), (std::vector<int32_t>{5, 6, 5, 6}));
}

TEST(BuildDataset, TakesTheOtherColumnsOver) {
  io::Records records = records_of({0, 1, 3}, {{1, 2}});
  records.node_labels.push_back({"label", std::vector<int32_t>{0, 1, 0}, {"6", "8"}});
  records.node_attributes = {1, std::vector<float>{0.5f, 1.f, 2.f}};
  records.targets.push_back({"label", 1, std::vector<double>{-1, 1}, {}});
  records.relevant.push_back({"label", std::vector<uint8_t>{0, 1, 1}});
  records.graph_ids = {"first", "second"};
  const Dataset dataset = build_dataset(std::move(records), DuplicatePolicy::merge);
  EXPECT_EQ(dataset.name, "test");
  EXPECT_EQ(dataset.node_labels[0].values[static_cast<std::size_t>(dataset.node_labels[0].codes[1])], "8");
  EXPECT_EQ(dataset.node_attributes.values[2], 2.f);
  EXPECT_EQ(dataset.target("label").values[0], -1);
  EXPECT_EQ(dataset.relevant[0].nodes[1], 1);
  EXPECT_EQ(dataset.graph_ids[1], "second");
}

struct Naive {
  std::vector<std::map<int32_t, std::vector<std::size_t>>> rows;  // neighbour -> stored copies, by the entry they take
  int64_t self_loops = 0, duplicates = 0;
};

Naive naive_build(int32_t nodes, const Edges& edges, bool keep) {
  std::map<std::pair<int32_t, int32_t>, std::vector<std::size_t>> listed;
  for (std::size_t e = 0; e < edges.size(); ++e) listed[edges[e]].push_back(e);
  Naive naive;
  naive.rows.resize(static_cast<std::size_t>(nodes));
  for (int32_t a = 0; a < nodes; ++a) {
    naive.self_loops += static_cast<int64_t>(listed[{a, a}].size());
    for (int32_t b = a + 1; b < nodes; ++b) {
      const auto& there = listed[{a, b}];
      const auto& back = listed[{b, a}];
      const std::size_t times = std::max(there.size(), back.size());
      if (times == 0) continue;
      if (!keep) naive.duplicates += static_cast<int64_t>(times) - 1;
      for (std::size_t copy = 0; copy < (keep ? times : 1); ++copy) {
        std::size_t entry = edges.size();
        if (copy < there.size()) entry = std::min(entry, there[copy]);
        if (copy < back.size()) entry = std::min(entry, back[copy]);
        naive.rows[static_cast<std::size_t>(a)][b].push_back(entry);
        naive.rows[static_cast<std::size_t>(b)][a].push_back(entry);
      }
    }
  }
  return naive;
}

RC_GTEST_PROP(BuildDataset, AgreesWithANaiveVersionOnRandomEdges, ()) {
  const auto sizes = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 6));
  std::vector<int64_t> offsets{0};
  for (const int64_t size : sizes) offsets.push_back(offsets.back() + size);
  Edges edges;
  const auto draws = *rc::gen::arbitrary<std::vector<std::pair<uint32_t, uint32_t>>>();
  for (const auto& [a, b] : draws) {
    if (offsets.back() == 0) break;
    const auto from = static_cast<int64_t>(a % static_cast<uint64_t>(offsets.back()));
    const auto graph = std::upper_bound(offsets.begin(), offsets.end(), from) - 1;
    const int64_t to = *graph + static_cast<int64_t>(b) % (*(graph + 1) - *graph);
    edges.emplace_back(static_cast<int32_t>(from), static_cast<int32_t>(to));
  }
  if (*rc::gen::arbitrary<bool>()) {  // tidy, as most files are: every edge once in each direction
    std::set<std::pair<int32_t, int32_t>> both;
    for (const auto& [from, to] : edges) {
      if (from == to) continue;
      both.insert({from, to});
      both.insert({to, from});
    }
    edges.assign(both.begin(), both.end());
    if (*rc::gen::arbitrary<bool>()) std::reverse(edges.begin(), edges.end());
  }
  if (*rc::gen::arbitrary<bool>()) std::sort(edges.begin(), edges.end());
  const bool keep = *rc::gen::arbitrary<bool>();

  io::Records records = records_of(offsets, edges);
  std::vector<int32_t> numbers;
  for (std::size_t e = 0; e < edges.size(); ++e) numbers.push_back(static_cast<int32_t>(e));
  records.edge_labels.push_back({"number", numbers, std::vector<std::string>(edges.size())});
  const Dataset dataset = build_dataset(std::move(records), keep ? DuplicatePolicy::keep : DuplicatePolicy::merge);

  const Naive naive = naive_build(static_cast<int32_t>(offsets.back()), edges, keep);
  RC_ASSERT(dataset.self_loops == naive.self_loops);
  RC_ASSERT(dataset.duplicate_edges == naive.duplicates);
  for (int64_t g = 0; g < dataset.graphs(); ++g) {
    validate_graph(dataset, g);
    const GraphView graph = dataset.graph(g);
    for (int32_t node = 0; node < graph.nodes; ++node) {
      Row expected;
      std::vector<int32_t> expected_labels;
      for (const auto& [neighbour, entries] : naive.rows[static_cast<std::size_t>(graph.first_node + node)]) {
        for (const std::size_t entry : entries) {
          expected.push_back(static_cast<int32_t>(neighbour - graph.first_node));
          expected_labels.push_back(static_cast<int32_t>(entry));
        }
      }
      RC_ASSERT(row(dataset, g, node) == expected);
      const auto labels = dataset.edge_labels[0].codes.subspan(
          static_cast<std::size_t>(graph.row_offsets[static_cast<std::size_t>(node)]), expected.size());
      RC_ASSERT(std::vector<int32_t>(labels.begin(), labels.end()) == expected_labels);
    }
  }
}

/// Graph 0: nodes 0 - 1 - 2; graph 1: nodes 0 - 1.
Dataset two_paths() {
  io::Records records = records_of({0, 3, 5}, {{0, 1}, {1, 2}, {3, 4}});
  records.node_labels.push_back({"label", std::vector<int32_t>{0, 1, 0, 1, 0}, {"6", "8"}});
  records.edge_labels.push_back({"bond", std::vector<int32_t>{0, 1, 0}, {"1", "2"}});
  return build_dataset(std::move(records), DuplicatePolicy::merge);
}

TEST(ValidateGraph, AcceptsWhatWasBuilt) {
  const Dataset dataset = two_paths();
  EXPECT_NO_THROW(validate_graph(dataset, 0));
  EXPECT_NO_THROW(validate_graph(dataset, 1));
}

TEST(ValidateGraph, RefusesDamagedStructureAndLabels) {
  const auto refused = [](const Dataset& dataset, const std::string& reason) {
    try {
      validate_graph(dataset, 0);
    } catch (const core::Error& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
      return true;
    }
    return false;
  };
  const std::vector<int32_t> neighbours{1, 0, 2, 1, 1, 0};
  const std::vector<std::tuple<std::vector<int32_t>, std::string>> damage{
      {{1, 0, 3, 1, 1, 0}, "out of range"}, {{-1, 0, 2, 1, 1, 0}, "out of range"}, {{1, 2, 0, 1, 1, 0}, "no mirror"},
      {{1, 0, 1, 1, 1, 0}, "self-loop"},    {{2, 0, 2, 1, 1, 0}, "no mirror"},     {{1, 0, 2, 0, 1, 0}, "no mirror"}};
  for (const auto& [values, reason] : damage) {
    Dataset dataset = two_paths();
    ASSERT_TRUE(std::equal(neighbours.begin(), neighbours.end(), dataset.neighbours.begin()));
    dataset.neighbours = values;
    EXPECT_TRUE(refused(dataset, reason)) << reason;
  }
  Dataset dataset = two_paths();
  dataset.row_offsets = std::vector<int64_t>{0, 3, 1, 4, 5, 6};
  EXPECT_TRUE(refused(dataset, "row offsets"));
  dataset = two_paths();
  dataset.row_offsets = std::vector<int64_t>{0, 1, 1LL << 40, 4, 5, 6};
  EXPECT_TRUE(refused(dataset, "row offsets"));
  dataset = two_paths();
  dataset.node_labels[0].codes = std::vector<int32_t>{0, 2, 0, 1, 0};
  EXPECT_TRUE(refused(dataset, "node label"));
  dataset = two_paths();
  dataset.edge_labels[0].codes = std::vector<int32_t>{0, -1, 0, 0, 0, 0};
  EXPECT_TRUE(refused(dataset, "edge label"));
  EXPECT_NO_THROW(validate_graph(dataset, 1)) << "only the graph asked for is looked at";
}

}  // namespace
}  // namespace dotin::data
