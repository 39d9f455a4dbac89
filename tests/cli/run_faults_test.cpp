// Runs that something goes wrong with: nothing is lost, and nothing gets into their files.
#include <csignal>
#include <filesystem>
#include <map>

#include "cli/training_support.h"
#include "dotin/io/safetensors.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;

/// The run's checkpoint with another state in it.
void change_checkpoint(const std::string& path, const std::function<void(nlohmann::json&)>& change) {
  const io::SafetensorsFile file(path);
  std::map<std::string, std::string> metadata = file.metadata();
  nlohmann::json state = nlohmann::json::parse(metadata.at("dotin_checkpoint"));
  change(state);
  metadata["dotin_checkpoint"] = state.dump();
  std::vector<io::TensorToWrite> tensors;
  for (const auto& [name, tensor] : file.tensors()) tensors.push_back({name, tensor.type, tensor.shape, tensor.data});
  io::write_safetensors(path, tensors, metadata);
}

TEST(RunFaults, ADamagedCheckpointIsRefusedWithItsName) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const std::string checkpoint = folder / "run/last.ckpt.safetensors";
  ASSERT_EQ(run(small_run("train", data, folder / "run")).code, 0);
  fs::remove(folder / "run/result.json");
  const std::string whole = read_text(checkpoint);
  const std::vector<std::function<void(nlohmann::json&)>> changes = {
      [](nlohmann::json& state) { state["history"].clear(), state["epoch"] = 0, state["best_epoch"] = -1; },
      [](nlohmann::json& state) { state["best_epoch"] = -1; },
      [](nlohmann::json& state) { state["history"][2]["validation"].erase(0); }};
  for (const auto& change : changes) {
    folder.write("run/last.ckpt.safetensors", whole);
    change_checkpoint(checkpoint, change);
    const Result result = run({"train", "--resume", folder / "run"});
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_SAYS(result.err, checkpoint + ": the checkpoint's numbers are damaged");
  }
}

TEST(RunFaults, LogLinesStayOutOfFilesWhereStandardErrorIsClosed) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const auto run_with = [&](const std::string& closed, const std::string& out) {
    std::vector<std::string> command = {"sh", "-c", "exec \"$@\" " + closed, "sh", program_path()};
    for (const std::string& word : small_run("train", data, out)) command.push_back(word);
    return run_program(command);
  };
  EXPECT_EQ(run_with("", folder / "whole").code, 0);
  EXPECT_EQ(run_with("2>&-", folder / "err").code, 0);
  EXPECT_EQ(run_with("<&- 2>&-", folder / "in").code, 0);
  EXPECT_EQ(run_with(">&- 2>&-", folder / "out").code, 1) << "the result was asked for and is lost";
  EXPECT_EQ(run_with("<&- >&- 2>&-", folder / "all").code, 1);
  const auto events_of = [](const std::string& run) {
    for (const auto& entry : fs::directory_iterator(run)) {
      if (entry.path().filename().string().rfind("events.", 0) == 0) return read_text(entry.path().string());
    }
    return std::string();
  };
  for (const char* const name : {"err", "in", "out", "all"}) {
    const std::string run = folder / name;
    EXPECT_EQ(without_seconds(run + "/metrics.csv"), without_seconds(folder / "whole/metrics.csv")) << name;
    EXPECT_EQ(read_text(run + "/model.safetensors"), read_text(folder / "whole/model.safetensors")) << name;
    EXPECT_EQ(events_of(run).size(), events_of(folder / "whole").size()) << name;
  }
}

TEST(RunFaults, APackedFileThatIsCutShortWhileItIsReadIsNamed) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(40));
  const std::string packed = folder / "own.safetensors";
  ASSERT_EQ(run({"data", "pack", data, "-o", packed}).code, 0);
  const Result result = run_and_act(small_run("train", packed, folder / "run", {"--epochs", "1000000"}), "epoch 2/",
                                    [&](int) { fs::resize_file(packed, 0); });
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_SAYS(result.err, "dotin: error: " + packed + ": became shorter while it was read");
}

