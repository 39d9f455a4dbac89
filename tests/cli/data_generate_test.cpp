#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "dotin/data/generate.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;

nlohmann::json info(const std::string& path) {
  const Result result = run({"data", "info", path, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

int entries(const std::string& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(DataGenerate, SaysWhatItMade) {
  const TemporaryFolder folder;
  const std::string path = folder / "motif.jsonl";
  const Result result = run({"data", "generate", "motif", "--graphs", "20", "--tasks", "2", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("graphs   20\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("label with 2 classes\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("label2 with 2 classes\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("80 nodes decide label\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("written  " + path + "\n"), std::string::npos) << result.out;
}

TEST(DataGenerate, TheNameDecidesTheFormAndAllFormsHoldTheSame) {
  const TemporaryFolder folder;
  nlohmann::json first;
  for (const char* name : {"made.jsonl", "made.safetensors", "made"}) {
    const std::string path = folder / name;
    const Result result = run({"data", "generate", "motif", "--graphs", "12", "--seed", "3", "-o", path});
    ASSERT_EQ(result.code, 0) << result.err;
    nlohmann::json json = info(path);
    json.erase("name");
    json["node_labels"][0].erase("name");
    if (first.is_null()) first = json;
    EXPECT_EQ(json, first) << name;
  }
  EXPECT_EQ(first["planted_nodes"]["label"], 48);
  EXPECT_TRUE(fs::exists(folder / "made/made_A.txt"));
}

TEST(DataGenerate, EveryKindPassesTheCheck) {
  const TemporaryFolder folder;
  for (const std::string& kind : data::generated_kinds()) {
    for (const char* end : {".jsonl", ".safetensors", ""}) {
      const std::string path = folder / (kind + end);
      ASSERT_EQ(run({"data", "generate", kind, "--graphs", "10", "-o", path}).code, 0) << path;
      const Result result = run({"data", "check", path});
      EXPECT_EQ(result.code, 0) << result.out;
    }
  }
}

TEST(DataGenerate, HelpSaysWhatDecidesTheClassInEveryKind) {
  const Result result = run({"data", "generate", "--help"});
  ASSERT_EQ(result.code, 0);
  for (const data::GeneratedKind& kind : data::described_kinds()) {
    EXPECT_NE(result.out.find("\n  " + kind.name + " "), std::string::npos) << kind.name;
    EXPECT_NE(result.out.find("  " + kind.decides + "\n"), std::string::npos) << kind.name;
  }
}

TEST(DataGenerate, TwoTasksHaveTheirOwnNodes) {
  const TemporaryFolder folder;
  const std::string path = folder / "made.jsonl";
  ASSERT_EQ(run({"data", "generate", "two_tasks", "--graphs", "20", "-o", path}).code, 0);
  const nlohmann::json json = info(path);
  EXPECT_EQ(json["planted_nodes"]["label"], 60);
  EXPECT_EQ(json["planted_nodes"]["label2"], 40);
}

TEST(DataGenerate, AnOptionThatTheKindDoesNotHaveIsRefused) {
  const TemporaryFolder folder;
  const Result labels = run({"data", "generate", "house", "--labels", "3", "-o", folder / "x.jsonl"});
  EXPECT_EQ(labels.code, 2);
  EXPECT_NE(labels.err.find("house has no labels to choose"), std::string::npos) << labels.err;
  const Result radius = run({"data", "generate", "motif", "--radius", "2", "-o", folder / "x.jsonl"});
  EXPECT_EQ(radius.code, 2);
  EXPECT_NE(radius.err.find("kinds that have it: surroundings"), std::string::npos) << radius.err;
  EXPECT_EQ(run({"data", "generate", "surroundings", "--radius", "4", "-o", folder / "x.jsonl"}).code, 2);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(DataGenerate, SameSeedSameBytes) {
  const TemporaryFolder folder;
  const std::string a = folder / "a.jsonl", b = folder / "b.jsonl", c = folder / "c.jsonl";
  run({"data", "generate", "motif", "--graphs", "5", "--seed", "1", "-o", a});
  run({"data", "generate", "motif", "--graphs", "5", "--seed", "1", "-o", b});
  run({"data", "generate", "motif", "--graphs", "5", "--seed", "2", "-o", c});
  EXPECT_FALSE(read_text(a).empty());
  EXPECT_EQ(read_text(a), read_text(b));
  EXPECT_NE(read_text(a), read_text(c));
}

TEST(DataGenerate, AFileIsOverwrittenOnlyByForce) {
  const TemporaryFolder folder;
  const std::string path = folder.write("own.jsonl", "precious\n");
  const Result refused = run({"data", "generate", "motif", "--graphs", "5", "-o", path});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "dotin: error: " + path + " exists: choose another name, or overwrite it with --force\n");
  EXPECT_EQ(read_text(path), "precious\n");
  EXPECT_EQ(run({"data", "generate", "motif", "--graphs", "5", "--force", "-o", path}).code, 0);
  EXPECT_NE(read_text(path), "precious\n");
}

TEST(DataGenerate, AFolderIsReplacedOnlyByForceAndOnlyIfItIsADataset) {
  const TemporaryFolder folder;
  const std::string path = folder / "made";
  ASSERT_EQ(run({"data", "generate", "motif", "--graphs", "5", "-o", path + "/"}).code, 0);
  const Result refused = run({"data", "generate", "motif", "--graphs", "9", "-o", path});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("is not empty"), std::string::npos) << refused.err;
  EXPECT_EQ(info(path)["graphs"], 5);

  ASSERT_EQ(run({"data", "generate", "motif", "--graphs", "9", "--force", "-o", path}).code, 0);
  EXPECT_EQ(info(path)["graphs"], 9);

  folder.write("made/thesis.tex", "precious");
  const Result foreign = run({"data", "generate", "motif", "--graphs", "7", "--force", "-o", path});
  EXPECT_EQ(foreign.code, 1);
  EXPECT_NE(foreign.err.find("holds thesis.tex, which is not part of a dataset"), std::string::npos) << foreign.err;
  EXPECT_EQ(info(path)["graphs"], 9);
  EXPECT_EQ(entries(folder.path()), 1) << "something was left beside the folder";
}

TEST(DataGenerate, NothingIsWrittenOnFailure) {
  const TemporaryFolder folder;
  EXPECT_EQ(run({"data", "generate", "motif", "--nodes", "3", "-o", folder / "made"}).code, 2);
  EXPECT_EQ(run({"data", "generate", "motif", "--nodes", "3", "-o", folder / "made.jsonl"}).code, 2);
  EXPECT_EQ(run({"data", "generate", "motif", "-o", folder / "made.zip"}).code, 2);
  EXPECT_EQ(entries(folder.path()), 0);
}

TEST(DataGenerate, ADeviceIsNeverReplaced) {
  const Result result = run({"data", "generate", "motif", "--graphs", "5", "--force", "-o", "/dev/null/x.jsonl"});
  EXPECT_EQ(result.code, 1);
  const TemporaryFolder folder;
  fs::create_symlink("/dev/null", folder / "null.jsonl");
  const Result link = run({"data", "generate", "motif", "--graphs", "5", "--force", "-o", folder / "null.jsonl"});
  EXPECT_EQ(link.code, 1);
  EXPECT_NE(link.err.find("is no regular file"), std::string::npos) << link.err;
}

TEST(DataGenerate, AnUnknownKindListsTheKinds) {
  const TemporaryFolder folder;
  const Result result = run({"data", "generate", "motiv", "-o", folder / "x.jsonl"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("did you mean 'motif'?"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("motif, random, grid"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace dotin::testing
