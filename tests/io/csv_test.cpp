// CSV folders: what may stand in the three files, and what is said about what may not.
#include "dotin/io/csv.h"
#include "support/expect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

using Files = std::map<std::string, std::string>;

Records read(const Files& files, ProblemSink& problems, const Limits& limits = {}) {
  const testing::TemporaryFolder folder;
  for (const auto& [name, text] : files) folder.write("own/" + name, text);
  return read_csv(folder / "own/", limits, problems);
}

Records read(const Files& files) {
  ThrowingSink problems;
  return read(files, problems);
}

std::string error_of(const Files& files, const Limits& limits = {}) {
  ThrowingSink problems;
  try {
    read(files, problems, limits);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

const std::string kEdges = "graph,source,target\na,x,y\nb,1,2\n";

TEST(Csv, EdgesAloneAreEnough) {
  const Records records = read({{"edges.csv", "graph,source,target\nb,x,y\na,1,2\nb,y,z\n"}});
  EXPECT_EQ(records.name, "own");
  EXPECT_VALUES(records.graph_ids, "b", "a");
  EXPECT_VALUES(records.node_offsets, 0, 3, 5);
  EXPECT_VALUES(records.edge_from, 0, 3, 1);
  EXPECT_VALUES(records.edge_to, 1, 4, 2);
}

TEST(Csv, AllThreeFilesAreRead) {
  const Records records = read({
      {"edges.csv", "target,attr:length,graph,source,label:bond\nq,1.5,a,p,single\nr,2,b,s,double\np,3,a,q,single\n"},
      {"nodes.csv",
       "graph,node,label,attr:mass,label:kind,attr:charge,relevant:label\n"
       "b,r,10,1,u,-1,0\na,q,9,2,v,0,1\nb,s,9,3,u,1e-3,1\na,p,-1,4,u,0.5,0\n"},
      {"graphs.csv", "y,graph,logp,class\n1,a,0.5,toxic\n0,b,,harmless\n"},
  });
  EXPECT_VALUES(records.graph_ids, "a", "b");
  EXPECT_VALUES(records.node_offsets, 0, 2, 4);
  ASSERT_EQ(records.node_labels.size(), 2U);
  EXPECT_EQ(records.node_labels[0].name, "label");
  EXPECT_VALUES(records.node_labels[0].values, "-1", "9", "10");
  EXPECT_VALUES(records.node_labels[0].codes, 1, 0, 2, 1);
  EXPECT_EQ(records.node_labels[1].name, "kind");
  EXPECT_VALUES(records.node_labels[1].codes, 1, 0, 0, 0);
  EXPECT_EQ(records.node_attributes.columns, 2);
  EXPECT_VALUES(records.node_attributes.values, 2, 0, 4, 0.5F, 1, -1, 3, 1e-3F);
  EXPECT_VALUES(records.edge_from, 1, 3, 0);
  EXPECT_VALUES(records.edge_to, 0, 2, 1);
  EXPECT_VALUES(records.edge_labels.at(0).values, "double", "single");
  EXPECT_VALUES(records.edge_labels[0].codes, 1, 0, 1);
  EXPECT_VALUES(records.edge_attributes.values, 1.5F, 2, 3);
  EXPECT_EQ(records.relevant.at(0).target, "label");
  EXPECT_VALUES(records.relevant[0].nodes, 1, 0, 0, 1);
  ASSERT_EQ(records.targets.size(), 3U);
  EXPECT_EQ(records.targets[0].name, "label");
  EXPECT_VALUES(records.targets[0].values, 1, 0);
  EXPECT_EQ(records.targets[1].values[0], 0.5);
  EXPECT_TRUE(std::isnan(records.targets[1].values[1]));
  EXPECT_VALUES(records.targets[2].names, "harmless", "toxic");
  EXPECT_VALUES(records.targets[2].values, 1, 0);
}

TEST(Csv, QuotesCrlfBlanksAndByteOrderMarksAreFine) {
  const Records records = read({{"edges.csv",
                                 "\xEF\xBB\xBFgraph , \"source\",target\r\n\r\n \"a, \"\"b\"\"\" ,\"x\ny\", z \r\n"
                                 "\"a, \"\"b\"\"\",z,\"x\ny\""}});
  EXPECT_VALUES(records.graph_ids, "a, \"b\"");
  EXPECT_VALUES(records.node_offsets, 0, 2);
  EXPECT_VALUES(records.edge_from, 0, 1);
  EXPECT_VALUES(records.edge_to, 1, 0);
}

TEST(Csv, AGraphWithoutEdgesIsFine) {
  const Records records = read({{"edges.csv", "graph,source,target\n"}, {"nodes.csv", "graph,node\na,1\na,2\n"}});
  EXPECT_VALUES(records.node_offsets, 0, 2);
  EXPECT_TRUE(records.edge_from.empty());
}

TEST(Csv, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<Files, std::string> cases[] = {
      {{{"edges.csv", ""}}, "edges.csv: the file is empty"},
      {{{"edges.csv", "graph,source\n"}}, "edges.csv:1: there is no column 'target'"},
      {{{"edges.csv", "graph,source,target,graph\n"}}, "edges.csv:1: there are two columns 'graph'"},
      {{{"edges.csv", "graph,source,target,color\na,x,y,red\n"}}, "edges.csv:1: unknown column 'color'"},
      {{{"edges.csv", "graph,source,target\na,x\n"}}, "edges.csv:2: 2 fields, but 3 columns in the header"},
      {{{"edges.csv", "graph,source,target\na,x,\n"}}, "edges.csv:2: column 'target' is empty"},
      {{{"edges.csv", "graph,source,target\na,x,y\"z\n"}}, "edges.csv:2: a quote in the middle of field 'y\"z'"},
      {{{"edges.csv", "graph,source,target\na,\"x\"x,y\n"}}, "edges.csv:2: text after a closing quote"},
      {{{"edges.csv", "graph,source,target\na,x,y\na,\"x,y\na,x,y\n"}}, "edges.csv:3: a quote is never closed"},
      {{{"edges.csv", "graph,source,target,attr:w\na,x,y,much\n"}},
       "edges.csv:2: column 'attr:w': 'much' is not a number"},
      {{{"edges.csv", "graph,source,target,attr:w\na,x,y,nan\n"}}, "column 'attr:w': 'nan' is not a finite number"},
      {{{"edges.csv", "graph,source,target,attr:w\na,x,y,\n"}}, "column 'attr:w': '' is empty"},
      {{{"edges.csv", "graph,source,target,label\na,x,y,\n"}}, "edges.csv:2: label 'label' is empty"},
      {{{"edges.csv", "graph,source,target\n"}}, "edges.csv: there is no graph in the files"},
      {{{"edges.csv", kEdges}, {"nodes.csv", "graph,node\na,x\na,x\n"}},
       "nodes.csv:3: node 'x' of graph 'a' comes twice"},
      {{{"edges.csv", kEdges}, {"nodes.csv", "graph,node,label\na,x,1\n"}},
       "edges.csv:2: node 'y' of graph 'a' is not in nodes.csv"},
      {{{"edges.csv", kEdges}, {"nodes.csv", "graph,node,relevant:label\na,x,2\n"}},
       "nodes.csv:2: column 'relevant:label': '2' is neither 0 nor 1"},
      {{{"edges.csv", kEdges}, {"graphs.csv", "graph,y\na,1\na,2\n"}}, "graphs.csv:3: graph 'a' comes twice"},
      {{{"edges.csv", kEdges}, {"graphs.csv", "graph,y\nc,1\n"}}, "graphs.csv:2: graph 'c' has no nodes"},
      {{{"edges.csv", kEdges}, {"graphs.csv", "graph,y,label\na,1,1\n"}},
       "graphs.csv:1: columns 'y' and 'label' are the same"},
      {{{"edges.csv", kEdges}, {"graphs.csv", "graph,y\na,NaN\n"}},
       "graphs.csv:2: column 'label': 'NaN' is not a finite"},
  };
  for (const auto& [files, message] : cases) EXPECT_SAYS(error_of(files), message);
}

TEST(Csv, BadRowsAreLeftOutAndTheRestIsRead) {
  CollectingSink problems(10);
  const Records records = read({{"edges.csv", "graph,source,target,attr:w\na,x,y,1\na,x,y,bad\na,x\na,y,z,3\n"},
                                {"graphs.csv", "graph,y\nempty,5\na,6\n"}},
                               problems);
  EXPECT_EQ(problems.count(), 3);
  EXPECT_VALUES(records.graph_ids, "a");
  EXPECT_VALUES(records.edge_from, 0, 1);
  EXPECT_VALUES(records.edge_attributes.values, 1, 3);
  EXPECT_VALUES(records.targets.at(0).values, 6);
}

TEST(Csv, TextThatIsNotUtf8IsReportedWithItsLine) {
  EXPECT_SAYS(error_of({{"edges.csv", kEdges + "a\xe9,x,y\n"}}),
              "edges.csv:4: not UTF-8 text (save the file as UTF-8)");
  EXPECT_EQ(error_of({{"edges.csv", kEdges + "a\xc3\xa9,x,y\n"}}), "");
}

TEST(Csv, LongLinesAndEndlessQuotesAreRefused) {
  Limits limits;
  limits.max_line_bytes = 100;
  EXPECT_SAYS(error_of({{"edges.csv", kEdges + std::string(101, 'x') + "\n"}}, limits),
              "edges.csv:4: the line is too long");
  std::string lines = kEdges + "\"";
  for (int i = 0; i < 1000; ++i) lines += "more\n";
  EXPECT_SAYS(error_of({{"edges.csv", lines}}, limits), "edges.csv:4: a quote is never closed");
  EXPECT_SAYS(error_of({{"edges.csv", kEdges + std::string(10'000'000, ',') + "\n"}}),
              "edges.csv:4: more than 100,000");
}

TEST(Csv, AFolderWithoutEdgesFileIsNone) {
  const testing::TemporaryFolder folder;
  ThrowingSink problems;
  EXPECT_FALSE(is_csv_folder(folder.path()));
  EXPECT_FALSE(is_csv_folder(folder / "none"));
  EXPECT_THROW(read_csv(folder.path(), {}, problems), core::Error);
  folder.write("edges.csv", kEdges);
  EXPECT_TRUE(is_csv_folder(folder.path()));
  EXPECT_FALSE(is_csv_folder(folder / "edges.csv"));
}

}  // namespace
}  // namespace dotin::io
