// JSON Lines: what a line may hold, and what is said about one that is wrong.
#include "dotin/io/jsonl.h"
#include "support/expect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dotin/core/memory.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

class Jsonl : public ::testing::Test {
 protected:
  Records read(const std::string& text, const Limits& limits = {}) {
    ThrowingSink problems;
    return read_jsonl(folder_.write("own.jsonl", text), limits, problems);
  }
  std::string error_of(const std::string& text, const Limits& limits = {}) {
    try {
      read(text, limits);
    } catch (const core::Error& error) {
      return error.what();
    }
    return "";
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Jsonl, EveryKeyIsRead) {
  const Records records =
      read(R"({"edges": [[0,1],[1,2]], "nodes": 3, "x": [[0.1],[0.2],[0.3]], "node_labels": [6,6,8], )"
           R"("edge_attr": [[1.0],[2.0]], "edge_labels": [1,2], "y": 1, "targets": {"logp": 0.3, "tox": [0,1,null]}, )"
           R"("relevant": {"label": [0,2]}, "id": "aspirin"})"
           "\n"
           R"({"edges": [], "x": [[0.5]], "node_labels": [7], "y": null})"
           "\n");
  EXPECT_EQ(records.name, "own");
  EXPECT_VALUES(records.node_offsets, 0, 3, 4);
  EXPECT_VALUES(records.edge_from, 0, 1);
  EXPECT_VALUES(records.edge_to, 1, 2);
  EXPECT_VALUES(records.node_attributes.values, 0.1F, 0.2F, 0.3F, 0.5F);
  EXPECT_VALUES(records.node_labels.at(0).values, "6", "7", "8");
  EXPECT_VALUES(records.node_labels.at(0).codes, 0, 0, 2, 1);
  EXPECT_VALUES(records.edge_attributes.values, 1, 2);
  EXPECT_VALUES(records.edge_labels.at(0).codes, 0, 1);
  ASSERT_EQ(records.targets.size(), 3U);
  EXPECT_EQ(records.targets[0].name, "label");
  EXPECT_EQ(records.targets[0].values[0], 1);
  EXPECT_TRUE(std::isnan(records.targets[0].values[1]));
  EXPECT_EQ(records.targets[1].name, "logp");
  EXPECT_EQ(records.targets[2].name, "tox");
  EXPECT_EQ(records.targets[2].width, 3);
  EXPECT_EQ(records.targets[2].values[1], 1);
  EXPECT_TRUE(std::isnan(records.targets[2].values[2]));
  EXPECT_TRUE(std::isnan(records.targets[2].values[5]));
  EXPECT_EQ(records.relevant.at(0).target, "label");
  EXPECT_VALUES(records.relevant[0].nodes, 1, 0, 1, 0);
  EXPECT_VALUES(records.graph_ids, "aspirin", "1");
}

TEST_F(Jsonl, NodesAreCountedByWhatThereIs) {
  EXPECT_EQ(read(R"({"edges": [[0,1]], "nodes": 5})").nodes(), 5);
  EXPECT_EQ(read(R"({"edges": [[0,1]], "x": [[1],[2],[3]]})").nodes(), 3);
  EXPECT_EQ(read(R"({"edges": [[0,1]], "node_labels": ["a","b","c","d"]})").nodes(), 4);
  EXPECT_EQ(read(R"({"edges": [[0,8]]})").nodes(), 9);
}

TEST_F(Jsonl, TextBecomesClassNamesAndLabels) {
  const Records records = read(
      "\xEF\xBB\xBF"
      R"({"edges": [[0,1]], "node_labels": [["C", 2], ["B", 10]], "y": "toxic"})"
      "\r\n\r\n  \n"
      R"({"edges": [[0,1]], "node_labels": [["C", 1.5], ["A", 10]], "y": "harmless"})");
  EXPECT_EQ(records.graphs(), 2);
  EXPECT_EQ(records.node_labels.at(0).name, "label0");
  EXPECT_VALUES(records.node_labels[0].values, "A", "B", "C");
  EXPECT_VALUES(records.node_labels[0].codes, 2, 1, 2, 0);
  EXPECT_VALUES(records.node_labels.at(1).values, "1.5", "10", "2");
  EXPECT_VALUES(records.targets.at(0).names, "harmless", "toxic");
  EXPECT_VALUES(records.targets[0].values, 1, 0);
}

TEST_F(Jsonl, ATargetThatIsAlwaysMissingIsStillATarget) {
  const Records records = read("{\"edges\": [[0,1]], \"y\": null, \"targets\": {\"a\": null}}\n");
  ASSERT_EQ(records.targets.size(), 2U);
  EXPECT_EQ(records.targets[0].name, "label");
  EXPECT_TRUE(std::isnan(records.targets[0].values[0]));
  EXPECT_EQ(records.targets[1].name, "a");
}

TEST_F(Jsonl, WhatIsWrongWithOneGraphIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"edges": [[0,1]], )", "not valid JSON at column"},
      {R"({"edges": [[0,1]], "y": NaN})", "not valid JSON at column 2"},
      {R"([[0,1]])", "not a JSON object"},
      {R"({"nodes": 3})", "there is no list \"edges\""},
      {R"({"edges": 3})", "there is no list \"edges\""},
      {R"({"edges": [[0,1],[2]]})", "\"edges\": entry 1, '[2]', is not an edge"},
      {R"({"edges": [[0,"a"]]})", "is not an edge"},
      {R"({"edges": [[0,0.5]]})", "is not an edge"},
      {R"({"edges": [[0,-1]]})", "\"edges\": node -1 of entry 0 is out of range"},
      {R"({"edges": [[0,18446744073709551615]]})", "is not an edge"},
      {R"({"edges": [[0,3]], "nodes": 3})", "\"edges\": node 3 is out of range 0..2"},
      {R"({"edges": [], "nodes": -1})", "\"nodes\": '-1' is not a number of nodes"},
      {R"({"edges": []})", "the graph has no nodes"},
      {R"({"edges": [[0,1]], "x": [[1]]})", "node 1 is out of range 0..0"},
      {R"({"edges": [[0,1]], "nodes": 2, "x": [[1]]})", "\"x\" has 1 rows, but the graph has 2 nodes"},
      {R"({"edges": [[0,1]], "x": [[1],[2,3]]})", "\"x\": row 1 has 2 columns, row 0 has 1"},
      {R"({"edges": [[0,1]], "x": [[1],["a"]]})", "\"x\": '\"a\"' in row 1 is not a finite number"},
      {R"({"edges": [[0,1]], "x": [[1],[1e39]]})", "in row 1 is not a finite number"},
      {R"({"edges": [[0,1]], "x": [[1],[1e999]]})", "a number is out of range"},
      {R"({"edges": [[0,1]], "x": [[1],[null]]})", "in row 1 is not a finite number"},
      {R"({"edges": [[0,1]], "x": 5})", "\"x\" is not a list"},
      {R"({"edges": [[0,1]], "node_labels": [1, null]})", "\"node_labels\": 'null' in row 1 is not a label"},
      {R"({"edges": [[0,1]], "edge_attr": [[1],[2]]})", "\"edge_attr\" has 2 rows, but the graph has 1 edges"},
      {R"({"edges": [[0,1]], "edge_labels": []})", "\"edge_labels\" has 0 rows, but the graph has 1 edges"},
      {R"({"edges": [[0,1]], "y": {}})", "\"y\": '{}' is no target"},
      {R"({"edges": [[0,1]], "y": true})", "\"y\": 'true' is no target"},
      {R"({"edges": [[0,1]], "y": []})", "\"y\": '[]' is no target"},
      {R"({"edges": [[0,1]], "targets": {"a": ["x"]}})", "\"targets.a\": '[\"x\"]' is no target"},
      {R"({"edges": [[0,1]], "targets": 1})", "\"targets\" is not an object"},
      {R"({"edges": [[0,1]], "y": 1, "targets": {"label": 1}})", "both give the target \"label\""},
      {R"({"edges": [[0,1]], "relevant": {"label": [2]}})", "\"relevant.label\": '2' is not a node of 0..1"},
      {R"({"edges": [[0,1]], "relevant": {"label": 1}})", "\"relevant.label\": '1' is not a node of 0..1"},
      {R"({"edges": [[0,1]], "id": [1]})", "\"id\": '[1]' is neither text nor an integer"},
      {R"({"edges": [[0,1]], "node_label": [1,2]})", "unknown key 'node_label'"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_SAYS(error_of("\n" + std::string(line) + "\n"), "own.jsonl:2: ", message) << line;
  }
}

