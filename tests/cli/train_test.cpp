#include <algorithm>
#include <csignal>
#include <filesystem>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;

TEST(Train, LeavesAWholeRunFolder) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run(small_run("train", data, folder / "run", {"--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["data"], "own");
  EXPECT_EQ(json["graphs"], (nlohmann::json{{"train", 24}, {"validation", 3}, {"test", 3}}));
  EXPECT_EQ(json["epochs"], 3);
  EXPECT_GE(json["best_epoch"], 1);
  for (const char* const split : {"validation", "test"}) {
    for (const char* const metric : {"accuracy", "f1", "auc"}) {
      EXPECT_TRUE(json[split]["classify"].contains(metric)) << split << metric;
    }
  }
  for (const char* const key : {"parameters", "seconds", "peak_bytes"}) EXPECT_GT(json[key], 0) << key;
  EXPECT_EQ(json["run"], folder / "run");
  EXPECT_EQ(nlohmann::json::parse(read_text(folder / "run/result.json")), json);
  EXPECT_SAYS(read_text(folder / "run/report.html"), "<!DOCTYPE html>");
  for (const char* const name : {"config.toml", "model.safetensors", "last.ckpt.safetensors", "metrics.csv"}) {
    EXPECT_TRUE(fs::exists(folder / (std::string("run/") + name))) << name;
  }
  EXPECT_TRUE(std::any_of(fs::directory_iterator(folder / "run"), fs::directory_iterator(), [](const auto& entry) {
    return entry.path().filename().string().rfind("events.out.tfevents.", 0) == 0 && fs::file_size(entry) > 100;
  })) << "TensorBoard's file";
  const std::string metrics = read_text(folder / "run/metrics.csv");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 4);
  EXPECT_SAYS(metrics, "fold,epoch,lr,drop_factor,train_loss,validation_loss,seconds,validation.classify.accuracy");
  // Off a terminal: one line per epoch on stderr, nothing else.
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 3) << result.err;
  EXPECT_SAYS(result.err, "epoch 1/3  loss ");
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
}

TEST(Train, QuietSaysNothingAndTheTableIsForPeople) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run(small_run("train", data, folder / "run", {"--quiet", "--test", "0", "--validation", "0"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_SAYS(result.out, "best epoch");
  EXPECT_SAYS(result.out, "features");
  EXPECT_SAYS(result.out, "classify accuracy unknown");
  EXPECT_SAYS(result.out, folder / "run");
}

TEST(Train, ConfigOfARunRunsItAgain) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const std::vector<std::string> odd = {"--tasks",
                                        "classify,size=regress:size*0.3,multilabel:tox,ged",
                                        "--lr",
                                        "0.00123456789",
                                        "--seed",
                                        "17",
                                        "--drop-ratio",
                                        "0.7,0",
                                        "--no-residual",
                                        "--dropout",
                                        "0.1"};
  ASSERT_EQ(run(small_run("train", data, folder / "a", odd)).code, 0);
  const Result again = run({"train", "--config", folder / "a/config.toml", "--out", folder / "b"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_text(folder / "b/model.safetensors"), read_text(folder / "a/model.safetensors"));
  EXPECT_EQ(read_text(folder / "b/config.toml"), read_text(folder / "a/config.toml"));
  EXPECT_EQ(without_seconds(folder / "b/metrics.csv"), without_seconds(folder / "a/metrics.csv"));
}

TEST(Train, APresetOnTheCommandLineSetsItsKnobsAndNothingElse) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const std::string config = folder.write("my.toml", "epochs = 2\nhidden = 8\nresidual = true\nthreads = 1\n");
  ASSERT_EQ(
      run({"train", data, "--config", config, "--preset", "paper", "--norm", "layer", "--out", folder / "r"}).code, 0);
  const std::string used = read_text(folder / "r/config.toml");
  EXPECT_SAYS(used, "\npreset = \"paper\"\n");
  EXPECT_SAYS(used, "\nresidual = false\n");
  EXPECT_SAYS(used, "\nnorm = \"layer\"\n");
  EXPECT_SAYS(used, "\nepochs = 2\n");
  EXPECT_SAYS(used, "\nhidden = 8\n");
}

TEST(Train, ConfigSaysWhatWasUsedForOptionsThatStandForIt) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  ASSERT_EQ(run({"train", data, "--epochs", "1", "--drop-warmup", "0", "--hidden", "256", "--out", folder / "r"}).code,
            0);
  const std::string config = read_text(folder / "r/config.toml");
  EXPECT_SAYS(config, "\nlr = 0.0  # used: 0.0005\n");
  EXPECT_SAYS(config, "\nattention_dim = 0  # used: 32\n");
  EXPECT_SAYS(config, "\ntemperature = -1.0  # used: 32.0\n");
  EXPECT_SAYS(config, "\nreadout = \"auto\"  # used: \"virtual\"\n");
  EXPECT_SAYS(config, "\nfeatures = [\"auto\"]  # used: attributes (2), label (3)\n");
  EXPECT_SAYS(config, "\nhidden = 256\n");
  EXPECT_SAYS(read_text(folder / "r/report.html"), "# used: 0.0005");
}

