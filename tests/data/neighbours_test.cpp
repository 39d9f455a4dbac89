#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "dotin/data/features.h"
#include "dotin/data/open.h"
#include "feature_data.h"
#include "support/expect.h"
#include "support/real_data.h"

namespace dotin::data {
namespace {

using testing::dataset_of;
using testing::encode;
using testing::other_data;

TEST(Features, NeighboursAreTheLabelOfANodeTogetherWithTheirs) {
  const auto dataset = dataset_of(true, false);
  FeatureOptions options;
  options.neighbours = NeighbourFeature::always;
  const FeatureMap map = fit_features(View(dataset), options);
  EXPECT_EQ(map.width(), 3 + 1024);
  EXPECT_EQ(map.column_names().at(3 + 17), "neighbours#17");
  // Nodes 0 and 2 have label 6, nodes 1 and 3 labels 8 and 7.
  const GraphView graph = dataset->graph(0);
  const auto codes_with = [&](std::vector<int64_t> rows, std::vector<int32_t> neighbours) {
    GraphView view = graph;
    view.row_offsets = rows;
    view.all_neighbours = neighbours.data();
    std::vector<int32_t> codes(8), result;
    FeatureEncoder(map, *dataset, UnknownLabels::error).encode(*dataset, view, codes.data(), nullptr);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_GE(codes[2 * i + 1], 3);
      EXPECT_LT(codes[2 * i + 1], map.width());
      result.push_back(codes[2 * i + 1]);
    }
    return result;
  };
  // 0 - 1 and 2 - 3, then 0 - 3 and 2 - 1: nodes 0 and 2 change places, 1 and 3 see what they saw.
  const std::vector<int32_t> before = codes_with({0, 1, 2, 3, 4}, {1, 0, 3, 2});
  EXPECT_EQ(codes_with({0, 1, 2, 3, 4}, {3, 2, 1, 0}),
            (std::vector<int32_t>{before[2], before[1], before[0], before[3]}));
  EXPECT_NE(before[0], before[2]);
  // 0 - 1, 0 - 2: one more neighbour is another colour, for both ends; the order of neighbours is none.
  const std::vector<int32_t> more = codes_with({0, 2, 3, 4, 4}, {1, 2, 0, 0});
  EXPECT_NE(more[0], before[0]);
  EXPECT_EQ(more[1], before[1]);
  EXPECT_NE(more[2], before[2]);
  EXPECT_EQ(codes_with({0, 2, 3, 4, 4}, {2, 1, 0, 0}), more);
}

TEST(Features, NeighboursHaveDegreesWhereLabelsAreNoFeatures) {
  FeatureOptions options;
  options.labels = false;
  options.neighbours = NeighbourFeature::always;
  const auto dataset = dataset_of(true, false);
  const FeatureMap map = fit_features(View(dataset), options);
  EXPECT_EQ(map.width(), 1024);
  const std::vector<int32_t> codes = encode(map, *dataset, 0, UnknownLabels::error).codes;
  const GraphView graph = dataset->graph(0);
  for (int32_t i = 0; i < graph.nodes; ++i) {
    for (int32_t j = 0; j < graph.nodes; ++j) {
      std::multiset<int32_t> of_i, of_j;
      for (const int32_t k : graph.neighbours(i)) of_i.insert(graph.degree(k));
      for (const int32_t k : graph.neighbours(j)) of_j.insert(graph.degree(k));
      EXPECT_EQ(codes[static_cast<std::size_t>(i)] == codes[static_cast<std::size_t>(j)], of_i == of_j)
          << i << " " << j;
    }
  }
}

/// Pairs of joined nodes: labels 6 and 8 in every other graph, 6 and 6 in the rest. Three colours.
std::shared_ptr<const Dataset> pairs(int64_t graphs, bool attributes) {
  io::Records records;
  records.name = "pairs";
  std::vector<int32_t> codes;
  for (int32_t g = 0; g < graphs; ++g) {
    records.node_offsets.push_back(2 * (g + 1));
    records.edge_from.push_back(2 * g);
    records.edge_to.push_back(2 * g + 1);
    codes.insert(codes.end(), {0, g % 2});
  }
  records.node_labels.push_back({"label", codes, {"6", "8"}});
  if (attributes) records.node_attributes = {1, std::vector<float>(codes.size(), 0.5f)};
  return std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge));
}

