#include <csignal>
#include <filesystem>
#include <set>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;
/// A quick table of two rows on one small dataset: two cells of about a second.
std::vector<std::string> small_table(const std::string& data, const std::string& out,
                                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"reproduce", "table-classification", "--quick",  "--datasets", data,
                                    "--methods", "gpool,dotin",          "--hidden", "4",          "--out",
                                    out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Reproduce, ListsItemsWithTheirCells) {
  const TemporaryFolder folder;
  const Result result = run({"reproduce", "--list", "--out", folder / "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.out, "table-classification      175      0   Graph classification (table 3)");
}

TEST(Reproduce, DatasetsAreCountedBesideThePapersNumbers) {
  const TemporaryFolder folder;
  folder.write("data/PROTEINS.jsonl", rings_and_paths(10));
  const Result result = run(
      {"reproduce", "table-datasets", "--datasets", "PROTEINS", "--data", folder / "data", "--out", folder / "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(read_text(folder / "out/table-datasets.md"), "| PROTEINS | 10<br>paper 1113 ≠ | 2<br>paper 2 |");
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "out/table-datasets.json"));
  EXPECT_EQ(told["values"][0]["graphs"], 10);
  EXPECT_EQ(told["cells"][0]["command"], "dotin data info PROTEINS --json");
}

TEST(Reproduce, AQuickTableIsWrittenInEveryFormAndItsCellsAreKept) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const std::string out = folder / "out";
  const Result first = run_in_terminal(small_table(data, out, {"--jobs", "1"}), 140);
  ASSERT_EQ(first.code, 0) << first.out;
  EXPECT_SAYS(first.out, "0 done, 1 running, 1 left");
  EXPECT_SAYS(first.out, "1 done, 1 running, 0 left");
  EXPECT_SAYS(read_text(out + "/table-classification.md"), "A quick run.");
  EXPECT_SAYS(read_text(out + "/table-classification.html"), "<!DOCTYPE html>");
  EXPECT_SAYS(read_text(out + "/table-classification-own.svg"), "<title>DOTIN, validation rule");
  const nlohmann::json told = nlohmann::json::parse(read_text(out + "/table-classification.json"));
  ASSERT_EQ(told["cells"].size(), 2u);
  for (const nlohmann::json& cell : told["cells"]) {
    for (const char* const key : {"command", "protocol", "seed", "machine", "started", "seconds", "version"})
      EXPECT_TRUE(cell.contains(key)) << key;
    EXPECT_FALSE(fs::exists(out + "/runs/" + cell["key"].get<std::string>() + "/checkpoints"));
  }
  EXPECT_EQ(told["values"][0]["rules"]["validation"]["folds"].size(), 3u);

  // A cell is what its command prints.
  const nlohmann::json kept =
      nlohmann::json::parse(read_text(out + "/cells/" + told["cells"][1]["key"].get<std::string>() + ".json"));
  std::vector<std::string> words = kept["argv"][0];
  std::replace(words.begin(), words.end(), std::string("RUN"), folder / "again");
  const Result again = run(words);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(again.out)["tasks"], kept["result"]["tasks"]);

  const Result second = run(small_table(data, out, {"--json"}));
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.err, "") << "nothing was run";
  EXPECT_EQ(nlohmann::json::parse(second.out), told);
  const Result other = run(small_table(data, out, {"--epochs", "2", "--no-run", "--json"}));
  EXPECT_EQ(nlohmann::json::parse(other.out)["missing"].size(), 2u) << "other settings are other cells";
  EXPECT_EQ(nlohmann::json::parse(read_text(out + "/table-classification.json")), told) << "what was run stays";

  // Where the data is not, what was run can be shown.
  fs::remove(data);
  const Result shown = run(small_table(data, out, {"--no-run", "--json"}));
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(nlohmann::json::parse(shown.out), told);
}

TEST(Reproduce, EveryItemComesToItsEnd) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run({"reproduce", "all", "--quick", "--datasets", data, "--methods", "gpool,dotin,gcn-drop-0.5",
                             "--hidden", "4", "--epochs", "1", "--out", folder / "out"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.err, " cells to run, about ");
  EXPECT_SAYS(result.err, " left  ");
  EXPECT_SAYS(read_text(folder / "out/all.html"), "<!DOCTYPE html>");
  std::set<std::string> told;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "out")) {
    if (entry.path().extension() != ".json") continue;
    const nlohmann::json item = nlohmann::json::parse(read_text(entry.path().string()));
    told.insert(item["item"].get<std::string>());
    EXPECT_TRUE(item["missing"].empty()) << entry.path();
    EXPECT_FALSE(item["values"].empty()) << entry.path();
    for (const nlohmann::json& cell : item["cells"]) EXPECT_FALSE(cell.contains("error")) << cell;
  }
  EXPECT_EQ(told.size(), 12u);
}

