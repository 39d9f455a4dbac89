// What is written comes back the same; what a format cannot hold is refused before anything is written.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dotin/io/jsonl.h"
#include "random_records.h"
#include "support/expect.h"
#include "support/real_data.h"
#include "tu_files_support.h"

namespace dotin::io {
namespace {

Records read_jsonl_strictly(const std::string& path) {
  ThrowingSink problems;
  return read_jsonl(path, {}, problems);
}

/// JSON objects have no order: the target "label" comes first, the others by name.
Records by_name(Records records) {
  std::sort(records.targets.begin(), records.targets.end(), [](const Target& a, const Target& b) {
    return std::make_pair(a.name != kLabelTarget, a.name) < std::make_pair(b.name != kLabelTarget, b.name);
  });
  return records;
}

/// Behind every edge whose mirror is not listed comes the mirror, with the same labels and attributes.
Records in_both_directions(const Records& records) {
  Records both = records;
  both.edge_from.clear();
  both.edge_to.clear();
  std::vector<float> attributes;
  std::vector<std::vector<int32_t>> codes(records.edge_labels.size());
  const auto columns = static_cast<std::size_t>(records.edge_attributes.columns);
  const auto add = [&](std::size_t edge, bool turned) {
    both.edge_from.push_back(turned ? records.edge_to[edge] : records.edge_from[edge]);
    both.edge_to.push_back(turned ? records.edge_from[edge] : records.edge_to[edge]);
    for (std::size_t c = 0; c < codes.size(); ++c) codes[c].push_back(records.edge_labels[c].codes[edge]);
    for (std::size_t c = 0; c < columns; ++c) attributes.push_back(records.edge_attributes.values[edge * columns + c]);
  };
  for (std::size_t i = 0; i < records.edge_from.size(); ++i) {
    add(i, false);
    bool listed = false;
    for (std::size_t j = 0; j < records.edge_from.size(); ++j) {
      listed = listed || (records.edge_from[j] == records.edge_to[i] && records.edge_to[j] == records.edge_from[i]);
    }
    if (!listed) add(i, true);
  }
  for (std::size_t c = 0; c < codes.size(); ++c) both.edge_labels[c].codes = codes[c];
  both.edge_attributes.values = attributes;
  return both;
}

RC_GTEST_PROP(RoundTrip, TuGivesBackWhatItCanHoldWithEdgesInBothDirections, ()) {
  const testing::TemporaryFolder folder;
  const Records records = random_records({});
  write_tu(records, folder / "D");
  assert_equal(read_strictly(folder / "D"), in_both_directions(records));
}

RC_GTEST_PROP(RoundTrip, JsonLinesGiveBackNumbers, ()) {
  const testing::TemporaryFolder folder;
  RecordsShape shape;
  shape.any_edge = false;
  const Records records = random_records(shape);
  write_jsonl(records, folder / "D.jsonl");
  assert_equal(read_jsonl_strictly(folder / "D.jsonl"), by_name(records));
}

RC_GTEST_PROP(RoundTrip, JsonLinesGiveBackTextAndMissingValues, ()) {
  const testing::TemporaryFolder folder;
  RecordsShape shape;
  shape.text = true;
  shape.any_edge = false;
  const Records records = random_records(shape);
  write_jsonl(records, folder / "D.jsonl");
  assert_equal(read_jsonl_strictly(folder / "D.jsonl"), records);
}

TEST(RoundTrip, RealDataSurvivesBothFormats) {
  DOTIN_REAL_DATA(path, "MUTAG");
  const testing::TemporaryFolder folder;
  const Records records = read_strictly(path);
  write_tu(records, folder / "MUTAG/");
  assert_equal(read_strictly(folder / "MUTAG"), records);
  write_jsonl(records, folder / "MUTAG.jsonl");
  assert_equal(read_jsonl_strictly(folder / "MUTAG.jsonl"), records);
}

Records one_edge() {
  Records records;
  records.node_offsets = {0, 2};
  records.edge_from = {0};
  records.edge_to = {1};
  return records;
}

std::string refusal(const Records& records) {
  const testing::TemporaryFolder folder;
  try {
    write_tu(records, folder / "D");
  } catch (const core::Error& error) {
    EXPECT_FALSE(std::filesystem::exists(folder / "D")) << "something was written";
    return error.what();
  }
  return "";
}

TEST(WriteTu, WhatTheLayoutCannotHoldIsRefused) {
  EXPECT_EQ(refusal(one_edge()), "");
  Records records = one_edge();
  records.targets = {{"label", 1, std::vector<double>{0}, {"mutagen"}}};
  EXPECT_SAYS(refusal(records), "target 'label' has class names", "JSON Lines");
  records.targets = {{"label", 1, std::vector<double>{std::nan("")}, {}}};
  EXPECT_SAYS(refusal(records), "target 'label' has missing values");
  records.targets = {{"logp", 1, std::vector<double>{0.5}, {}}};
  EXPECT_SAYS(refusal(records), "target 'logp' has the value 0.5");
  records = one_edge();
  records.node_labels = {{"label", std::vector<int32_t>{0, 0}, {"C"}}};
  EXPECT_SAYS(refusal(records), "label column 'label' has the value 'C'");
  records = one_edge();
  records.node_attributes = {1, std::vector<float>{0, INFINITY}};
  EXPECT_SAYS(refusal(records), "node attributes hold NaN or infinity");
  records = one_edge();
  records.node_offsets = {0, 2, 2};
  EXPECT_SAYS(refusal(records), "graph 1 has no nodes");
  records.node_offsets = {0, 2};
  records.edge_from = records.edge_to = {};
  EXPECT_SAYS(refusal(records), "no edges to write");
}

TEST(WriteJsonl, ARefusalLeavesTheOldFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("D.jsonl", "old");
  Records records = one_edge();
  records.graph_ids = {"\xff"};
  EXPECT_THROW(write_jsonl(records, path), core::Error);
  EXPECT_EQ(testing::read_text(path), "old");
  records.graph_ids = {"new"};
  write_jsonl(records, path);
  EXPECT_EQ(testing::read_text(path), "{\"id\":\"new\",\"nodes\":2,\"edges\":[[0,1]]}\n");
}

}  // namespace
}  // namespace dotin::io