TEST_F(Jsonl, GraphsThatDoNotMatchTheFirstAreSaid) {
  const std::string plain = "{\"edges\": [[0,1]]";
  const std::pair<std::string, std::string> cases[] = {
      {", \"x\": [[1],[2]]} ; }", "\"x\" is missing, but the graphs before have it"},
      {"} ; , \"x\": [[1],[2]]}", "\"x\" is given, but not in the graphs before"},
      {", \"x\": [[1],[2]]} ; , \"x\": [[1,1],[2,2]]}", "\"x\" has 2 columns, but 1 in the graphs before"},
      {", \"edge_labels\": [1]} ; }", "\"edge_labels\" is missing, but the graphs before have it"},
      {", \"y\": 1} ; , \"y\": \"a\"}", "target \"label\" is text, but a number in a graph before"},
      {", \"y\": \"a\"} ; , \"y\": 1}", "target \"label\" is a number, but text in a graph before"},
      {", \"y\": [1,2]} ; , \"y\": 1}", "target \"label\" has 1 values, but 2 in a graph before"},
  };
  for (const auto& [lines, message] : cases) {
    const std::size_t cut = lines.find(" ; ");
    EXPECT_SAYS(error_of(plain + lines.substr(0, cut) + "\n" + plain + lines.substr(cut + 3)),
                "own.jsonl:2: " + message);
  }
}

