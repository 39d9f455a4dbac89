// Everything that can be wrong with the text of a TU dataset: what is said about it, where, and what is left.
#include <gtest/gtest.h>

#include "dotin/core/memory.h"
#include "support/expect.h"
#include "tu_files_support.h"

namespace dotin::io {
namespace {

/// The small dataset with one file changed.
class TuBadInput : public ::testing::Test {
 protected:
  const std::string& with(const std::string& kind, const std::string& text) {
    TuContent content = small_dataset();
    content[kind] = text;
    write_dataset(folder_, content);
    return folder_.path();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(TuBadInput, NodeZeroIsOutOfRange) {
  EXPECT_SAYS(error_of(with("A", "1, 2\n0, 1\n")), "D_A.txt:2: node 0 is out of range 1..5");
}

TEST_F(TuBadInput, NegativeNodesAreOutOfRange) {
  EXPECT_SAYS(error_of(with("A", "1, 2\n2, 1\n1, -7\n")), "D_A.txt:3: node -7 is out of range 1..5");
}

TEST_F(TuBadInput, NodesBeyondTheLastAreOutOfRange) {
  EXPECT_SAYS(error_of(with("A", "6, 1\n")), "D_A.txt:1: node 6 is out of range 1..5", "D_graph_indicator.txt");
}

TEST_F(TuBadInput, NodesBeyondAnyIntegerTypeAreOutOfRange) {
  for (const char* id : {"2147483648", "4294967297", "18446744073709551617", "99999999999999999999999999"}) {
    EXPECT_SAYS(error_of(with("A", std::string("1, ") + id + "\n")),
                "D_A.txt:1: node " + std::string(id) + " is out of range 1..5");
  }
}

TEST_F(TuBadInput, EdgesMustBeTwoIntegers) {
  for (const char* row :
       {"1", "1,", ",2", "1, 2, 3", "1 2", "1; 2", "one, two", "1.5, 2", "nan, 1", "-, 1", ",", "1,,2"}) {
    EXPECT_SAYS(error_of(with("A", std::string("1, 2\n") + row + "\n")),
                "D_A.txt:2: '" + std::string(row) + "' is not an edge", "i, j");
  }
}

TEST_F(TuBadInput, AnEdgeBetweenTwoGraphsIsNone) {
  EXPECT_SAYS(error_of(with("A", "1, 2\n3, 4\n")), "D_A.txt:2: nodes 3 and 4 are of graphs 1 and 2");
}

TEST_F(TuBadInput, BadEdgesAreLeftOutWithTheirLabelsAndTheRestIsRead) {
  const Collected read = read_collecting(with("A", "1, 2\n9, 1\nx\n3, 2\n3, 4\n5, 4\n"));
  ASSERT_EQ(read.problems.size(), 3U);
  EXPECT_SAYS(read.problems[0], "D_A.txt:2: node 9");
  EXPECT_SAYS(read.problems[1], "D_A.txt:3: 'x'");
  EXPECT_SAYS(read.problems[2], "D_A.txt:5: nodes 3 and 4");
  EXPECT_VALUES(read.records.edge_from, 0, 2, 4);
  EXPECT_VALUES(read.records.edge_to, 1, 1, 3);
  ASSERT_EQ(read.records.edge_labels.size(), 1U);
  const core::Array<int32_t>& codes = read.records.edge_labels[0].codes;
  EXPECT_VALUES(codes, 0, 1, 0);
  const core::Array<float>& numbers = read.records.edge_attributes.values;
  EXPECT_VALUES(numbers, 0.25F, 0.5F, 1);
}

TEST_F(TuBadInput, GraphIndicatorMustNotJump) {
  const Collected read = read_collecting(with("graph_indicator", "1\n1\n1\n3\n3\n"));
  ASSERT_EQ(read.problems.size(), 3U);
  EXPECT_SAYS(read.problems[0], "D_graph_indicator.txt:4: the graph number jumps from 1 to 3");
  EXPECT_SAYS(read.problems[1], "D_graph_labels.txt:2: the file ends after 2 rows; there must be 3");
  EXPECT_SAYS(read.problems[2], "D_graph_attributes.txt:2: the file ends after 2 rows; there must be 3");
  EXPECT_VALUES(read.records.node_offsets, 0, 3, 5);
}

TEST_F(TuBadInput, AJumpedGraphTakesItsLabelWithIt) {
  TuContent content = small_dataset();
  content["graph_indicator"] = "1\n1\n1\n3\n3\n";
  content["graph_labels"] = "10\n20\n30\n";
  content.erase("graph_attributes");
  const Collected read = read_collecting(write_dataset(folder_, content));
  EXPECT_EQ(read.problems.size(), 1U);
  const core::Array<double>& labels = read.records.targets.at(0).values;
  EXPECT_VALUES(labels, 10, 30);
}

TEST_F(TuBadInput, AHugeJumpCostsNothing) {
  const Collected read = read_collecting(with("graph_indicator", "1\n1\n1\n2147483647\n2147483647\n"));
  EXPECT_SAYS(read.problems[0], "D_graph_indicator.txt:4: the graph number jumps from 1 to 2147483647");
  EXPECT_EQ(read.records.graphs(), 2);
}

TEST_F(TuBadInput, GraphIndicatorMustBeSorted) {
  const Collected read = read_collecting(with("graph_indicator", "1\n2\n1\n2\n2\n"));
  EXPECT_SAYS(read.problems[0], "D_graph_indicator.txt:3: graph 1 comes after graph 2");
  EXPECT_EQ(read.records.nodes(), 5);
  EXPECT_EQ(read.records.graphs(), 2);
}

TEST_F(TuBadInput, GraphIndicatorMustStartAtOne) {
  EXPECT_SAYS(error_of(with("graph_indicator", "0\n0\n0\n1\n1\n")),
              "D_graph_indicator.txt:1: the first graph number is 0 (graphs are counted from 1)");
  EXPECT_EQ(read_collecting(folder_.path()).problems.size(), 1U) << "the rest is consistent";
}

TEST_F(TuBadInput, GraphIndicatorMustHoldIntegers) {
  for (const char* value : {"one", "nan", "1.5", "1, 1", "99999999999", "\x01\x02"}) {
    EXPECT_SAYS(error_of(with("graph_indicator", std::string("1\n1\n1\n") + value + "\n2\n")),
                "D_graph_indicator.txt:4: ", "is not a graph number");
  }
}

TEST_F(TuBadInput, MissingGraphIndicatorIsSaid) {
  folder_.write("D_A.txt", "1, 2\n");
  EXPECT_SAYS(error_of(folder_.path()), "D_graph_indicator.txt is missing beside D_A.txt");
}

TEST_F(TuBadInput, TooFewRowsAreSaidWithBothCounts) {
  EXPECT_SAYS(error_of(with("node_labels", "1\n2\n3\n")),
              "D_node_labels.txt:3: the file ends after 3 rows; there must be 5, one for each row of "
              "D_graph_indicator.txt");
  EXPECT_TRUE(read_collecting(folder_.path()).records.node_labels.empty());
}

TEST_F(TuBadInput, TooManyRowsAreSaidWhereTheyBegin) {
  EXPECT_SAYS(error_of(with("node_attributes", "1\n2\n3\n4\n5\n6\n7\n")),
              "D_node_attributes.txt:6: there are more rows than 5, one for each row of "
              "D_graph_indicator.txt");
  EXPECT_EQ(read_collecting(folder_.path()).records.node_attributes.columns, 0);
}

TEST_F(TuBadInput, EveryFileIsCountedAgainstItsOwn) {
  for (const char* kind : {"edge_labels", "edge_attributes"}) {
    EXPECT_SAYS(error_of(with(kind, "1\n")), "_" + std::string(kind) + ".txt:1: the file ends after 1",
                "there must be 6, one for each edge in D_A.txt");
  }
  for (const char* kind : {"graph_labels", "graph_attributes"}) {
    EXPECT_SAYS(error_of(with(kind, "1\n")), "_" + std::string(kind) + ".txt:1: the file ends after 1",
                "there must be 2, one for each graph");
  }
}

TEST_F(TuBadInput, NanAndTextInAttributesAreSaid) {
  for (const char* kind : {"node_attributes", "edge_attributes", "graph_attributes"}) {
    const std::string file = "D_" + std::string(kind) + ".txt:2: ";
    EXPECT_SAYS(error_of(with(kind, "1\nnan\n")), file + "value 'nan' is not a finite number");
    EXPECT_SAYS(error_of(with(kind, "1\n-inf\n")), file + "value '-inf' is not a finite number");
    EXPECT_SAYS(error_of(with(kind, "1\n1e999\n")), file + "value '1e999' is not a finite number");
    EXPECT_SAYS(error_of(with(kind, "1\ntext\n")), file + "value 'text' is not a number");
    EXPECT_SAYS(error_of(with(kind, "1\n1.5x\n")), file + "value '1.5x' is not a number");
    EXPECT_SAYS(error_of(with(kind, "1, 2\n1,\n")), file + "value '' is empty");
  }
}

TEST_F(TuBadInput, LabelsMustBeIntegers) {
  for (const char* kind : {"node_labels", "edge_labels", "graph_labels"}) {
    const std::string file = "D_" + std::string(kind) + ".txt:2: ";
    EXPECT_SAYS(error_of(with(kind, "1\n0.5\n")), file + "label '0.5' is not a whole number");
    EXPECT_SAYS(error_of(with(kind, "1\nC\n")), file + "label 'C' is not a whole number");
    EXPECT_SAYS(error_of(with(kind, "1\nnan\n")), file + "label 'nan' is not a whole number");
    EXPECT_SAYS(error_of(with(kind, "1, 2\n1, \n")), file + "a label is missing");
  }
}

TEST_F(TuBadInput, RaggedRowsAreSaid) {
  for (const char* kind : {"node_attributes", "node_labels", "edge_labels", "graph_labels"}) {
    EXPECT_SAYS(error_of(with(kind, "1, 2\n1, 2, 3\n")),
                "D_" + std::string(kind) + ".txt:2: 3 columns, but 2 in the rows before");
  }
  EXPECT_EQ(read_collecting(with("node_attributes", "1,1\n2\n3,3\n4,4\n5,5\n")).records.node_attributes.columns, 0);
}

TEST_F(TuBadInput, EmptyFilesAreSaid) {
  for (const auto& [kind, text] : small_dataset()) {
    for (const char* empty : {"", "\n\n", "\xEF\xBB\xBF"}) {
      EXPECT_SAYS(error_of(with(kind, empty)), "D_" + kind + ".txt: ", "the file is empty");
    }
  }
}

TEST_F(TuBadInput, BlankLinesBetweenRowsAreSaid) {
  EXPECT_SAYS(error_of(with("graph_indicator", "1\n1\n\n1\n2\n2\n")),
              "D_graph_indicator.txt:3: a blank line between two rows");
}

TEST_F(TuBadInput, BinaryGarbageIsShownAsText) {
  EXPECT_SAYS(error_of(with("A", std::string("\x00\xff\x1b[2J\x80", 7))),
              "D_A.txt:1: '\\x00\\xff\\x1b[2J\\x80' is not an edge");
}

TEST_F(TuBadInput, LinesOfTenMegabytesAreSaidBriefly) {
  const std::string line(10'000'000, '7');
  for (const auto& [kind, text] : small_dataset()) {
    const std::string error = error_of(with(kind, line + "\n"));
    EXPECT_SAYS(error, "D_" + kind + ".txt:1: ");
    EXPECT_LT(error.size(), 500U);
  }
  const std::string commas(10'000'000, ',');
  for (const std::string kind : {"A", "node_labels", "node_attributes"}) {
    with(kind, commas + "\n");
    EXPECT_SAYS(read_collecting(folder_.path()).problems.at(0), "D_" + kind + ".txt:1: ");
  }
}

TEST_F(TuBadInput, TheLimitOnLinesIsAnOption) {
  Limits limits;
  limits.max_line_bytes = 1000;
  for (const auto& [kind, text] : small_dataset()) {
    EXPECT_SAYS(error_of(with(kind, std::string(1001, '1') + "\n" + text), limits),
                "D_" + kind + ".txt:1: the line is too long", "raise the limit");
  }
}

TEST_F(TuBadInput, ALineBeyondTheLimitTakesNoMemory) {
  Limits limits;
  limits.max_line_bytes = 1 << 20;
  with("A", "1, 2\n" + std::string(50'000'000, '1') + "\n2, 3\n");
  const int64_t before = core::resident_bytes();
  const bool measured = testing::kPeakIsMeaningful && core::reset_peak_resident();
  const Collected read = read_collecting(folder_.path(), limits);
  if (measured) {
    EXPECT_LT(core::peak_resident_bytes() - before, 20'000'000);
  }
  EXPECT_VALUES(read.records.edge_from, 0, 1);
  EXPECT_SAYS(read.problems[0], "D_A.txt:2: the line is too long");
}

TEST_F(TuBadInput, AFolderWithoutEdgesFileIsNoDataset) {
  folder_.write("D_graph_indicator.txt", "1\n");
  folder_.write("_A.txt", "1, 2\n");
  EXPECT_SAYS(error_of(folder_.path()), folder_.path(), "there is no *_A.txt");
}

TEST_F(TuBadInput, SeveralDatasetsInOneFolderAreListed) {
  folder_.write("one/D_A.txt", "1, 2\n");
  folder_.write("two/E_A.txt", "1, 2\n");
  EXPECT_SAYS(error_of(folder_.path()), "several *_A.txt", "one/D_A.txt, two/E_A.txt", "give the folder");
}

TEST_F(TuBadInput, APathThatDoesNotExistIsSaid) {
  EXPECT_SAYS(error_of(folder_ / "nothing"), "nothing: there is no such file or folder");
}

TEST_F(TuBadInput, RelevantNodesMustBeZeroOrOneAndHaveNames) {
  with("relevant_nodes", "0\n1\n2\n0\n0\n");
  EXPECT_SAYS(error_of(folder_.path()), "D_relevant_nodes.txt:3: '2' is neither 0 nor 1");
  with("relevant_nodes", "0\n1\n1\n0\n0\n");
  EXPECT_SAYS(error_of(folder_.path()), "D_relevant_targets.txt is missing beside it");
  folder_.write("D_relevant_targets.txt", "label\nother\n");
  EXPECT_SAYS(error_of(folder_.path()), "D_relevant_targets.txt: 2 names, but D_relevant_nodes.txt has 1 columns");
}

}  // namespace
}  // namespace dotin::io
