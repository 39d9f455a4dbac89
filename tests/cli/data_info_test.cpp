#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/real_data.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

constexpr const char* kGraphs =
    R"({"edges": [[0,1],[1,2],[2,2],[0,1]], "nodes": 4, "node_labels": ["C","O","C","N"], "y": "yes"})"
    "\n"
    R"({"edges": [[0,1]], "node_labels": ["C","N"], "y": "no"})"
    "\n";

TEST(DataInfo, JsonHasTheAgreedKeys) {
  const TemporaryFolder folder;
  const Result result = run({"data", "info", folder.write("own.jsonl", kGraphs), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["name"], "own");
  EXPECT_EQ(json["graphs"], 2);
  EXPECT_EQ(json["classes"], 2);
  EXPECT_EQ(json["class_names"], nlohmann::json({"no", "yes"}));
  EXPECT_EQ(json["class_sizes"], nlohmann::json({1, 1}));
  EXPECT_EQ(json["nodes"], 6);
  EXPECT_EQ(json["edges"], 3);
  EXPECT_DOUBLE_EQ(json["avg_nodes"], 3.0);
  EXPECT_DOUBLE_EQ(json["avg_edges"], 1.5);
  EXPECT_EQ(json["min_nodes"], 2);
  EXPECT_EQ(json["max_nodes"], 4);
  EXPECT_EQ(json["node_features"], 3);
  EXPECT_EQ(json["node_labels"][0]["values"], nlohmann::json({"C", "N", "O"}));
  EXPECT_EQ(json["node_attributes"], 0);
  EXPECT_EQ(json["targets"], nlohmann::json({"label"}));
  EXPECT_EQ(json["isolated_nodes"], 1);
  EXPECT_EQ(json["self_loops"], 1);
  EXPECT_EQ(json["duplicate_edges"], 1);
  EXPECT_FALSE(json.contains("paper"));
}

TEST(DataInfo, TableSaysTheSameToPeople) {
  const TemporaryFolder folder;
  const Result result = run({"data", "info", folder.write("own.jsonl", kGraphs)});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("classes   2: no (1), yes (1)\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("nodes     6, 3.00 a graph, 2 to 4\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("features  3 columns: one-hot label of 3 values\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("1 self-loop, 1 duplicate edge, 1 isolated node"), std::string::npos) << result.out;
}

TEST(DataInfo, DuplicatePolicyIsPassedOn) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", kGraphs);
  const Result kept = run({"data", "info", path, "--json", "--duplicates", "keep"});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(nlohmann::json::parse(kept.out)["edges"], 4);
  const Result refused = run({"data", "info", path, "--duplicates", "error"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("nodes 0 and 1 (counted from 0 within the graph) is listed 2 times"), std::string::npos)
      << refused.err;
}

TEST(DataInfo, LimitsArePassedOnAndAcceptUnits) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("own.jsonl", R"({"edges": [[0,1]], "id": ")" + std::string(3000, 'x') + "\"}\n");
  EXPECT_EQ(run({"data", "info", path, "--max-line", "4k"}).code, 0);
  const Result refused = run({"data", "info", path, "--max-line", "2K"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("own.jsonl:1"), std::string::npos) << refused.err;
}

TEST(DataInfo, NamesAreLookedForInDotinData) {
  const TemporaryFolder folder;
  folder.write("own.jsonl", kGraphs);
  EXPECT_EQ(run({"data", "info", "own"}, {{"DOTIN_DATA", folder.path()}}).code, 0);
  const Result missing = run({"data", "info", "own"}, {{"DOTIN_DATA", "/nowhere"}, {"HOME", folder.path()}});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("dotin data get own"), std::string::npos) << missing.err;
}

TEST(DataInfo, ControlCharactersOfAFileDoNotReachTheTerminal) {
  const TemporaryFolder folder;
  const Result result = run({"data", "info",
                             folder.write("own.jsonl", R"({"edges": [[0,1]], "y": "\u001b[31mred"})"
                                                       "\n")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find('\033'), std::string::npos);
  EXPECT_NE(result.out.find("?[31mred"), std::string::npos) << result.out;
}

struct PaperRow {
  const char* name;
  const char* nodes;
  const char* edges;
};

std::ostream& operator<<(std::ostream& out, const PaperRow& row) { return out << row.name; }

class PaperTable2 : public ::testing::TestWithParam<PaperRow> {};

TEST_P(PaperTable2, ComesOutExactly) {
  const PaperRow& row = GetParam();
  const std::optional<std::string> path = real_data(row.name);
  if (!path) GTEST_SKIP() << row.name << ".zip is not here";
  const Result result = run({"data", "info", *path});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find(std::string(", ") + row.nodes + " a graph"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(std::string(" undirected, ") + row.edges + " a graph"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("paper     nodes and edges a graph agree with table 2"), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Rows, PaperTable2,
                         ::testing::Values(PaperRow{"DD", "284.32", "715.66"}, PaperRow{"PROTEINS", "39.06", "72.82"},
                                           PaperRow{"NCI1", "29.87", "32.30"}, PaperRow{"NCI109", "29.68", "32.13"}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(DataInfo, SaysWhatDiffersFromThePaper) {
  DOTIN_REAL_DATA(path, "FRANKENSTEIN-atoms");
  const Result result = run({"data", "info", path});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("nodes agree; 17.79 edges a graph where table 2 says 17.88; these are FRANKENSTEIN's "
                            "molecules with atom labels"),
            std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace dotin::testing
