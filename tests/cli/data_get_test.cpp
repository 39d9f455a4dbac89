// data get and data list, against a server on loopback and a folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;

/// A zip with a tiny TU dataset TINY.
std::string tiny_zip() {
  const TemporaryFolder folder;
  folder.write("TINY/TINY_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n");
  folder.write("TINY/TINY_graph_indicator.txt", "1\n1\n2\n2\n");
  folder.write("TINY/TINY_graph_labels.txt", "0\n1\n");
  const Result zip = run_program({"zip", "-q", "-r", "TINY.zip", "TINY"}, {}, folder.path());
  EXPECT_EQ(zip.code, 0) << "the program zip is needed: " << zip.err;
  return read_text(folder / "TINY.zip");
}

struct Cache {
  TemporaryFolder folder;
  Environment environment{{"XDG_CACHE_HOME", folder.path()}, {"no_proxy", "127.0.0.1"}};
  std::string file(const std::string& name) const { return folder / ("dotin/datasets/" + name); }
};

TEST(DataGet, DownloadsIntoTheCacheAndPrintsThePath) {
  const std::string zip = tiny_zip();
  const HttpServer server([&zip](const std::string& path) {
    return path == "/data/TINY.zip" ? HttpServer::ok(zip) : HttpServer::not_found();
  });
  const Cache cache;
  const Result result = run({"data", "get", "TINY", "--mirror", server.url() + "/data"}, cache.environment);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, cache.file("TINY.zip") + "\n");
  EXPECT_EQ(read_text(cache.file("TINY.zip")), zip);
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << "a bar off a terminal";

  const Result info = run({"data", "info", "TINY", "--json"}, cache.environment);
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(nlohmann::json::parse(info.out)["graphs"], 2);

  const Result again = run({"data", "get", "TINY", "--mirror", server.url() + "/data"}, cache.environment);
  EXPECT_EQ(again.out, result.out);
  EXPECT_EQ(server.requests(), 1) << "what is there is not downloaded again";
  run({"data", "get", "TINY", "--force", "--mirror", server.url() + "/data"}, cache.environment);
  EXPECT_EQ(server.requests(), 2);
}

TEST(DataGet, CopiesFromAFolder) {
  const TemporaryFolder mirror;
  mirror.write("TINY.zip", tiny_zip());
  const Cache cache;
  const Result result = run({"data", "get", "TINY", "--mirror", mirror.path()}, cache.environment);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(cache.file("TINY.zip")));
}

TEST(DataGet, AMissingDatasetLeavesNothingBehind) {
  const HttpServer server([](const std::string&) { return HttpServer::not_found(); });
  const Cache cache;
  const Result result = run({"data", "get", "TINY", "--mirror", server.url()}, cache.environment);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("404"), std::string::npos) << result.err;
  for (const auto& entry : fs::recursive_directory_iterator(cache.folder.path())) {
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
  }
}

TEST(DataGet, ADeadMirrorFailsAndSaysWhatToDo) {
  const Cache cache;
  const Result result = run({"data", "get", "TINY", "--mirror", "http://127.0.0.1:9"}, cache.environment);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("--mirror DIR|URL"), std::string::npos) << result.err;
}

TEST(DataGet, AnEmptyMirrorIsRefusedAndNotTakenForThePublicSite) {
  const Cache cache;
  for (const auto& words : {std::vector<std::string>{"--mirror", ""}, std::vector<std::string>{"--mirror="}}) {
    std::vector<std::string> command = {"data", "get", "TINY"};
    command.insert(command.end(), words.begin(), words.end());
    const Result result = run(command, cache.environment);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find("--mirror"), std::string::npos) << result.err;
  }
}

TEST(DataGet, BytesThatOnlyBeginLikeAZipAreNotKept) {
  const TemporaryFolder mirror;
  mirror.write("TINY.zip", "PK" + std::string(88, 'x'));
  const Cache cache;
  const Result result = run({"data", "get", "TINY", "--mirror", mirror.path()}, cache.environment);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_NE(result.err.find("TINY.zip: not a readable zip"), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(cache.file("TINY.zip")));
  EXPECT_FALSE(fs::exists(cache.file("TINY.zip.sha256")));
}

TEST(DataGet, ANameThatLeavesTheFolderIsRefused) {
  const Cache cache;
  const Result result = run({"data", "get", "../TINY", "--mirror", "/tmp"}, cache.environment);
  EXPECT_NE(result.code, 0);
  EXPECT_FALSE(fs::exists(cache.file("../TINY.zip")));
}

TEST(DataGet, AChangedFileInTheCacheIsNoticed) {
  const TemporaryFolder mirror;
  mirror.write("TINY.zip", tiny_zip());
  const Cache cache;
  ASSERT_EQ(run({"data", "get", "TINY", "--mirror", mirror.path()}, cache.environment).code, 0);
  cache.folder.write("dotin/datasets/TINY.zip", "PK tampered");
  const Result result = run({"data", "get", "TINY", "--mirror", mirror.path()}, cache.environment);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("--force"), std::string::npos) << result.err;
}

TEST(DataList, ShowsKnownDatasetsAndThoseThatAreHere) {
  const TemporaryFolder folder;
  folder.write("own.jsonl", R"({"edges": [[0,1]]})"
                            "\n");
  const Environment environment{{"DOTIN_DATA", folder.path()}, {"XDG_CACHE_HOME", folder / "cache"}};
  const Result table = run({"data", "list"}, environment);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("PROTEINS"), std::string::npos);
  EXPECT_NE(table.out.find("here: " + folder / "own.jsonl"), std::string::npos) << table.out;

  const auto json = nlohmann::json::parse(run({"data", "list", "--json"}, environment).out);
  bool own = false;
  for (const auto& entry : json) own = own || (entry["name"] == "own" && entry["path"] == folder / "own.jsonl");
  EXPECT_TRUE(own);
}

}  // namespace
}  // namespace dotin::testing
