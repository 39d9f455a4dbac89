#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/real_data.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

const std::string kTriangle = R"({"edges": [[0,1],[1,2],[2,0]], "y": 1})"
                              "\n";
const std::string kRenumberedTriangle = R"({"edges": [[2,1],[0,2],[1,0]], "y": 0})"
                                        "\n";
const std::string kPath = R"({"edges": [[0,1],[1,2]], "y": 0})"
                          "\n";
const std::string kStar = R"({"edges": [[0,1],[0,2],[0,3]], "y": 1})"
                          "\n";

TEST(DataCheck, ACleanFileHasNoProblem) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", kTriangle + kPath + kStar);
  const Result result = run({"data", "check", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, path +
                            ": no problem in 3 graphs, 10 nodes, 8 edges\n"
                            "No graph is a copy of another (by Weisfeiler-Lehman hash).\n");
}

TEST(DataCheck, SaysThatCopiesMayDifferInWhatTheirEdgesCarry) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", R"({"edges": [[0,1]], "edge_attr": [[1.5]], "y": 0})"
                                                     "\n"
                                                     R"({"edges": [[0,1]], "edge_attr": [[2.5]], "y": 1})"
                                                     "\n");
  const Result result = run({"data", "check", path, "--folds", "2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(
      result.out.find("2 graphs are copies of others, in 1 set (by Weisfeiler-Lehman hash, without what the edges "
                      "carry: models do not see it)\n"),
      std::string::npos)
      << result.out;
}

TEST(DataCheck, EveryProblemIsListedWithFileAndLine) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", kTriangle +
                                                         R"({"edges": [[0,9]], "nodes": 2})"
                                                         "\n" +
                                                         kPath + "not json\n");
  const Result result = run({"data", "check", path});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("own.jsonl:2: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("own.jsonl:4: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("own.jsonl: 2 problems\n"), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "") << "problems are the result, not a failure of the program";
}

TEST(DataCheck, OnlySoManyProblemsAreShown) {
  const TemporaryFolder folder;
  std::string text = kTriangle;
  for (int i = 0; i < 20; ++i) text += "not json\n";
  const Result result = run({"data", "check", folder.write("own.jsonl", text), "--max-problems", "3"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("own.jsonl:4: "), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("own.jsonl:5: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("... and 17 more; --max-problems shows them\n"), std::string::npos) << result.out;
}

TEST(DataCheck, CopiesConflictsAndStraddlersAreCounted) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", kTriangle + kRenumberedTriangle + kPath + kStar);
  const Result result = run({"data", "check", path, "--folds", "4", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["problem_count"], 0);
  EXPECT_EQ(json["duplicates"]["sets"], 1);
  EXPECT_EQ(json["duplicates"]["graphs"], 2);
  EXPECT_EQ(json["duplicates"]["conflicting"], 2);
  // Four folds of one graph each: either triangle is tested against the other.
  EXPECT_EQ(json["duplicates"]["straddling"], 2);
  EXPECT_EQ(json["duplicates"]["examples"], nlohmann::json({{0, 1}}));
}

TEST(DataCheck, FewerGraphsThanFoldsIsNoError) {
  const TemporaryFolder folder;
  const Result result = run({"data", "check", folder.write("own.jsonl", kTriangle + kRenumberedTriangle)});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("2 graphs are copies of others, in 1 set"), std::string::npos) << result.out;
  EXPECT_EQ(run({"data", "check", folder.write("one.jsonl", kTriangle)}).code, 0);
}

TEST(DataCheck, JsonListsProblemsForMachines) {
  const TemporaryFolder folder;
  const Result result = run({"data", "check", folder.write("own.jsonl", kTriangle + "not json\n"), "--json"});
  EXPECT_EQ(result.code, 1);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["problem_count"], 1);
  EXPECT_EQ(json["problems"][0]["line"], 2);
  EXPECT_NE(json["problems"][0]["advice"], "");
  EXPECT_TRUE(json["duplicates"].is_null());
}

TEST(DataCheck, WhatCannotBeReadAtAllIsAProblemToo) {
  const TemporaryFolder folder;
  const Result result = run({"data", "check", folder.write("broken.zip", "PK no zip")});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find("broken.zip"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(": 1 problem\n"), std::string::npos) << result.out;
}

TEST(DataCheck, AMissingFileIsAFailure) {
  const Result result = run({"data", "check", "/no/such/file.zip"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("dotin: error: /no/such/file.zip"), std::string::npos) << result.err;
}

TEST(DataCheck, ADamagedPackedFileIsFound) {
  const TemporaryFolder folder;
  const std::string packed = folder / "own.safetensors";
  ASSERT_EQ(run({"data", "pack", folder.write("own.jsonl", kTriangle + kPath + kStar), "-o", packed}).code, 0);
  const Result sound = run({"data", "check", packed});
  EXPECT_EQ(sound.code, 0) << sound.out;
  // Neighbours are the only 4-byte numbers here, after all 8-byte ones: the last bytes of the file.
  std::string bytes = read_text(packed);
  bytes[bytes.size() - 4] = 77;
  const Result result = run({"data", "check", folder.write("own.safetensors", bytes)});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.out.find(": 1 problem\n"), std::string::npos) << result.out;
}

TEST(DataCheck, CopiesInMutagAreFound) {
  DOTIN_REAL_DATA(path, "MUTAG");
  const Result result = run({"data", "check", path, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["graphs"], 188);
  EXPECT_GT(json["duplicates"]["sets"], 0);
  EXPECT_EQ(json["duplicates"]["folds"], 10);
}

}  // namespace
}  // namespace dotin::testing
