#include "dotin/data/features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/data/open.h"
#include "feature_data.h"
#include "support/expect.h"
#include "support/real_data.h"

namespace dotin::data {
namespace {

using testing::dataset_of;
using testing::encode;
using testing::Encoded;
using testing::other_data;

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

TEST(FeatureEncoder, BindsOtherDataByLabelValue) {
  const auto dataset = dataset_of(true, false);
  const FeatureMap map = fit_features(View(dataset), {});
  EXPECT_EQ(encode(map, other_data({"8", "6", "7"}), 0, UnknownLabels::error).codes, (std::vector<int32_t>{2, 0, 1}));
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
  map.neighbour_counts = true;
  const FeatureMap back = FeatureMap::from_json(nlohmann::json::parse(map.to_json().dump()));
  EXPECT_EQ(back.column_names(), map.column_names());
  EXPECT_EQ(back.attribute_mean, map.attribute_mean);
  EXPECT_EQ(back.attribute_scale, map.attribute_scale);
  EXPECT_TRUE(back.log_degree);
  EXPECT_TRUE(back.neighbour_counts);
  EXPECT_FALSE(back.constant);
  EXPECT_EQ(back.blocks[1].kind, BlockKind::degree);
  EXPECT_EQ(back.blocks[2].kind, BlockKind::neighbours);
  EXPECT_EQ(back.to_json(), map.to_json());
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
}

void expect_width(const std::string& path, int64_t width) {
  EXPECT_EQ(fit_features(View(open(path, {})), {}).width(), width);
}

TEST(FeaturesOfRealData, Mutag) {
  DOTIN_REAL_DATA(path, "MUTAG");
  expect_width(path, 7);
}

TEST(FeaturesOfRealData, ProteinsHasOneAttributeAndThreeLabels) {
  DOTIN_REAL_DATA(path, "PROTEINS");
  expect_width(path, 4);
}

TEST(FeaturesOfRealData, DdCountsTheValuesThatOccur) {
  DOTIN_REAL_DATA(path, "DD");
  expect_width(path, 82);
}

}  // namespace
}  // namespace dotin::data