TEST(Features, FewNeighboursHaveAColumnEachWhereThereAreTenGraphsForEach) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  EXPECT_EQ(fit_features(View(pairs(29, false)), options).width(), 2) << "three colours are too many for 29 graphs";
  for (const bool attributes : {false, true}) {
    const auto dataset = pairs(30, attributes);
    const int32_t first = attributes ? 3 : 2;
    const FeatureMap map = fit_features(View(dataset), options);
    ASSERT_EQ(map.width(), first + 3);
    EXPECT_EQ(map.column_names().back(), "neighbours#2");
    // 6 beside 6, twice, then 6 beside 8 and 8 beside 6.
    const std::vector<int32_t> same = encode(map, *dataset, 0, UnknownLabels::error).codes;
    const std::vector<int32_t> other = encode(map, *dataset, 1, UnknownLabels::error).codes;
    EXPECT_EQ(same[1], same[3]);
    EXPECT_EQ((std::set<int32_t>{same[1], other[1], other[3]}), (std::set<int32_t>{first, first + 1, first + 2}));
  }
}

TEST(Features, TrainingGraphsAloneDecideWhetherNeighboursAreFew) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  const auto dataset = pairs(40, false);
  std::vector<int64_t> even;
  for (int64_t g = 0; g < 20; g += 2) even.push_back(g);
  EXPECT_EQ(fit_features(View(dataset, even), options).width(), 2 + 1) << "ten graphs, one colour";
  EXPECT_EQ(fit_features(View(dataset, {0, 1, 2}), options).width(), 2);
}

TEST(Features, FewNeighboursNeedLabels) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  options.labels = false;
  EXPECT_EQ(fit_features(View(pairs(100, true)), options).width(), 1);
}

TEST(FeatureEncoder, NeighboursThatWereNotFittedOnHaveNoColumn) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  const FeatureMap map = fit_features(View(pairs(30, false)), options);
  // A node alone: no training graph has one.
  io::Records records;
  records.name = "alone";
  records.node_offsets = {0, 1};
  records.node_labels.push_back({"label", std::vector<int32_t>{0}, {"6"}});
  const Dataset alone = build_dataset(std::move(records), DuplicatePolicy::merge);
  EXPECT_EQ(encode(map, alone, 0, UnknownLabels::error).codes, (std::vector<int32_t>{0, -1}));
}

TEST(FeatureEncoder, NeighboursBindByLabelValueToo) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::always;
  const FeatureMap map = fit_features(View(dataset_of(true, false)), options);
  const auto neighbours_of = [&](const Dataset& dataset) {
    const std::vector<int32_t> codes = encode(map, dataset, 0, UnknownLabels::error).codes;
    return std::vector<int32_t>{codes[1], codes[3], codes[5]};
  };
  const std::vector<int32_t> codes = neighbours_of(other_data({"8", "6", "7"}));
  EXPECT_EQ(neighbours_of(other_data({"6", "7", "8"})), (std::vector<int32_t>{codes[1], codes[2], codes[0]}));
}

