// The compared methods as users run them.
#include <filesystem>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

TEST(Methods, AnOptionWithoutEffectIsNamed) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result =
      run(small_run("train", data, folder / "run", {"--drop", "gpool", "--no-gate", "--epochs", "1"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.err, "--gate has no effect with --drop gpool, --readout mean_max and --backbone gat");
  EXPECT_EQ(result.err.find("--merge"), std::string::npos) << result.err;
  const Result other =
      run(small_run("train", data, folder / "other", {"--ged-k-n", "4", "--schedule-patience", "3", "--epochs", "1"}));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_SAYS(other.err, "--ged-k-n has no effect without a ged task");
  EXPECT_SAYS(other.err, "--schedule-patience has no effect with --schedule constant");
}

TEST(Methods, ACombinationWithoutSenseIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run(small_run("train", data, folder / "run", {"--drop", "gpool", "--readout", "sortpool"}));
  EXPECT_EQ(result.code, 2);
  EXPECT_SAYS(result.err, "nodes leave between them");
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(Methods, ExplanationsListNodesWhereTheMethodChoosesThem) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  for (const char* const drop : {"sagpool", "mincut"}) {
    const std::string out = folder / drop;
    ASSERT_EQ(run(small_run("train", data, out, {"--drop", drop, "--epochs", "1"})).code, 0);
    const Result result = run({"predict", out + "/model.safetensors", data, "--explain"});
    if (std::string(drop) == "mincut") {
      EXPECT_EQ(result.code, 2);
      EXPECT_SAYS(result.err, "mincut drops no nodes that could be listed");
      EXPECT_EQ(run({"predict", out + "/model.safetensors", data}).code, 0);
      continue;
    }
    ASSERT_EQ(result.code, 0) << result.err;
    const nlohmann::json first = nlohmann::json::parse(result.out.substr(0, result.out.find('\n')));
    ASSERT_EQ(first["layers"].size(), 2U);
    EXPECT_EQ(first["layers"][0]["kept"].size(), 2U);
    EXPECT_EQ(first["layers"][0]["dropped"].size(), 2U);
    EXPECT_FALSE(first["layers"][0].contains("attentiveness"));
    const Result page = run({"explain", out + "/model.safetensors", data, "--json"});
    EXPECT_EQ(page.code, 2);
    EXPECT_SAYS(page.err, "has no virtual nodes");
  }
}

TEST(Methods, AreMeasuredSideBySide) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  std::vector<std::string> words = {"methods", data, "--steps", "1", "--hidden", "8", "--threads", "1"};
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const Result result = run(as_json);
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, nlohmann::json> methods;
  for (const nlohmann::json& method : nlohmann::json::parse(result.out)) {
    methods[method["method"]] = method;
    EXPECT_GT(method["seconds_per_graph"], 0) << method;
    EXPECT_GE(method["bytes_per_graph"], 0) << method;
    EXPECT_EQ(method["task_relevant"], method["method"] == "DOTIN") << method;
  }
  // Counted by hand for hidden 8 and 3 layers with gat.
  EXPECT_EQ(methods["no drop, mean"]["extra_parameters"], 0);
  EXPECT_EQ(methods["no drop"]["extra_parameters"], 8);                              // a virtual node
  EXPECT_EQ(methods["DOTIN"]["extra_parameters"], 8);                                // nothing but that
  EXPECT_EQ(methods["gPool"]["extra_parameters"], 3 * 8 + 2 * 8);                    // vectors, and a wider head
  EXPECT_EQ(methods["Set2Set"]["extra_parameters"], 32 * 16 + 32 * 8 + 32 + 2 * 8);  // LSTM, and a wider head
  EXPECT_EQ(methods["DropEdge"]["drop_edge"], 0.2);
  EXPECT_EQ(methods["DropEdge"]["extra_parameters"], 8);              // as without
  EXPECT_EQ(methods["LaPool"]["extra_parameters"], 2 * (8 * 8 + 8));  // linear maps
  const Result table = run(words);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_SAYS(table.out, "own: 20 graphs, 1 thread,");
  EXPECT_SAYS(table.out, "SAGPool, global");
  EXPECT_SAYS(table.out, "--drop none --readout virtual --drop-edge 0.2");
  words.insert(words.end(), {"--tasks", "ged"});
  const Result triplets = run(words);
  ASSERT_EQ(triplets.code, 0) << triplets.err;
  EXPECT_EQ(triplets.out.find("DropEdge"), std::string::npos) << "edges are what its distances count";
  EXPECT_EQ(run({"methods", data, "--drop", "gpool"}).code, 2);
}

}  // namespace
}  // namespace dotin::testing
