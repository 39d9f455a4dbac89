#include "dotin/data/open.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dotin/core/error.h"
#include "dotin/data/packed.h"
#include "support/environment.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::data {
namespace {

using dotin::testing::EnvironmentVariable;
using dotin::testing::TemporaryFolder;

const std::string kTwoGraphs = "{\"edges\": [[0,1],[1,2]], \"y\": 0}\n{\"edges\": [[0,1]], \"y\": 1}\n";

std::string write_tu_folder(const TemporaryFolder& folder, const std::string& name) {
  folder.write(name + "/" + name + "_A.txt", "1, 2\n2, 1\n3, 4\n4, 3\n");
  folder.write(name + "/" + name + "_graph_indicator.txt", "1\n1\n2\n2\n");
  folder.write(name + "/" + name + "_graph_labels.txt", "-1\n1\n");
  return folder / name;
}

void write_csv_folder(const TemporaryFolder& folder, const std::string& name) {
  folder.write(name + "/edges.csv", "graph,source,target\na,0,1\nb,0,1\nb,1,2\n");
}

TEST(FormOf, TellsTheFormsApart) {
  TemporaryFolder folder;
  write_csv_folder(folder, "c");
  EXPECT_EQ(form_of(write_tu_folder(folder, "T")), DataForm::tu);
  EXPECT_EQ(form_of(folder / "c"), DataForm::csv);
  EXPECT_EQ(form_of(folder.write("a.zip", "")), DataForm::tu);
  EXPECT_EQ(form_of(folder.write("download", "PK\3\4...")), DataForm::tu);
  EXPECT_EQ(form_of(folder.write("x.jsonl", kTwoGraphs)), DataForm::jsonl);
  EXPECT_EQ(form_of(folder.write("x", kTwoGraphs)), DataForm::jsonl);
  EXPECT_EQ(form_of(folder.write("empty.safetensors", "")), DataForm::packed);
  write_packed(*open(folder / "x.jsonl", {}), folder / "packed");
  EXPECT_EQ(form_of(folder / "packed"), DataForm::packed);
}

TEST(FormOf, SaysWhatToGiveInsteadOfASingleFileOfMany) {
  TemporaryFolder folder;
  write_csv_folder(folder, "c");
  const std::string tu = write_tu_folder(folder, "T");
  EXPECT_SAYS(testing::error_of([&] { form_of(folder / "c/edges.csv"); }), "give the folder");
  EXPECT_SAYS(testing::error_of([&] { form_of(tu + "/T_A.txt"); }), "give the folder");
  EXPECT_SAYS(testing::error_of([&] { form_of(folder / "none"); }), "no such file");
}

TEST(Open, ReadsEveryForm) {
  TemporaryFolder folder;
  write_csv_folder(folder, "c");
  EXPECT_EQ(open(folder.write("x.jsonl", kTwoGraphs), {})->graphs(), 2);
  EXPECT_EQ(open(folder / "c", {})->graphs(), 2);
  const auto tu = open(write_tu_folder(folder, "T"), {});
  EXPECT_EQ(tu->graphs(), 2);
  EXPECT_EQ(tu->directed_edges(), 4);
  EXPECT_EQ(classes_of(tu->target("label")).names, (std::vector<std::string>{"-1", "1"}));
  write_packed(*tu, folder / "t.safetensors");
  EXPECT_EQ(open(folder / "t.safetensors", {})->directed_edges(), 4);
}

TEST(Open, TheFirstProblemIsAnErrorWithItsPlace) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.jsonl", "{\"edges\": [[0,1]]}\n{\"edges\": 7}\n");
  EXPECT_SAYS(testing::error_of([&] { open(path, {}); }), "x.jsonl:2");
}

TEST(Open, DuplicateEdgesFollowThePolicy) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.jsonl", "{\"edges\": [[0,1],[0,1]]}\n");
  OpenOptions options;
  EXPECT_EQ(open(path, options)->directed_edges(), 2);
  options.duplicates = DuplicatePolicy::keep;
  EXPECT_EQ(open(path, options)->directed_edges(), 4);
  options.duplicates = DuplicatePolicy::error;
  EXPECT_THROW(open(path, options), core::Error);
}

TEST(Open, EveryMessageBeginsWithThePath) {
  TemporaryFolder folder;
  OpenOptions options;
  options.duplicates = DuplicatePolicy::error;
  const std::string twice = folder.write("x.jsonl", "{\"edges\": [[0,1],[0,1]]}\n");
  EXPECT_EQ(testing::error_of([&] { open(twice, options); }).find(twice + ": "), 0u);
  // What is found only when a graph is used.
  const auto tu = open(write_tu_folder(folder, "T"), {});
  Dataset damaged = *tu;
  std::vector<int64_t> rows(tu->row_offsets.begin(), tu->row_offsets.end());
  rows[1] = 99;
  damaged.row_offsets = rows;
  write_packed(damaged, folder / "t.safetensors");
  const auto packed = open(folder / "t.safetensors", {});
  EXPECT_EQ(testing::error_of([&] { validate_graph(*packed, 0); }).find(folder / "t.safetensors: graph 0 is damaged"),
            0u);
  EXPECT_EQ(testing::error_of([&] { packed->target("none"); }).find(folder / "t.safetensors: no target 'none'"), 0u);
}

TEST(Open, AFolderThatMayNotBeReadIsNotTakenForAnEmptyOne) {
  TemporaryFolder folder;
  const std::string path = write_tu_folder(folder, "T");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  std::error_code refused;
  const std::filesystem::directory_iterator entries(path, refused);
  if (!refused) GTEST_SKIP() << "this user may read everything";
  EXPECT_SAYS(testing::error_of([&] { open(path, {}); }), path + ": the folder cannot be read: Permission denied");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

TEST(ReadRecords, APackedFileHasNone) {
  io::ThrowingSink sink;
  EXPECT_THROW(read_records("x", DataForm::packed, {}, sink), core::Error);
}

TEST(Resolve, APathThatExistsWinsOverAName) {
  TemporaryFolder folder;
  folder.write("D.jsonl", kTwoGraphs);
  const EnvironmentVariable data("DOTIN_DATA", folder.path());
  EXPECT_EQ(resolve(folder.path()), folder.path());
  EXPECT_EQ(resolve("D"), folder / "D.jsonl");
  EXPECT_EQ(open("D", {})->graphs(), 2);
}

TEST(Resolve, AMissingNameSaysWhereItWasLookedForAndWhatToDo) {
  TemporaryFolder data_folder, cache;
  const EnvironmentVariable data("DOTIN_DATA", data_folder.path() + ":/nowhere/at/all");
  const EnvironmentVariable xdg("XDG_CACHE_HOME", cache.path());
  const std::string message = testing::error_of([] { resolve("MUTAC"); });
  EXPECT_SAYS(message, data_folder.path() + ", /nowhere/at/all, " + cache.path() + "/dotin/datasets");
  EXPECT_SAYS(message, "did you mean 'MUTAG'?");
  EXPECT_SAYS(message, "`dotin data get MUTAC`");
  EXPECT_SAYS(message, "DOTIN_DATA");
  EXPECT_SAYS(testing::error_of([] { resolve("no/such/file.zip"); }), "no/such/file.zip: no such file or folder");
  EXPECT_SAYS(testing::error_of([] { resolve(""); }), "no dataset given");
}

}  // namespace
}  // namespace dotin::data