TEST(Features, NeighboursAreCountedByLabelValue) {
  const auto dataset = dataset_of(true, true);
  FeatureOptions options;
  options.neighbour_counts = NeighbourCounts::always;
  const FeatureMap map = fit_features(View(dataset), options);
  EXPECT_EQ(map.column_names(),
            (std::vector<std::string>{"attribute0", "attribute1", "neighbours:label=6", "neighbours:label=7",
                                      "neighbours:label=8", "label=6", "label=7", "label=8"}));
  EXPECT_EQ(map.parts()[1], (std::pair<std::string, int64_t>{"neighbour_counts", 3}));
  const std::vector<float> dense = encode(map, *dataset, 0, UnknownLabels::error).dense;
  ASSERT_EQ(dense.size(), 4u * 5);
  const auto counts = [&](std::size_t node) {
    return std::vector<float>(dense.begin() + static_cast<std::ptrdiff_t>(5 * node + 2),
                              dense.begin() + static_cast<std::ptrdiff_t>(5 * node + 5));
  };
  // Edges 0-1, 1-2, 2-0, 2-3; labels 6, 8, 6, 7.
  EXPECT_EQ(counts(0), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(counts(1), (std::vector<float>{2, 0, 0}));
  EXPECT_EQ(counts(2), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(counts(3), (std::vector<float>{1, 0, 0}));
}

TEST(Features, CountsAreOfTheEdgesGivenAndOfLabelsThatAreKnown) {
  FeatureOptions options;
  options.neighbour_counts = NeighbourCounts::always;
  const FeatureMap map = fit_features(View(dataset_of(true, false)), options);
  Dataset other = other_data({"8", "9", "7"});
  GraphView graph = other.graph(0);
  const std::vector<int64_t> rows{0, 2, 3, 4};
  const std::vector<int32_t> neighbours{1, 2, 0, 0};
  graph.row_offsets = rows;
  graph.all_neighbours = neighbours.data();
  std::vector<int32_t> codes(3);
  std::vector<float> dense(9, -99.f);
  FeatureEncoder(map, other, UnknownLabels::ignore).encode(other, graph, codes.data(), dense.data());
  EXPECT_EQ(dense, (std::vector<float>{0, 1, 0, /**/ 0, 0, 1, /**/ 0, 0, 1})) << "9 is no label that was seen";
}

TEST(Features, CountsStandInWhereColoursAreTooMany) {
  FeatureOptions options;
  options.neighbour_counts = NeighbourCounts::if_many;
  EXPECT_TRUE(fit_features(View(pairs(29, false)), options).neighbour_counts);
  EXPECT_FALSE(fit_features(View(pairs(30, false)), options).neighbour_counts);
  options.neighbours = NeighbourFeature::if_few;
  EXPECT_EQ(fit_features(View(pairs(29, false)), options).width(), 2 + 2);
  EXPECT_EQ(fit_features(View(pairs(30, false)), options).width(), 2 + 3);
  options.labels = false;
  EXPECT_EQ(fit_features(View(pairs(29, true)), options).width(), 1) << "labels are no features";
}

TEST(Features, VeryManyLabelValuesAreNotCountedUnlessAsked) {
  const auto width = [](int32_t values, NeighbourCounts when) {
    io::Records records;
    records.node_offsets = {0, 2};
    records.edge_from = {0};
    records.edge_to = {1};
    io::LabelColumn column{"label", std::vector<int32_t>{0, 1}, {}};
    for (int32_t value = 0; value < values; ++value) column.values.push_back(std::to_string(value));
    records.node_labels.push_back(std::move(column));
    FeatureOptions options;
    options.neighbour_counts = when;
    return fit_features(
               View(std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge))),
               options)
        .dense_width();
  };
  EXPECT_EQ(width(kMostCountedValues, NeighbourCounts::if_many), kMostCountedValues);
  EXPECT_EQ(width(kMostCountedValues + 1, NeighbourCounts::if_many), 0);
  EXPECT_EQ(width(kMostCountedValues + 1, NeighbourCounts::always), kMostCountedValues + 1);
}

TEST(FeatureMap, JsonKeepsColours) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  const FeatureMap coloured = fit_features(View(pairs(30, false)), options);
  ASSERT_EQ(coloured.blocks.back().colours.size(), 3u);
  EXPECT_EQ(FeatureMap::from_json(nlohmann::json::parse(coloured.to_json().dump())).blocks.back().colours,
            coloured.blocks.back().colours);
}

TEST(FeatureMap, DamagedColoursAreAnError) {
  const auto refused = [](const nlohmann::json& json) {
    EXPECT_SAYS(testing::error_of([&] { FeatureMap::from_json(json); }), "damaged feature map");
  };
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  nlohmann::json coloured = fit_features(View(pairs(30, false)), options).to_json();
  for (const nlohmann::json& colours : {nlohmann::json{3, 2, 4}, nlohmann::json{2, 2}, nlohmann::json::array()}) {
    coloured["blocks"][1]["colours"] = colours;
    refused(coloured);
  }
  coloured["blocks"][1]["colours"] = {2, 3};
  coloured["blocks"][1]["hashed"] = 4;
  refused(coloured);
}

void expect_few(const std::string& path, int64_t width) {
  FeatureOptions options;
  options.neighbours = NeighbourFeature::if_few;
  EXPECT_EQ(fit_features(View(open(path, {})), options).width(), width);
}

TEST(FeaturesOfRealData, Nci1HasFewNeighbours) {
  DOTIN_REAL_DATA(path, "NCI1");
  expect_few(path, 37 + 292);
}

TEST(FeaturesOfRealData, ProteinsHasTooManyNeighboursForItsGraphs) {
  DOTIN_REAL_DATA(path, "PROTEINS");
  expect_few(path, 4);
}

}  // namespace
}  // namespace dotin::data