TEST(Train, ASignalStopsItAndResumingEndsWithTheSameBytes) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(40));
  const std::vector<std::string> options = {"--tasks", "classify,ged", "--epochs", "40", "--average", "0.9"};
  ASSERT_EQ(run(small_run("train", data, folder / "whole", options)).code, 0);
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const std::string out = folder / ("run" + std::to_string(signal));
    const Result stopped = run_and_signal(small_run("train", data, out, options), "epoch 2/40", signal);
    EXPECT_EQ(stopped.code, code) << stopped.err;
    EXPECT_EQ(stopped.out, "");
    EXPECT_SAYS(stopped.err, "stopped; the checkpoint is written. Go on with: dotin train --resume " + out);
    EXPECT_TRUE(fs::exists(out + "/last.ckpt.safetensors"));
    EXPECT_FALSE(fs::exists(out + "/model.safetensors"));
    const Result resumed = run({"train", "--resume", out});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(read_text(out + "/model.safetensors"), read_text(folder / "whole/model.safetensors"));
    EXPECT_EQ(without_seconds(out + "/metrics.csv"), without_seconds(folder / "whole/metrics.csv"));
  }
}

TEST(Train, ResumingTakesNothingButTheFolder) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  ASSERT_EQ(run(small_run("train", data, folder / "run")).code, 0);
  const std::string config = read_text(folder / "run/config.toml");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--lr", "0.1"}, "--lr cannot be changed when a run is resumed"},
      {{"--config", "x.toml"}, "--config cannot be changed when a run is resumed"}};
  for (const auto& [more, message] : wrong) {
    std::vector<std::string> words = {"train", "--resume", folder / "run"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_SAYS(result.err, message);
  }
  EXPECT_EQ(read_text(folder / "run/config.toml"), config);
  EXPECT_SAYS(run({"cv", "--resume", folder / "run"}).err, "this is a run of dotin train");
  const Result done = run({"train", "--resume", folder / "run", "--json"});
  EXPECT_EQ(done.code, 0) << "a finished run gives its result again: " << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["epochs"], 3);
}

TEST(Train, WrongUsageExitsWith2AndWritesNothing) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--drop-ratio", "1"}, "--drop-ratio must be in [0, 1), not 1"},
      {{"--schedule-factor", "2"}, "--schedule-factor must be in (0, 1]"},
      {{"--lr", "fast"}, "fast"},
      {{"--tasks", "clasify"}, "did you mean 'classify'?"},
      {{"--backbone", "gcn", "--tasks", "classify,ged", "--no-task-gates"}, "leave the gates on"}};
  for (const auto& [more, message] : wrong) {
    const Result result = run(small_run("train", data, folder / "run", more));
    EXPECT_EQ(result.code, 2) << message << result.err;
    EXPECT_SAYS(result.err, message);
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(fs::exists(folder / "run")) << message;
  }
}

TEST(Train, DataThatCannotBeLearnedIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const std::string bare = folder.write("bare.jsonl", rings_and_paths(12, false));
  const std::string one = folder.write("one.jsonl", rings_and_paths(1));
  const std::vector<std::tuple<std::string, std::vector<std::string>, std::string>> wrong = {
      {data, {"--tasks", "classify:smell"}, "smell"},
      {data, {"--tasks", "regress"}, "holds text ('path', ...), but regress needs numbers"},
      {data, {"--hidden", "65536", "--layers", "64"}, "this model needs about "},
      {bare, {}, "no target"},
      {one, {}, "classification needs at least 2"}};
  for (const auto& [path, more, message] : wrong) {
    const Result result = run(small_run("train", path, folder / "run", more));
    EXPECT_EQ(result.code, 1) << message;
    EXPECT_SAYS(result.err, message);
    EXPECT_FALSE(fs::exists(folder / "run")) << message;
  }
  fs::create_directory(folder / "full");
  folder.write("full/mine.txt", "x");
  EXPECT_SAYS(run(small_run("train", data, folder / "full")).err, "the folder is not empty");
}

