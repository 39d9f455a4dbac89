#include "dotin/data/catalog.h"
#include "dotin/data/get.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/io/download.h"
#include "io/tu_files_support.h"
#include "support/environment.h"
#include "support/expect.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"

namespace dotin::data {
namespace {

namespace fs = std::filesystem;
using dotin::testing::EnvironmentVariable;
using dotin::testing::HttpServer;
using dotin::testing::read_text;
using dotin::testing::TemporaryFolder;

std::string zip_of(const io::ZipEntries& entries) {
  const TemporaryFolder folder;
  io::make_zip(folder / "x.zip", entries);
  return read_text(folder / "x.zip");
}

const std::string kZip = zip_of(io::small_entries("D/D_"));
const std::string kNewerZip = zip_of(io::small_entries("E/E_"));

/// A cache of the test's own, and no $DOTIN_DATA.
class Catalog : public ::testing::Test {
 protected:
  std::string cached(const std::string& file) const { return home_ / ("dotin/datasets/" + file); }
  std::size_t files_in_cache() const {
    const fs::path folder = home_ / "dotin/datasets";
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  std::string error_of_getting(const std::string& name, const GetOptions& options) {
    try {
      get_dataset(name, options, progress_);
    } catch (const core::Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder home_;
  EnvironmentVariable cache_{"XDG_CACHE_HOME", home_.path()};
  EnvironmentVariable data_{"DOTIN_DATA", std::nullopt};
  core::NoProgress progress_;
};

TEST_F(Catalog, TheCacheIsWhereXdgSays) {
  EXPECT_EQ(cache_folder(), home_ / "dotin/datasets");
  const EnvironmentVariable home("HOME", "/home/someone");
  {
    const EnvironmentVariable relative("XDG_CACHE_HOME", "relative/is/ignored");
    EXPECT_EQ(cache_folder(), "/home/someone/.cache/dotin/datasets");
  }
  const EnvironmentVariable none("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(cache_folder(), "/home/someone/.cache/dotin/datasets");
}

TEST_F(Catalog, NamesAreFoundInTheFoldersOfDotinDataInOrderThenTheCache) {
  TemporaryFolder first, second;
  const EnvironmentVariable data("DOTIN_DATA", first.path() + "::" + second.path());
  EXPECT_EQ(find_by_name("A"), "");
  home_.write("dotin/datasets/A.zip", kZip);
  EXPECT_EQ(find_by_name("A"), cached("A.zip"));
  second.write("A.safetensors", "");
  EXPECT_EQ(find_by_name("A"), second / "A.safetensors");
  first.write("A.jsonl", "");
  EXPECT_EQ(find_by_name("A"), first / "A.jsonl");
  first.write("A/A_A.txt", "");
  EXPECT_EQ(find_by_name("A"), first / "A");
  EXPECT_EQ(find_by_name("A.zip"), cached("A.zip"));
}

TEST_F(Catalog, AFolderWithoutDataDoesNotHideTheZipBesideIt) {
  TemporaryFolder folder;
  const EnvironmentVariable data("DOTIN_DATA", folder.path());
  folder.write("A/notes.txt", "");
  EXPECT_EQ(find_by_name("A"), "");
  folder.write("A.zip", kZip);
  EXPECT_EQ(find_by_name("A"), folder / "A.zip");
}

TEST_F(Catalog, NamesThatLeaveTheFolderAreFoundNowhere) {
  TemporaryFolder folder;
  folder.write("A.zip", kZip);
  folder.write("sub/B.zip", kZip);
  const EnvironmentVariable data("DOTIN_DATA", folder / "sub");
  EXPECT_EQ(find_by_name("../A"), "");
  EXPECT_EQ(find_by_name(".."), "");
  EXPECT_EQ(find_by_name("."), "");
  EXPECT_EQ(find_by_name(""), "");
}

TEST_F(Catalog, LocalDatasetsAreListedOnceByNameAndNothingElseIs) {
  TemporaryFolder folder;
  const EnvironmentVariable data("DOTIN_DATA", folder.path());
  folder.write("B.zip", kZip);
  folder.write("B.zip.sha256", "");
  folder.write("C/edges.csv", "");
  folder.write("empty/readme.md", "");
  folder.write(".hidden.zip", "");
  folder.write("README.md", "");
  home_.write("dotin/datasets/A.zip", kZip);
  home_.write("dotin/datasets/B.zip", kZip);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"A", cached("A.zip")}, {"B", folder / "B.zip"}, {"C", folder / "C"}};
  EXPECT_EQ(local_datasets(), expected);
}

TEST_F(Catalog, KnownDatasetsAreSortedPlainAndPlausible) {
  std::set<std::string> names;
  for (const KnownDataset& known : known_datasets()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_GT(known.graphs, 100);
    EXPECT_GE(known.classes, 2);
    EXPECT_FALSE(known.about.empty());
  }
  EXPECT_GE(names.size(), 20u);
  EXPECT_EQ(names.count("MUTAG"), 1u);
}

TEST_F(Catalog, GetsFromAMirrorUrlAndRecordsTheChecksum) {
  std::string asked;
  HttpServer server([&](const std::string& path) {
    asked = path;
    return HttpServer::ok(kZip);
  });
  GetOptions options;
  options.mirror = server.url() + "/data/";
  const std::string path = get_dataset("MUTAG", options, progress_);
  EXPECT_EQ(path, cached("MUTAG.zip"));
  EXPECT_EQ(asked, "/data/MUTAG.zip");
  EXPECT_EQ(read_text(path), kZip);
  EXPECT_EQ(read_text(path + ".sha256"), io::sha256_of_file(path) + "  MUTAG.zip\n");
  EXPECT_EQ(files_in_cache(), 2u);

  EXPECT_EQ(get_dataset("MUTAG", options, progress_), path);
  EXPECT_EQ(server.requests(), 1) << "what is cached is not asked for again";
  options.force = true;
  get_dataset("MUTAG", options, progress_);
  EXPECT_EQ(server.requests(), 2);
}

TEST_F(Catalog, GetsFromAMirrorFolder) {
  TemporaryFolder mirror;
  mirror.write("MUTAG.zip", kZip);
  GetOptions options;
  options.mirror = mirror.path();
  EXPECT_EQ(read_text(get_dataset("MUTAG", options, progress_)), kZip);
  EXPECT_EQ(find_by_name("MUTAG"), cached("MUTAG.zip"));
  EXPECT_SAYS(error_of_getting("DD", options), "DD.zip: no such file; the mirror must");
  EXPECT_EQ(files_in_cache(), 2u);
}

TEST_F(Catalog, AChangedFileInTheCacheIsAnErrorUntilForced) {
  TemporaryFolder mirror;
  mirror.write("MUTAG.zip", kZip);
  GetOptions options;
  options.mirror = mirror.path();
  const std::string path = get_dataset("MUTAG", options, progress_);
  home_.write("dotin/datasets/MUTAG.zip", kZip + "!");
  const std::string message = error_of_getting("MUTAG", options);
  EXPECT_SAYS(message, "no longer what was downloaded");
  EXPECT_SAYS(message, "`force`");
  options.force = true;
  EXPECT_EQ(read_text(get_dataset("MUTAG", options, progress_)), kZip);
  options.force = false;
  EXPECT_EQ(get_dataset("MUTAG", options, progress_), path);
}

TEST_F(Catalog, AForcedDownloadThatDiffersFromTheFirstIsLogged) {
  std::vector<std::string> lines;
  core::set_log_sink([&](core::LogLevel, const std::string& line) { lines.push_back(line); });
  TemporaryFolder mirror;
  mirror.write("MUTAG.zip", kZip);
  GetOptions options;
  options.mirror = mirror.path();
  options.force = true;
  get_dataset("MUTAG", options, progress_);
  get_dataset("MUTAG", options, progress_);
  EXPECT_TRUE(lines.empty());
  mirror.write("MUTAG.zip", kNewerZip);
  get_dataset("MUTAG", options, progress_);
  core::set_log_sink({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_SAYS(lines[0], "MUTAG: SHA-256 is now");
}

TEST_F(Catalog, WhatIsNotAZipIsNotKept) {
  HttpServer server([](const std::string&) { return HttpServer::ok("<html>please log in</html>"); });
  GetOptions options;
  options.mirror = server.url();
  EXPECT_SAYS(error_of_getting("MUTAG", options), "not a zip file");
  EXPECT_EQ(files_in_cache(), 0u);
}

TEST_F(Catalog, WhatOnlyLooksLikeADatasetIsNotKept) {
  std::string damaged = kZip;
  damaged[damaged.rfind("D/D_A.txt") - 30] ^= 1;  // of its checksum, in the central directory
  const std::string wrong[] = {"PK" + std::string(88, 'x'), kZip.substr(0, kZip.size() / 2), damaged,
                               zip_of({{"D/readme.txt", "nothing"}}), zip_of({{"../D_A.txt", "1, 2\n"}})};
  for (const std::string& bytes : wrong) {
    const TemporaryFolder mirror;
    mirror.write("MUTAG.zip", bytes);
    GetOptions options;
    options.mirror = mirror.path();
    const std::string message = error_of_getting("MUTAG", options);
    EXPECT_EQ(message.find("MUTAG.zip"), 0u) << message;
    EXPECT_SAYS(message, "what came was not kept: check the network or the mirror");
    EXPECT_EQ(files_in_cache(), 0u);
  }
}

TEST_F(Catalog, WhatAKilledDownloadLeftGoesWithTheNextOne) {
  const TemporaryFolder mirror;
  mirror.write("MUTAG.zip", kZip);
  home_.write("dotin/datasets/.MUTAG.zip.tmp.0123456789abcdef", "half");
  GetOptions options;
  options.mirror = mirror.path();
  get_dataset("MUTAG", options, progress_);
  EXPECT_EQ(files_in_cache(), 2u) << "the zip and its checksum";
}

TEST_F(Catalog, AFailedDownloadSaysWhatToDoAndKeepsNothing) {
  HttpServer server([](const std::string&) { return HttpServer::not_found(); });
  GetOptions options;
  options.mirror = server.url();
  const std::string message = error_of_getting("MUTAG", options);
  EXPECT_SAYS(message, server.url() + "/MUTAG.zip");
  EXPECT_SAYS(message, "HTTP 404");
  EXPECT_SAYS(message, "put MUTAG.zip into a folder named by $DOTIN_DATA, or use `mirror`");
  EXPECT_EQ(files_in_cache(), 0u);
}

TEST_F(Catalog, NamesThatCouldLeaveTheFolderAreRefused) {
  GetOptions options;
  options.mirror = "/nowhere";
  for (const char* name :
       {"", ".", "..", "../x", "a/b", "/etc/passwd", "a..b", ".hidden", "a b", "a?b", "a\\b", "a%2fb"}) {
    EXPECT_SAYS(error_of_getting(name, options), "cannot be the name of a dataset");
  }
  EXPECT_EQ(files_in_cache(), 0u);
}

}  // namespace
}  // namespace dotin::data
