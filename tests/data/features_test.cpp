#include "dotin/data/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/data/open.h"
#include "support/expect.h"
#include "support/real_data.h"

namespace dotin::data {
namespace {

/// Two triangles-with-a-tail of labels 6, 8, 6, 7 and attributes; the second graph's attributes are far away.
std::shared_ptr<const Dataset> dataset_of(bool labels, bool attributes) {
  io::Records records;
  records.name = "test";
  records.node_offsets = {0, 4, 8};
  records.edge_from = {0, 1, 2, 2, 4, 5, 6, 6};
  records.edge_to = {1, 2, 0, 3, 5, 6, 4, 7};
  if (labels) {
    records.node_labels.push_back({"label", std::vector<int32_t>{0, 2, 0, 1, 0, 2, 0, 1}, {"6", "7", "8"}});
  }
  if (attributes) {
    records.node_attributes = {2, std::vector<float>{1, 5, 2, 5, 3, 5, 4, 5, 1000, 7, 1000, 7, 1000, 7, 1000, 7}};
  }
  return std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge));
}

struct Encoded {
  std::vector<int32_t> codes;
  std::vector<float> dense;
};

Encoded encode(const FeatureMap& map, const Dataset& dataset, int64_t index, UnknownLabels unknown) {
  const FeatureEncoder encoder(map, dataset, unknown);
  const GraphView graph = dataset.graph(index);
  Encoded result;
  result.codes.resize(static_cast<std::size_t>(graph.nodes * map.codes_per_node()), -99);
  result.dense.resize(static_cast<std::size_t>(graph.nodes * map.dense_width()), -99.f);
  encoder.encode(dataset, graph, result.codes.data(), result.dense.data());
  return result;
}

TEST(Features, AttributesComeFirstThenOneColumnPerLabelValue) {
  const auto dataset = dataset_of(true, true);
  const FeatureMap map = fit_features(View(dataset), {});
  EXPECT_EQ(map.dense_width(), 2);
  EXPECT_EQ(map.width(), 5);
  EXPECT_EQ(map.codes_per_node(), 1);
  EXPECT_EQ(map.column_names(),
            (std::vector<std::string>{"attribute0", "attribute1", "label=6", "label=7", "label=8"}));
  EXPECT_EQ(map.parts(), (std::vector<std::pair<std::string, int64_t>>{{"attributes", 2}, {"label", 3}}));
  EXPECT_EQ(encode(map, *dataset, 0, UnknownLabels::error).codes, (std::vector<int32_t>{2, 4, 2, 3}));
}

TEST(Features, AttributesAreStandardizedOnTheTrainingGraphsOnly) {
  const auto dataset = dataset_of(false, true);
  const FeatureMap map = fit_features(View(dataset, {0}), {});
  EXPECT_FLOAT_EQ(map.attribute_mean[0], 2.5f);
  EXPECT_FLOAT_EQ(map.attribute_scale[0], static_cast<float>(1 / std::sqrt(1.25)));
  const Encoded encoded = encode(map, *dataset, 0, UnknownLabels::error);
  EXPECT_FLOAT_EQ(encoded.dense[0], static_cast<float>(-1.5 / std::sqrt(1.25)));
  EXPECT_FLOAT_EQ(encoded.dense[6], static_cast<float>(1.5 / std::sqrt(1.25)));
}

TEST(Features, AConstantAttributeBecomesZeroAndIsNotBlownUp) {
  const auto dataset = dataset_of(false, true);
  const FeatureMap map = fit_features(View(dataset, {0}), {});
  EXPECT_EQ(map.attribute_scale[1], 1.f);
  EXPECT_EQ(encode(map, *dataset, 0, UnknownLabels::error).dense[1], 0.f);
  EXPECT_EQ(encode(map, *dataset, 1, UnknownLabels::error).dense[1], 2.f) << "7 - 5 on other graphs";
}

