#include "dotin/data/check.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/data/open.h"
#include "dotin/data/splits.h"
#include "support/real_data.h"

namespace dotin::data {
namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;

struct Sketch {
  std::vector<int32_t> labels;  // written as decimal text
  Edges edges;
  double target = 0;
};

/// Values are numbered in numeric order, as a reader would.
io::LabelColumn label_column(const std::vector<int32_t>& labels) {
  std::vector<int32_t> distinct(labels);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  io::LabelColumn column;
  column.name = "label";
  for (const int32_t value : distinct) column.values.push_back(std::to_string(value));
  std::vector<int32_t> codes;
  for (const int32_t label : labels) {
    codes.push_back(static_cast<int32_t>(std::lower_bound(distinct.begin(), distinct.end(), label) - distinct.begin()));
  }
  column.codes = std::move(codes);
  return column;
}

Dataset dataset_of(const std::vector<Sketch>& graphs) {
  io::Records records;
  records.name = "hand-made";
  std::vector<int32_t> labels;
  std::vector<double> targets;
  for (const Sketch& graph : graphs) {
    const auto first = static_cast<int32_t>(records.nodes());
    for (const auto& [u, v] : graph.edges) {
      records.edge_from.push_back(first + u);
      records.edge_to.push_back(first + v);
    }
    labels.insert(labels.end(), graph.labels.begin(), graph.labels.end());
    targets.push_back(graph.target);
    records.node_offsets.push_back(first + static_cast<int32_t>(graph.labels.size()));
  }
  records.node_labels.push_back(label_column(labels));
  records.targets.push_back({io::kLabelTarget, 1, std::move(targets), {}});
  return build_dataset(std::move(records), DuplicatePolicy::merge);
}

uint64_t hash_of(const Dataset& dataset, int64_t graph, int rounds = 4) {
  return weisfeiler_lehman_hash(dataset, dataset.graph(graph), rounds);
}

RC_GTEST_PROP(WeisfeilerLehman, PermutedCopiesHashEqualWhateverTheDataset, ()) {
  core::Rng rng(*rc::gen::arbitrary<uint64_t>());
  const auto nodes = *rc::gen::inRange<int32_t>(1, 25);
  Sketch graph;
  for (int32_t i = 0; i < nodes; ++i) graph.labels.push_back(static_cast<int32_t>(5 + rng.below(3)));
  for (int32_t u = 0; u < nodes; ++u) {
    for (int32_t v = u + 1; v < nodes; ++v) {
      if (rng.below(4) == 0) graph.edges.emplace_back(u, v);
    }
  }
  std::vector<int32_t> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  rng.shuffle(order);
  Sketch copy = graph;
  for (std::size_t i = 0; i < order.size(); ++i) copy.labels[static_cast<std::size_t>(order[i])] = graph.labels[i];
  for (auto& [u, v] : copy.edges) {
    u = order[static_cast<std::size_t>(u)];
    v = order[static_cast<std::size_t>(v)];
  }
  // In the second dataset a smaller label comes before, which shifts all codes.
  const Dataset first = dataset_of({graph}), second = dataset_of({{{1, 1}, {{0, 1}}, 0}, copy});
  RC_ASSERT(hash_of(first, 0) == hash_of(second, 1));

  // One label or one edge changed makes another graph.
  Sketch relabelled = graph;
  relabelled.labels[static_cast<std::size_t>(rng.below(nodes))] += 10;
  RC_ASSERT(hash_of(dataset_of({relabelled}), 0) != hash_of(first, 0));
  if (!graph.edges.empty()) {
    Sketch cut = graph;
    cut.edges.erase(cut.edges.begin() + rng.below(static_cast<int64_t>(cut.edges.size())));
    RC_ASSERT(hash_of(dataset_of({cut}), 0) != hash_of(first, 0));
  }
}

TEST(WeisfeilerLehman, WiringAloneMakesADifference) {
  const std::vector<int32_t> abab{1, 2, 1, 2}, aabb{1, 1, 2, 2};
  const Edges ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const Dataset dataset = dataset_of({{abab, ring, 0}, {aabb, ring, 1}});
  EXPECT_EQ(hash_of(dataset, 0, 0), hash_of(dataset, 1, 0));  // labels alone: the same
  EXPECT_NE(hash_of(dataset, 0, 1), hash_of(dataset, 1, 1));
}

TEST(WeisfeilerLehman, AttributesCountAndNegativeZeroIsZero) {
  const auto hash_with = [](std::vector<float> attributes) {
    io::Records records;
    records.node_offsets = {0, 2};
    records.edge_from = {0};
    records.edge_to = {1};
    records.node_attributes = {1, std::move(attributes)};
    return hash_of(build_dataset(std::move(records), DuplicatePolicy::merge), 0);
  };
  EXPECT_EQ(hash_with({1.5F, 0.0F}), hash_with({-0.0F, 1.5F}));
  EXPECT_NE(hash_with({1.5F, 0.0F}), hash_with({1.25F, 0.0F}));
}

TEST(FindDuplicates, CountsSetsConflictsAndWhatStraddlesTheFolds) {
  const Sketch path{{1, 2, 3}, {{0, 1}, {1, 2}}, 0}, path_again{{3, 2, 1}, {{0, 1}, {1, 2}}, 0};
  const Sketch ring{{1, 1, 1}, {{0, 1}, {1, 2}, {0, 2}}, 0}, ring_other_class{{1, 1, 1}, {{0, 1}, {1, 2}, {0, 2}}, 1};
  std::vector<Sketch> graphs{path, ring, path_again, ring_other_class, path};
  for (int32_t i = 0; i < 15; ++i) graphs.push_back({{10 + i, 1}, {{0, 1}}, i % 2 == 0 ? 0.0 : 1.0});
  const Dataset dataset = dataset_of(graphs);

  const DuplicateReport report = find_duplicates(dataset, 10, 3);
  EXPECT_EQ(report.groups, 2);
  EXPECT_EQ(report.graphs, 5);
  EXPECT_EQ(report.conflicting, 2);
  EXPECT_EQ(report.folds, 10);
  EXPECT_EQ(report.examples, (std::vector<std::vector<int64_t>>{{0, 2, 4}, {1, 3}}));

  // Straddling, counted the slow way: for every fold, its graphs with an equal one in another fold.
  const std::vector<std::vector<int64_t>> sets{{0, 2, 4}, {1, 3}};
  const auto folds = stratified_folds(classes_of(dataset.target("label")).of_graph, 10, 3);
  int64_t straddling = 0;
  for (const auto& fold : folds) {
    for (const int64_t g : fold) {
      for (const auto& set : sets) {
        if (std::find(set.begin(), set.end(), g) == set.end()) continue;
        const bool outside = std::any_of(set.begin(), set.end(), [&fold](int64_t other) {
          return std::find(fold.begin(), fold.end(), other) == fold.end();
        });
        straddling += outside ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(report.straddling, straddling);
}

TEST(FindDuplicates, ThreeEqualGraphsInThreeFoldsAllStraddle) {
  const Sketch pair{{1, 2}, {{0, 1}}, 0};
  const DuplicateReport report = find_duplicates(dataset_of({pair, pair, pair}), 10, 0);
  EXPECT_EQ(report.folds, 3);  // no more folds than graphs
  EXPECT_EQ(report.straddling, 3);
  EXPECT_EQ(report.conflicting, 0);
}

TEST(FindDuplicates, OneGraphHasNoFoldsToStraddle) {
  const DuplicateReport report = find_duplicates(dataset_of({{{1}, {}, 0}}), 10, 0);
  EXPECT_EQ(report.groups, 0);
  EXPECT_EQ(report.folds, 0);
}

TEST(FindDuplicates, DamagedPackedDataIsAnErrorThatNamesTheGraph) {
  Dataset dataset = dataset_of({{{1, 2}, {{0, 1}}, 0}, {{1, 2}, {{0, 1}}, 0}});
  dataset.neighbours = std::vector<int32_t>{1, 0, 700, 0};
  EXPECT_THROW(find_duplicates(dataset, 2, 0), core::Error);
}

TEST(Summarize, CountsWhatIsThere) {
  io::Records records;
  records.name = "tiny";
  records.node_offsets = {0, 3, 4, 6};
  records.edge_from = {0, 1, 0, 4, 4, 2};
  records.edge_to = {1, 2, 1, 5, 5, 2};
  records.node_labels.push_back(label_column({6, 6, 8, 1, 1, 1}));
  records.targets.push_back({io::kLabelTarget, 1, std::vector<double>{-1, 1, -1}, {}});
  records.targets.push_back({"energy", 1, std::vector<double>{0.5, 0.25, 1}, {}});
  const Summary summary = summarize(build_dataset(std::move(records), DuplicatePolicy::merge));
  EXPECT_EQ(summary.name, "tiny");
  EXPECT_EQ(summary.graphs, 3);
  EXPECT_EQ(summary.nodes, 6);
  EXPECT_EQ(summary.directed_edges, 6);
  EXPECT_DOUBLE_EQ(summary.avg_nodes, 2);
  EXPECT_DOUBLE_EQ(summary.avg_edges, 1);
  EXPECT_EQ(summary.min_nodes, 1);
  EXPECT_EQ(summary.max_nodes, 3);
  EXPECT_EQ(summary.max_degree, 2);
  EXPECT_EQ(summary.isolated_nodes, 1);
  EXPECT_EQ(summary.graphs_without_edges, 1);
  EXPECT_EQ(summary.self_loops, 1);
  EXPECT_EQ(summary.duplicate_edges, 2);
  EXPECT_EQ(summary.class_names, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(summary.class_sizes, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(summary.label_values, (std::vector<int64_t>{3}));
  EXPECT_EQ(summary.node_features, 3);
  EXPECT_EQ(summary.targets, (std::vector<std::string>{"label", "energy"}));
}

TEST(Summarize, MeasuredValuesAreNoClasses) {
  Sketch graph{{1, 2}, {{0, 1}}, 0.5};
  EXPECT_TRUE(summarize(dataset_of({graph, graph})).class_names.empty());
  graph.target = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(summarize(dataset_of({graph, graph})).class_names.empty());
}

struct PaperRow {
  int64_t graphs, classes;
  double avg_nodes, avg_edges;
};

void expect_row(const PaperRow& row, const std::string& path) {
  const Summary summary = summarize(*open(path, {}));
  EXPECT_EQ(summary.graphs, row.graphs);
  EXPECT_EQ(static_cast<int64_t>(summary.class_names.size()), row.classes);
  EXPECT_DOUBLE_EQ(std::round(summary.avg_nodes * 100) / 100, row.avg_nodes);
  EXPECT_DOUBLE_EQ(std::round(summary.avg_edges * 100) / 100, row.avg_edges);
}

// Table 2 of the paper.
TEST(PaperTable2, DD) {
  DOTIN_REAL_DATA(path, "DD");
  expect_row({1178, 2, 284.32, 715.66}, path);
}
TEST(PaperTable2, PROTEINS) {
  DOTIN_REAL_DATA(path, "PROTEINS");
  expect_row({1113, 2, 39.06, 72.82}, path);
}
TEST(PaperTable2, NCI1) {
  DOTIN_REAL_DATA(path, "NCI1");
  expect_row({4110, 2, 29.87, 32.30}, path);
}
TEST(PaperTable2, NCI109) {
  DOTIN_REAL_DATA(path, "NCI109");
  expect_row({4127, 2, 29.68, 32.13}, path);
}
// The paper has 17.88 edges for FRANKENSTEIN; these are the molecules it was made from.
TEST(PaperTable2, FrankensteinAtoms) {
  DOTIN_REAL_DATA(path, "FRANKENSTEIN-atoms");
  expect_row({4337, 2, 16.90, 17.79}, path);
}

}  // namespace
}  // namespace dotin::data