TEST(RunFaults, TwoRunsNeverShareAFolder) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const std::string out = folder / "run";
  const std::vector<std::string> command = small_run("train", data, out, {"--epochs", "1000000"});
  Result second, resumed;
  const Result first = run_and_act(command, "epoch 2/", [&](int process) {
    second = run(command);
    resumed = run({"train", "--resume", out});
    kill(process, SIGKILL);
  });
  EXPECT_EQ(first.code, 128 + SIGKILL);
  for (const Result* const result : {&second, &resumed}) {
    EXPECT_EQ(result->code, 1) << result->err;
    EXPECT_SAYS(result->err, out + ": in use by process ", ", since ");
  }
  // The lock file of the killed run does no harm.
  EXPECT_TRUE(fs::exists(out + "/.lock"));
  const Result after = run_and_signal({"train", "--resume", out}, "epoch ", SIGINT);
  EXPECT_EQ(after.code, 130) << after.err;
  for (const auto& entry : fs::directory_iterator(out))
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
}

TEST(RunFaults, AFolderThatIsRemovedDuringTheRunDoesNotComeBack) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const std::string out = folder / "run";
  const Result result =
      run_and_act(small_run("train", data, out, {"--epochs", "1000000"}), "epoch 2/", [&](int process) {
        fs::remove_all(out);
        kill(process, SIGINT);  // so that it writes its checkpoint
      });
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_SAYS(result.err, "last.ckpt.safetensors: cannot write: its folder is gone");
  EXPECT_FALSE(fs::exists(out));
}

TEST(RunFaults, ResumingAFinishedRunSaysSoAndChangesNothing) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(30));
  const auto files_of = [](const std::string& run) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(run)) {
      if (entry.is_regular_file()) files[entry.path().string()] = read_text(entry.path().string());
    }
    return files;
  };
  for (const std::string command : {"train", "cv"}) {
    const std::string out = folder / command;
    const std::vector<std::string> more =
        command == "cv" ? std::vector<std::string>{"--folds", "3"} : std::vector<std::string>{};
    const Result first = run(small_run(command, data, out, more));
    ASSERT_EQ(first.code, 0) << first.err;
    const auto before = files_of(out);
    fs::remove(data);  // not even the data is needed
    const Result again = run({command, "--resume", out});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_SAYS(again.err, out + ": this run of dotin " + command + " had come to its end; there is nothing to do");
    EXPECT_SAYS(again.out, "peak memory", out);
    EXPECT_EQ(std::count(again.out.begin(), again.out.end(), '\n'),
              std::count(first.out.begin(), first.out.end(), '\n'));
    const Result json = run({command, "--resume", out, "--json"});
    EXPECT_EQ(nlohmann::json::parse(json.out), nlohmann::json::parse(before.at(out + "/result.json")));
    EXPECT_EQ(files_of(out), before);
    folder.write("own.jsonl", rings_and_paths(30));
    // A result that is damaged is made again.
    folder.write(command + "/result.json", "{\"seconds\": []}");
    EXPECT_EQ(run({command, "--resume", out}).code, 0);
    EXPECT_TRUE(nlohmann::json::parse(read_text(out + "/result.json")).contains("data"));
  }
}

TEST(RunFaults, ARunWithARelativePathOfDataGoesOnFromAnotherFolder) {
  const TemporaryFolder folder;
  folder.write("here/own.jsonl", rings_and_paths(12));
  std::vector<std::string> command = {program_path()};
  for (const std::string& word : small_run("train", "own.jsonl", folder / "run")) command.push_back(word);
  ASSERT_EQ(run_program(command, {}, folder / "here").code, 0);
  EXPECT_SAYS(read_text(folder / "run/config.toml"), "\ndata = \"" + (folder / "here/own.jsonl") + "\"");
  fs::remove(folder / "run/report.html");
  const Result resumed = run_program({program_path(), "train", "--resume", folder / "run"}, {}, "/");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST(RunFaults, MoreThreadsThanProcessorsAreNotStarted) {
  const TemporaryFolder folder;
  const std::string data = folder.write("own.jsonl", rings_and_paths(12));
  const Result result = run(small_run("train", data, folder / "run", {"--threads", "100000"}));
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.err, "100000 threads are asked for, but there are ");
}

TEST(RunFaults, ALimitOfTheAddressSpaceIsSaidWithItsFigure) {
  if (!kPeakIsMeaningful) GTEST_SKIP() << "sanitizers need far more of it";
  for (const int mib : {100, 200, 400, 1000}) {
    const Result result = run_program(
        {"sh", "-c", "ulimit -v $(($1 * 1024)); exec \"$2\" methods", "sh", std::to_string(mib), program_path()});
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_SAYS(result.err, "the address space is limited to " + std::to_string(mib) + " MiB (ulimit -v), and ",
                "raise the limit");
  }
}

}  // namespace
}  // namespace dotin::testing