TEST(Train, OptionsMayStandBeforeTheData) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const Result result = run({"train", "--epochs", "1", "--drop-ratio", "0.9,0.5", "--tasks", "classify,ged", data,
                             "--out", folder / "run", "--threads", "1"});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(Train, AnExplodingLossNamesTheBatchAndExitsWith1) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const Result result = run(small_run("train", data, folder / "run", {"--lr", "1e37", "--epochs", "20"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_SAYS(result.err, " in epoch ");
  EXPECT_SAYS(result.err, "/6 (graphs ");
  EXPECT_SAYS(result.err, "lower --lr (1e+37)");
  EXPECT_FALSE(fs::exists(folder / "run/model.safetensors"));
}

TEST(Train, EveryFormOfDataTrainsAndPredictsAlike) {
  const TemporaryFolder folder;
  const auto dotin = [](const std::vector<std::string>& words) {
    const Result result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const auto generated = [&](const std::string& name) {
    dotin({"data", "generate", "motif", "--graphs", "24", "--nodes", "12", "-o", folder / name});
    return folder / name;
  };
  const std::string tu = generated("MOTIF");
  const Result zipped = run_program({"zip", "-qr", "MOTIF.zip", "MOTIF"}, {}, folder.path());
  ASSERT_EQ(zipped.code, 0) << zipped.err;
  dotin({"data", "pack", tu, "-o", folder / "packed.safetensors"});
  const std::vector<std::string> forms = {tu, folder / "MOTIF.zip", folder / "packed.safetensors",
                                          generated("motif.jsonl"), generated("own.safetensors")};
  std::string first;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string out = folder / ("run" + std::to_string(i));
    dotin(small_run("train", forms[i], out, {"--quiet"}));
    const std::string predictions = dotin({"predict", out + "/model.safetensors", forms[i], "--threads", "1"});
    EXPECT_EQ(std::count(predictions.begin(), predictions.end(), '\n'), 24) << forms[i];
    // Of a TU folder and what is made from it; JSON Lines tell which nodes are planted by a label of their own.
    if (i == 0) first = predictions;
    if (i < 3) {
      EXPECT_EQ(predictions, first) << forms[i];
    }
  }
  folder.write("csv/edges.csv", "graph,source,target\n0,0,1\n1,0,1\n1,1,2\n2,0,1\n3,0,1\n3,1,2\n4,0,1\n5,1,2\n");
  folder.write("csv/graphs.csv", "graph,y\n0,a\n1,b\n2,a\n3,b\n4,a\n5,b\n");
  dotin(small_run("train", folder / "csv", folder / "csv-run", {"--quiet", "--validation", "0", "--test", "0"}));
}

TEST(Train, FeaturelessDataIsSaidOnce) {
  const TemporaryFolder folder;
  std::string graphs;
  for (int g = 0; g < 12; ++g)
    graphs += g % 2 == 0 ? "{\"edges\": [[0,1],[1,2],[2,0]], \"y\": 0}\n" : "{\"edges\": [[0,1],[1,2]], \"y\": 1}\n";
  const Result result = run(small_run("cv", folder.write("bare.jsonl", graphs), folder / "run", {"--folds", "3"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t first = result.err.find("features are the one-hot degree");
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("features are the one-hot degree", first + 1), std::string::npos) << result.err;
}

TEST(Train, HelpShowsWhatEachPresetSets) {
  for (const char* const command : {"train", "cv"}) {
    const std::string help = run({command, "--help"}).out;
    EXPECT_SAYS(help, "What the presets set:\n");
    EXPECT_SAYS(help, "\n  --residual             on               off\n");
    EXPECT_SAYS(help, "\n  --norm                 layer            none\n");
    EXPECT_SAYS(help, "\n  --attention-dim        0                -1\n");
    EXPECT_SAYS(help, "\n  --drop-warmup          0.4              0.0\n");
    EXPECT_SAYS(help, "\n  --weight-decay         0.01             0.0008\n");
    EXPECT_EQ(help.find("\n  --hidden  "), std::string::npos) << "the same in both";
  }
}

TEST(Train, PlantedNodesAreFollowedThroughTheLayers) {
  const TemporaryFolder folder;
  ASSERT_EQ(
      run({"data", "generate", "motif", "--graphs", "30", "--nodes", "20", "--tasks", "2", "-o", folder / "m.jsonl"})
          .code,
      0);
  const Result result = run(small_run("train", folder / "m.jsonl", folder / "run",
                                      {"--tasks", "classify:label,classify:label2", "--layers", "3", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json json = nlohmann::json::parse(result.out);
  for (const char* const target : {"label", "label2"}) {
    EXPECT_EQ(json["planted"][target]["planted"], 12);
    EXPECT_EQ(json["planted"][target]["after_layer"].size(), 2u);
    EXPECT_TRUE(json["test"].contains(target)) << "tasks of one kind go by their targets";
  }
}

}  // namespace
}  // namespace dotin::testing
