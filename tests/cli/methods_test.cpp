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

}  // namespace
}  // namespace dotin::testing
