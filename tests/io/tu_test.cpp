// What a TU folder or zip may look like, and what comes out.
#include <gtest/gtest.h>

#include <functional>

#include "support/expect.h"
#include "support/real_data.h"
#include "tu_files_support.h"

namespace dotin::io {
namespace {

void expect_small_dataset(const Records& records) {
  EXPECT_EQ(records.name, "D");
  EXPECT_VALUES(records.node_offsets, 0, 3, 5);
  EXPECT_VALUES(records.edge_from, 0, 1, 1, 2, 3, 4);
  EXPECT_VALUES(records.edge_to, 1, 0, 2, 1, 4, 3);
  ASSERT_EQ(records.node_labels.size(), 1U);
  EXPECT_EQ(records.node_labels[0].name, "label");
  EXPECT_VALUES(records.node_labels[0].values, "-3", "0", "7");
  EXPECT_VALUES(records.node_labels[0].codes, 2, 1, 2, 0, 1);
  ASSERT_EQ(records.edge_labels.size(), 1U);
  EXPECT_VALUES(records.edge_labels[0].values, "1", "2");
  EXPECT_VALUES(records.edge_labels[0].codes, 0, 0, 1, 1, 0, 0);
  EXPECT_EQ(records.node_attributes.columns, 2);
  EXPECT_VALUES(records.node_attributes.values, 0.5F, 1, -0.5F, 2, 1e-3F, 3, 3, 4, 4, 5);
  EXPECT_EQ(records.edge_attributes.columns, 1);
  EXPECT_VALUES(records.edge_attributes.values, 0.25F, 0.25F, 0.5F, 0.5F, 1, 1);
  ASSERT_EQ(records.targets.size(), 2U);
  EXPECT_EQ(records.targets[0].name, "label");
  EXPECT_EQ(records.targets[0].width, 1);
  EXPECT_VALUES(records.targets[0].values, -1, 1);
  EXPECT_EQ(records.targets[1].name, "attributes");
  EXPECT_EQ(records.targets[1].width, 2);
  EXPECT_VALUES(records.targets[1].values, 0.5, 1e-3, -2, 3);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TuContent map_content(const std::function<std::string(std::string)>& change) {
  TuContent content = small_dataset();
  for (auto& [kind, text] : content) text = change(text);
  return content;
}

TEST(TuFolder, AllEightFilesAreRead) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(read_strictly(write_dataset(folder, small_dataset())));
}

TEST(TuFolder, OnlyAAndGraphIndicatorAreNeeded) {
  const testing::TemporaryFolder folder;
  const TuContent all = small_dataset();
  const Records records =
      read_strictly(write_dataset(folder, {{"A", all.at("A")}, {"graph_indicator", all.at("graph_indicator")}}));
  EXPECT_EQ(records.graphs(), 2);
  EXPECT_TRUE(records.targets.empty());
  EXPECT_TRUE(records.node_labels.empty());
  EXPECT_EQ(records.node_attributes.columns, 0);
}

TEST(TuFolder, MayBeSomeFoldersDown) {
  const testing::TemporaryFolder folder;
  for (const auto& [kind, text] : small_dataset()) folder.write("a/raw/D_" + kind + ".txt", text);
  expect_small_dataset(read_strictly(folder.path()));
}

TEST(TuFolder, CrlfIsFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(read_strictly(
      write_dataset(folder, map_content([](std::string text) { return replaced(std::move(text), "\n", "\r\n"); }))));
}

TEST(TuFolder, BlanksRoundCommasAndAtLineEndsAreFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(read_strictly(write_dataset(folder, map_content([](std::string text) {
                                                     text = replaced(std::move(text), ", ", " \t,  ");
                                                     return " " + replaced(std::move(text), "\n", " \n\t");
                                                   }))));
}

TEST(TuFolder, NoBlankAfterTheCommaIsFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(read_strictly(
      write_dataset(folder, map_content([](std::string text) { return replaced(std::move(text), ", ", ","); }))));
}

TEST(TuFolder, BlankLinesAtTheEndAreFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(
      read_strictly(write_dataset(folder, map_content([](std::string text) { return text + "\n  \n\r\n"; }))));
}

TEST(TuFolder, NoLastNewlineIsFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(read_strictly(write_dataset(folder, map_content([](std::string text) {
                                                     text.pop_back();
                                                     return text;
                                                   }))));
}

TEST(TuFolder, ByteOrderMarkIsFine) {
  const testing::TemporaryFolder folder;
  expect_small_dataset(
      read_strictly(write_dataset(folder, map_content([](std::string text) { return "\xEF\xBB\xBF" + text; }))));
}

TEST(TuFolder, OtherFilesBesideThemDoNotMatter) {
  const testing::TemporaryFolder folder;
  folder.write("README.txt", "read me");
  folder.write("README.txt~", "read me");
  folder.write("D_A.txt~", "old");
  folder.write("._D_A.txt", "what another system leaves");
  folder.write("D_notes.txt", "more");
  expect_small_dataset(read_strictly(write_dataset(folder, small_dataset())));
}

TEST(TuFolder, LabelsMayBeWrittenAsFloatsAndHaveSeveralColumns) {
  const testing::TemporaryFolder folder;
  TuContent content = small_dataset();
  content["node_labels"] = "1.0, 5\n2.0, 5\n1e1, 5\n1, 6\n+2, 6\n";
  content["graph_labels"] = "0.0, 3\n2, 4\n";
  const Records records = read_strictly(write_dataset(folder, content));
  ASSERT_EQ(records.node_labels.size(), 2U);
  EXPECT_EQ(records.node_labels[0].name, "label0");
  EXPECT_EQ(records.node_labels[1].name, "label1");
  EXPECT_VALUES(records.node_labels[0].values, "1", "2", "10");
  EXPECT_VALUES(records.node_labels[0].codes, 0, 1, 2, 0, 1);
  EXPECT_VALUES(records.node_labels[1].codes, 0, 0, 0, 1, 1);
  ASSERT_EQ(records.targets.size(), 3U);
  EXPECT_EQ(records.targets[0].name, "label0");
  EXPECT_VALUES(records.targets[0].values, 0, 2);
  EXPECT_EQ(records.targets[1].name, "label1");
  EXPECT_VALUES(records.targets[1].values, 3, 4);
}

TEST(TuFolder, LargeAndNegativeLabelsKeepTheirValues) {
  const testing::TemporaryFolder folder;
  TuContent content = small_dataset();
  content["node_labels"] = "9000000000\n-9000000000\n5000\n0\n4095\n";
  const Records records = read_strictly(write_dataset(folder, content));
  EXPECT_VALUES(records.node_labels[0].values, "-9000000000", "0", "4095", "5000", "9000000000");
  EXPECT_VALUES(records.node_labels[0].codes, 4, 0, 3, 1, 2);
}

TEST(TuFolder, SelfLoopsIsolatedNodesAndGraphsWithoutEdgesAreFine) {
  const testing::TemporaryFolder folder;
  const Records records = read_strictly(write_dataset(folder, {{"A", "4, 4\n"}, {"graph_indicator", "1\n2\n2\n3\n"}}));
  EXPECT_VALUES(records.node_offsets, 0, 1, 3, 4);
  EXPECT_VALUES(records.edge_from, 3);
  EXPECT_VALUES(records.edge_to, 3);
}

TEST(TuFolder, EdgesMayComeInAnyOrderOfGraphs) {
  const testing::TemporaryFolder folder;
  const Records records =
      read_strictly(write_dataset(folder, {{"A", "3, 4\n1, 2\n4, 3\n"}, {"graph_indicator", "1\n1\n2\n2\n"}}));
  EXPECT_VALUES(records.edge_from, 2, 0, 3);
  EXPECT_VALUES(records.edge_to, 3, 1, 2);
}

TEST(TuFolder, LinesLongerThanAChunkAreRead) {
  const testing::TemporaryFolder folder;
  std::string row = "1";
  for (int i = 1; i < 200'000; ++i) row += ", " + std::to_string(i % 7);
  const Records records = read_strictly(write_dataset(
      folder, {{"A", "1, 2\n"}, {"graph_indicator", "1\n1\n"}, {"node_attributes", row + "\n" + row + "\n"}}));
  EXPECT_EQ(records.node_attributes.columns, 200'000);
  EXPECT_EQ(records.node_attributes.values.size(), 400'000U);
  EXPECT_EQ(records.node_attributes.values[399'999], 199'999 % 7);
}

TEST(TuZip, IsReadLikeAFolder) {
  const testing::TemporaryFolder folder;
  make_zip(folder / "x.zip", small_entries("D/D_"));
  expect_small_dataset(read_strictly(folder / "x.zip"));
}

TEST(TuZip, DoubleSlashesDeepFoldersAndClutterAreFine) {
  for (const std::string prefix : {"D//D_", "D_", "./D/D_", "some/where/deep/down/in/here/D_"}) {
    const testing::TemporaryFolder folder;
    ZipEntries entries = small_entries(prefix);
    entries.emplace_back("__MACOSX/D/._D_A.txt", "what another system leaves");
    entries.emplace_back("README.txt~", "read me");
    make_zip(folder / "x.zip", entries);
    expect_small_dataset(read_strictly(folder / "x.zip"));
  }
}

struct Counts {
  const char* name;
  int64_t graphs, nodes, edges;
};

void expect_counts(const std::string& path, const Counts& counts) {
  const Records records = read_strictly(path);
  EXPECT_EQ(records.name, counts.name);
  EXPECT_EQ(records.graphs(), counts.graphs);
  EXPECT_EQ(records.nodes(), counts.nodes);
  EXPECT_EQ(static_cast<int64_t>(records.edge_from.size()), counts.edges);
}

TEST(TuRealData, MutagHasItsCountsAndLabels) {
  DOTIN_REAL_DATA(path, "MUTAG");
  expect_counts(path, {"MUTAG", 188, 3371, 7442});
  const Records records = read_strictly(path);
  EXPECT_VALUES(records.node_labels[0].values, "0", "1", "2", "3", "4", "5", "6");
  EXPECT_EQ(records.edge_labels[0].codes.size(), 7442U);
  EXPECT_EQ(records.targets[0].values.size(), 188U);
}

TEST(TuRealData, ProteinsHasItsCountsAndAttributes) {
  DOTIN_REAL_DATA(path, "PROTEINS");
  expect_counts(path, {"PROTEINS", 1113, 43471, 162088});
  const Records records = read_strictly(path);
  EXPECT_EQ(records.node_attributes.columns, 1);
  EXPECT_EQ(records.node_attributes.values[0], 23.0F);
}

TEST(TuRealData, DdHasItsCounts) {
  DOTIN_REAL_DATA(path, "DD");
  expect_counts(path, {"DD", 1178, 334925, 1686092});
  EXPECT_EQ(read_strictly(path).node_labels[0].values.size(), 82U);
}

}  // namespace
}  // namespace dotin::io