TEST(Features, WithoutStandardizingAttributesStayAsTheyAre) {
  const auto dataset = dataset_of(false, true);
  FeatureOptions options;
  options.standardize = false;
  const Encoded encoded = encode(fit_features(View(dataset), options), *dataset, 1, UnknownLabels::error);
  EXPECT_EQ(encoded.dense, (std::vector<float>{1000, 7, 1000, 7, 1000, 7, 1000, 7}));
}

TEST(Features, DeviationSurvivesALargeMean) {
  io::Records records;
  records.node_offsets = {0, 2};
  records.node_attributes = {1, std::vector<float>{1'000'000.f, 1'000'001.f}};
  const auto dataset = std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge));
  EXPECT_FLOAT_EQ(fit_features(View(dataset), {}).attribute_scale[0], 2.f);
}

TEST(Features, ValuesThatAreNotFiniteAreRefused) {
  io::Records records;
  records.name = "test";
  records.node_offsets = {0, 2};
  records.node_attributes = {1, std::vector<float>{1.f, NAN}};
  const auto dataset = std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge));
  EXPECT_SAYS(testing::error_of([&] { fit_features(View(dataset), {}); }), "test: node attribute 0");
}

TEST(Features, DegreesAboveTheCapShareTheLastColumn) {
  const auto dataset = dataset_of(true, false);
  FeatureOptions options;
  options.degree = DegreeFeature::onehot;
  options.degree_cap = 2;
  const FeatureMap map = fit_features(View(dataset), options);
  EXPECT_EQ(map.column_names(),
            (std::vector<std::string>{"label=6", "label=7", "label=8", "degree=0", "degree=1", "degree>=2"}));
  // Degrees 2, 2, 3, 1.
  EXPECT_EQ(encode(map, *dataset, 0, UnknownLabels::error).codes, (std::vector<int32_t>{0, 5, 2, 5, 0, 5, 1, 4}));
  options.degree_cap = 0;
  EXPECT_THROW(fit_features(View(dataset), options), core::Error);
}

TEST(Features, LogDegreeIsOneDenseColumnAfterTheAttributes) {
  const auto dataset = dataset_of(true, true);
  FeatureOptions options;
  options.degree = DegreeFeature::log;
  const FeatureMap map = fit_features(View(dataset), options);
  EXPECT_EQ(map.dense_width(), 3);
  EXPECT_EQ(map.column_names()[2], "log_degree");
  const Encoded encoded = encode(map, *dataset, 0, UnknownLabels::error);
  EXPECT_FLOAT_EQ(encoded.dense[2 * 3 + 2], std::log(4.f));
  EXPECT_EQ(encoded.codes[0], 3);
}

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

TEST(Features, DegreesAreThoseGivenNotThoseStored) {
  const auto dataset = dataset_of(false, false);
  FeatureOptions options;
  options.degree = DegreeFeature::onehot;
  const FeatureMap map = fit_features(View(dataset), options);
  const std::vector<int64_t> edited{0, 0, 1, 3, 73};
  GraphView graph = dataset->graph(0);
  graph.row_offsets = edited;
  std::vector<int32_t> codes(4);
  FeatureEncoder(map, *dataset, UnknownLabels::error).encode(*dataset, graph, codes.data(), nullptr);
  EXPECT_EQ(codes, (std::vector<int32_t>{0, 1, 2, 64}));
}