TEST(Reproduce, AStoppedRunGoesOnAndEndsTheSame) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(60));
  const std::vector<std::string> more = {"--epochs", "12", "--jobs", "1"};
  ASSERT_EQ(run(small_table(data, folder / "whole", more)).code, 0);
  const nlohmann::json whole = nlohmann::json::parse(read_text(folder / "whole/table-classification.json"));

  // The second cell was stopped in its third epoch.
  const std::string key = whole["cells"][1]["key"];
  std::vector<std::string> words =
      nlohmann::json::parse(read_text(folder / ("whole/cells/" + key + ".json")))["argv"][0];
  std::replace(words.begin(), words.end(), std::string("RUN"), folder / ("cut/runs/" + key));
  ASSERT_EQ(run_and_signal(words, "epoch 3/12", SIGINT).code, 130);

  const Result stopped = run_and_signal(small_table(data, folder / "cut", more), "1 of 2 cells", SIGINT);
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_SAYS(stopped.err, "what was done is kept");
  EXPECT_EQ(files_in(folder / "cut/cells"), 1u);
  EXPECT_SAYS(read_text(folder / "cut/table-classification.md"), "not run");
  const Result resumed = run(small_table(data, folder / "cut", more));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_SAYS(resumed.err, "1 of 1 cell ");
  const nlohmann::json told = nlohmann::json::parse(read_text(folder / "cut/table-classification.json"));
  EXPECT_EQ(told["values"], whole["values"]);
  EXPECT_EQ(told["cells"][1]["resumed"], true);
}

TEST(Reproduce, AKilledRunKeepsTheCellsThatWereDone) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(60));
  const std::vector<std::string> more = {"--epochs", "12", "--jobs", "1"};
  const std::string out = folder / "out";
  EXPECT_EQ(run_and_signal(small_table(data, out, more), "1 of 2 cells", SIGKILL).code, 128 + SIGKILL);
  EXPECT_EQ(files_in(out + "/cells"), 1u);
  const Result resumed = run(small_table(data, out, more));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_SAYS(resumed.err, "1 of 1 cell ");
  EXPECT_TRUE(nlohmann::json::parse(read_text(out + "/table-classification.json"))["missing"].empty());
}

TEST(Reproduce, ACellThatFailsCostsOnlyItselfAndIsTriedAgain) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const std::string out = folder / "out";
  const std::vector<std::string> words = small_table(data, out);
  // A folder that is in the way of the second run makes it fail.
  ASSERT_EQ(run(words).code, 0);
  const nlohmann::json told = nlohmann::json::parse(read_text(out + "/table-classification.json"));
  const std::string key = told["cells"][0]["key"];
  fs::remove(out + "/cells/" + key + ".json");
  fs::remove(out + "/runs/" + key + "/config.toml");
  const Result failed = run(words);
  EXPECT_EQ(failed.code, 1);
  EXPECT_SAYS(failed.err, "1 cell failed");
  EXPECT_SAYS(read_text(out + "/table-classification.md"), "failed");
  const Result again = run(words);
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST(Reproduce, WrongNamesAreRefusedBeforeAnythingRuns) {
  const TemporaryFolder folder;
  const Result item = run({"reproduce", "table-9", "--out", folder / "out"});
  EXPECT_EQ(item.code, 2);
  EXPECT_SAYS(item.err, "table-datasets");
  const Result method = run({"reproduce", "table-ged", "--methods", "gpol", "--out", folder / "out"});
  EXPECT_EQ(method.code, 2);
  EXPECT_SAYS(method.err, "did you mean 'gpool'?");
  const Result data = run({"reproduce", "table-ged", "--datasets", "NOWHERE", "--out", folder / "out"});
  EXPECT_EQ(data.code, 1);
  EXPECT_SAYS(data.err, "dotin data get NOWHERE");
  EXPECT_EQ(run({"reproduce", "--out", folder / "out"}).code, 2);
}

}  // namespace
}  // namespace dotin::testing