TEST_F(Jsonl, BadGraphsAreLeftOutAndTheRestIsRead) {
  CollectingSink problems(10);
  const Records records = read_jsonl(folder_.write("own.jsonl",
                                                   "{\"edges\": [[0,1]], \"y\": 3}\n"
                                                   "nonsense\n"
                                                   "{\"edges\": [[0,7]], \"nodes\": 2, \"y\": 4}\n"
                                                   "{\"edges\": [[0,2]], \"y\": 5, \"color\": 1}\n"),
                                     {}, problems);
  EXPECT_EQ(problems.count(), 3);
  EXPECT_EQ(problems.problems()[0].where.line, 2);
  EXPECT_EQ(problems.problems()[1].where.line, 3);
  EXPECT_EQ(problems.problems()[2].where.line, 4);
  EXPECT_VALUES(records.node_offsets, 0, 2, 5);
  EXPECT_VALUES(records.targets.at(0).values, 3, 5);
}

TEST_F(Jsonl, AnEmptyFileIsSaid) {
  EXPECT_SAYS(error_of(""), "own.jsonl: there is no graph in the file");
  EXPECT_SAYS(error_of("\n\n"), "own.jsonl: there is no graph in the file");
}

TEST_F(Jsonl, AMissingFileIsSaid) {
  ThrowingSink problems;
  try {
    read_jsonl(folder_ / "none.jsonl", {}, problems);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_SAYS(error.what(), "none.jsonl: cannot be opened: No such file");
  }
}

TEST_F(Jsonl, LongLinesAndDeepNestingAreRefused) {
  Limits limits;
  limits.max_line_bytes = 100;
  EXPECT_SAYS(error_of("{\"edges\": [[0,1]]}\n" + std::string(101, ' ') + "\n", limits),
              "own.jsonl:2: the line is too long", "raise the limit");
  EXPECT_SAYS(error_of(std::string(10'000'000, '[')), "own.jsonl:1: brackets nest more than 16 deep");
}

TEST_F(Jsonl, AFewBytesCannotClaimThousandsOfMillionsOfNodes) {
  EXPECT_SAYS(error_of(R"({"edges": [[0,2000000000]]})"), "own.jsonl:1: 2000000001 nodes in a line of a few bytes");
  EXPECT_SAYS(error_of(R"({"edges": [], "nodes": 2000000000})"), "2000000000 nodes in a line of a few bytes");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "{\"edges\": [], \"nodes\": 1000000}\n";
  EXPECT_SAYS(error_of(many), "own.jsonl:2: 1000000 nodes in a line of a few bytes");
}

TEST_F(Jsonl, AWideTargetOfOneGraphCannotClaimGigabytes) {
  std::string wide = "1";
  for (int i = 0; i < 100'000; ++i) wide += ",1";
  std::string text = "{\"edges\": [[0,1]], \"y\": [" + wide + "]}\n";
  for (int i = 0; i < 20'000; ++i) text += "{\"edges\": [[0,1]]}\n";
  EXPECT_SAYS(error_of(text), "target 'label': 1 of 20001 graphs have it, with 100001 values each");
}

}  // namespace
}  // namespace dotin::io
