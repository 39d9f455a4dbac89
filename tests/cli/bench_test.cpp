#include "cli/training_support.h"

namespace dotin::testing {
namespace {

TEST(Bench, JsonListsTheWorksWithTheirFigures) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const Result result = run({"bench", data, "--quick", "--hidden", "8", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json list = nlohmann::json::parse(result.out);
  std::vector<std::string> works;
  for (const nlohmann::json& work : list) {
    works.push_back(work["work"]);
    for (const char* const key : {"steps_per_second", "graphs_per_second", "edges_per_second", "machine_gemm_flops"})
      EXPECT_GT(work[key], 0) << key;
    EXPECT_GE(work["peak_bytes"], 0);
  }
  EXPECT_EQ(works,
            (std::vector<std::string>{"train, drop 0", "train, drop 0.5", "train, drop 0.9", "predict, drop 0.5"}));
}

TEST(Bench, AGivenRatioIsTheOnlyOne) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const Result result = run({"bench", data, "--quick", "--hidden", "8", "--threads", "1", "--drop-ratio", "0.25"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.out, "own: 20 graphs, 1 thread, batches of 8");
  EXPECT_SAYS(result.out, "train, drop 0.25");
  EXPECT_EQ(result.out.find("drop 0.9"), std::string::npos);
}

TEST(Bench, AMethodWithoutARatioIsOneWorkAndPredictingHasBatchesOfTheGivenSize) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const Result result =
      run({"bench", data, "--quick", "--hidden", "8", "--threads", "1", "--drop", "none", "--batch", "5", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json works = nlohmann::json::parse(result.out);
  ASSERT_EQ(works.size(), 2U);
  EXPECT_EQ(works[0]["work"], "train");
  EXPECT_EQ(works[1]["work"], "predict");
  for (const nlohmann::json& work : works) {
    EXPECT_EQ(work["batch"], 5);
    EXPECT_NEAR(work["graphs_per_second"].get<double>() / work["steps_per_second"].get<double>(), 5, 1e-6);
  }
}

TEST(Bench, SaysWhereTheTimeGoesAndWhatTheMachineReaches) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const std::vector<std::string> words = {"bench", data,           "--quick", "--hidden", "8", "--threads",
                                          "1",     "--drop-ratio", "0.5",     "--layers", "2"};
  const std::string table = run(words).out;
  EXPECT_SAYS(table, "ms: batch forward backward adam");
  EXPECT_SAYS(table, "train, drop 0.5    forward by layer, ms: ");
  EXPECT_SAYS(table, "train, drop 0.5    activations ");
  EXPECT_SAYS(table, ", products and Adam ");
  EXPECT_SAYS(table, "this machine reaches ");
  std::vector<std::string> for_programs = words;
  for_programs.insert(for_programs.end(), {"--json", "--without", "input-table,last-layer"});
  const Result result = run(for_programs);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json train = nlohmann::json::parse(result.out)[0];
  double phases = 0;
  for (const char* const phase : {"batch", "forward", "backward", "optimizer"}) {
    EXPECT_GT(train["phase_seconds"][phase], 0) << phase;
    phases += train["phase_seconds"][phase].get<double>();
  }
  EXPECT_LE(train["step_seconds"]["fastest"], train["step_seconds"]["median"]);
  EXPECT_EQ(train["forward_layer_seconds"].size(), 2u);
  EXPECT_LT(train["gemm_seconds"], phases);
  EXPECT_GT(train["gemm_and_adam_share"], 0);
  EXPECT_LT(train["gemm_and_adam_share"], 1);
  EXPECT_LE(train["activation_bytes"], train["peak_bytes"]);
  EXPECT_EQ(run({"bench", data, "--without", "adam"}).code, 2);
}

TEST(Bench, ComparedMethodsRunToo) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  for (const char* const drop : {"gpool", "diffpool", "dropgnn"}) {
    const Result result = run(
        {"bench", data, "--quick", "--hidden", "8", "--threads", "1", "--drop-ratio", "0.5", "--drop", drop, "--json"});
    ASSERT_EQ(result.code, 0) << drop << result.err;
    const nlohmann::json works = nlohmann::json::parse(result.out);
    ASSERT_EQ(works.size(), 2u);
    for (const nlohmann::json& work : works) EXPECT_EQ(work["forward_layer_seconds"].size(), 3u);
  }
}

TEST(Bench, WarnsOfOptionsWithoutEffect) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const Result result = run({"bench", data, "--quick", "--hidden", "8", "--drop", "none", "--drop-ratio", "0.5"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.err, "--drop-ratio has no effect with --drop none");
}

TEST(Bench, ScalingSetsThreadsBesideOne) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(20));
  const auto scaling = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"bench", data,           "--quick", "--hidden",
                                          "8",     "--drop-ratio", "0.5",     "--scaling"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  const Result table = scaling({"--threads", "2"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_SAYS(table.out, "2 threads are ");
  const nlohmann::json list = nlohmann::json::parse(scaling({"--threads", "2", "--json"}).out);
  for (const nlohmann::json& work : list) {
    const nlohmann::json& gain = work["thread_gain"];
    EXPECT_GT(gain["least"], 0);
    EXPECT_LE(gain["least"], gain["median"]);
    EXPECT_LE(gain["median"], gain["most"]);
  }
  const Result one = scaling({"--threads", "1"});
  EXPECT_NE(one.code, 0);
  EXPECT_SAYS(one.err, "--scaling compares threads with one");
}

}  // namespace
}  // namespace dotin::testing