TEST(Features, FeaturelessDataGetsTheOneHotDegreeOrAConstantAndTheLogSaysSo) {
  std::vector<std::string> lines;
  core::set_log_sink([&](core::LogLevel, const std::string& line) { lines.push_back(line); });
  const auto dataset = dataset_of(false, false);
  FeatureOptions options;
  EXPECT_EQ(fit_features(View(dataset), options).width(), 65);
  options.constant_if_featureless = true;
  const FeatureMap constant = fit_features(View(dataset), options);
  options.degree = DegreeFeature::log;
  EXPECT_FALSE(fit_features(View(dataset), options).constant)
      << "a degree was asked for, so the data is not featureless";
  core::set_log_sink({});
  EXPECT_EQ(constant.width(), 1);
  EXPECT_EQ(encode(constant, *dataset, 0, UnknownLabels::error).dense, (std::vector<float>{1, 1, 1, 1}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_SAYS(lines[0], "one-hot degree, up to 64");
  EXPECT_SAYS(lines[1], "constant feature 1");
}

TEST(Features, LabelsAndAttributesCanBeSwitchedOff) {
  const auto dataset = dataset_of(true, true);
  FeatureOptions options;
  options.labels = false;
  EXPECT_EQ(fit_features(View(dataset), options).width(), 2);
  options.labels = true;
  options.attributes = false;
  EXPECT_EQ(fit_features(View(dataset), options).width(), 3);
}

/// Other data with labels 9, 8, 6 in another order of codes.
Dataset other_data(const std::vector<std::string>& values) {
  io::Records records;
  records.name = "other";
  records.node_offsets = {0, 3};
  records.node_labels.push_back({"extra", std::vector<int32_t>{0, 0, 0}, {"z"}});
  records.node_labels.push_back({"label", std::vector<int32_t>{0, 1, 2}, values});
  return build_dataset(std::move(records), DuplicatePolicy::merge);
}

TEST(FeatureEncoder, BindsOtherDataByLabelValue) {
  const auto dataset = dataset_of(true, false);
  const FeatureMap map = fit_features(View(dataset), {});
  EXPECT_EQ(encode(map, other_data({"8", "6", "7"}), 0, UnknownLabels::error).codes, (std::vector<int32_t>{2, 0, 1}));
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

TEST(FeatureEncoder, UnknownLabelValuesAreAnErrorOrIgnored) {
  const auto dataset = dataset_of(true, false);
  const FeatureMap map = fit_features(View(dataset), {});
  const Dataset other = other_data({"8", "9", "7"});
  const std::string message = testing::error_of([&] { FeatureEncoder(map, other, UnknownLabels::error); });
  EXPECT_SAYS(message, "other: node label column 'label' has 1 value(s)");
  EXPECT_SAYS(message, ": 9;");
  EXPECT_EQ(encode(map, other, 0, UnknownLabels::ignore).codes, (std::vector<int32_t>{2, -1, 1}));
}

TEST(FeatureEncoder, AMissingLabelColumnIsAnErrorThatListsThoseThereAre) {
  const auto dataset = dataset_of(true, false);
  FeatureMap map = fit_features(View(dataset), {});
  map.blocks[0].name = "atom";
  EXPECT_SAYS(testing::error_of([&] { FeatureEncoder(map, *dataset, UnknownLabels::error); }),
              "no node label column 'atom', which the features need; the data has: label");
}

TEST(FeatureEncoder, AttributesMustBeThereAndOfTheSameWidth) {
  const FeatureMap map = fit_features(View(dataset_of(false, true)), {});
  EXPECT_SAYS(testing::error_of([&] { FeatureEncoder(map, *dataset_of(true, false), UnknownLabels::error); }),
              "no node attributes, but the features need 2");
  Dataset wider = *dataset_of(false, true);
  wider.node_attributes = {3, std::vector<float>(24)};
  EXPECT_SAYS(testing::error_of([&] { FeatureEncoder(map, wider, UnknownLabels::error); }),
              "3 node attribute column(s), but the features need 2");
}

TEST(FeatureEncoder, ALabelCodeWithoutAValueIsAnErrorNotAWildRead) {
  Dataset dataset = *dataset_of(true, false);
  const FeatureMap map = fit_features(View(std::make_shared<const Dataset>(dataset)), {});
  dataset.node_labels[0].codes = std::vector<int32_t>{0, 1 << 30, 0, -1, 0, 0, 0, 0};
  EXPECT_SAYS(testing::error_of([&] { encode(map, dataset, 0, UnknownLabels::error); }), "graph 0: node 1 has a label");
}

TEST(FeatureMap, JsonRoundTripKeepsEverything) {
  const auto dataset = dataset_of(true, true);
  FeatureOptions options;
  options.degree = DegreeFeature::onehot;
  options.neighbours = NeighbourFeature::always;
  FeatureMap map = fit_features(View(dataset, {0}), options);
  map.attribute_scale[1] = 0.1f;
  map.log_degree = true;
  const FeatureMap back = FeatureMap::from_json(nlohmann::json::parse(map.to_json().dump()));
  EXPECT_EQ(back.column_names(), map.column_names());
  EXPECT_EQ(back.attribute_mean, map.attribute_mean);
  EXPECT_EQ(back.attribute_scale, map.attribute_scale);
  EXPECT_TRUE(back.log_degree);
  EXPECT_FALSE(back.constant);
  EXPECT_EQ(back.blocks[1].kind, BlockKind::degree);
  EXPECT_EQ(back.blocks[2].kind, BlockKind::neighbours);
  EXPECT_EQ(back.to_json(), map.to_json());

  options.degree = DegreeFeature::none;
  options.neighbours = NeighbourFeature::if_few;
  const FeatureMap coloured = fit_features(View(pairs(30, false)), options);
  ASSERT_EQ(coloured.blocks.back().colours.size(), 3u);
  EXPECT_EQ(FeatureMap::from_json(nlohmann::json::parse(coloured.to_json().dump())).blocks.back().colours,
            coloured.blocks.back().colours);
}

TEST(FeatureMap, DamagedJsonIsAnError) {
  const nlohmann::json good = fit_features(View(dataset_of(true, true)), {}).to_json();
  const auto refused = [](const nlohmann::json& json) {
    EXPECT_SAYS(testing::error_of([&] { FeatureMap::from_json(json); }), "damaged feature map");
  };
  refused(nlohmann::json::array());
  for (const auto& [key, value] : good.items()) {
    nlohmann::json bad = good;
    bad.erase(key);
    refused(bad);
    bad = good;
    bad[key] = "text";
    refused(bad);
  }
  nlohmann::json bad = good;
  bad["attribute_mean"].push_back(1);
  refused(bad);
  bad = good;
  bad["blocks"][0]["values"][1] = "6";
  refused(bad);
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"kind", "colour"},
                                   {"kind", "neighbours"},
                                   {"hashed", 7},
                                   {"hashed", -1},
                                   {"colours", {1, 2}}}) {
    bad = good;
    bad["blocks"][0][key] = value;
    refused(bad);
  }

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

void expect_width(const std::string& path, int64_t width, NeighbourFeature neighbours = NeighbourFeature::none) {
  FeatureOptions options;
  options.neighbours = neighbours;
  EXPECT_EQ(fit_features(View(open(path, {})), options).width(), width);
}

TEST(FeaturesOfRealData, Mutag) {
  DOTIN_REAL_DATA(path, "MUTAG");
  expect_width(path, 7);
}

TEST(FeaturesOfRealData, ProteinsHasOneAttributeAndThreeLabels) {
  DOTIN_REAL_DATA(path, "PROTEINS");
  expect_width(path, 4);
  expect_width(path, 4, NeighbourFeature::if_few);
}

TEST(FeaturesOfRealData, Nci1HasFewNeighbours) {
  DOTIN_REAL_DATA(path, "NCI1");
  expect_width(path, 37);
  expect_width(path, 37 + 292, NeighbourFeature::if_few);
}

TEST(FeaturesOfRealData, DdCountsTheValuesThatOccur) {
  DOTIN_REAL_DATA(path, "DD");
  expect_width(path, 82);
}

}  // namespace
}  // namespace dotin::data
