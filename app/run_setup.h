// What train and cv share before the first step: options, run folder, data.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "context.h"
#include "dotin/data/dataset.h"
#include "dotin/training/run_folder.h"
#include "run_options.h"

namespace dotin::app {

/// What a run leaves to go on from; each command has its own, which tells their folders apart.
inline constexpr const char* kTrainCheckpoint = "last.ckpt.safetensors";
inline constexpr const char* kCvCheckpoints = "checkpoints";

struct RunArguments {
  std::string data;
  RunOptionsParser options;
  std::string out;
  std::string resume;
  bool json = false;
};

/// DATA, all run options, --out, --resume and --json.
void add_run_arguments(CLI::App& command, RunArguments& arguments);

struct RunSetup {
  std::string command;
  training::RunOptions options;
  training::RunFolder folder;
  std::shared_ptr<const data::Dataset> dataset;
  bool resuming = false;
};

/// Refuses options and data that the command cannot use, by throwing. Gives what is used for options that stand for it.
using RunCheck =
    std::function<training::ValuesUsed(const training::RunOptions&, const std::shared_ptr<const data::Dataset>&)>;

/// Resolves options (those of the folder where a run is resumed), opens the data, makes the run folder and writes
/// config.toml. Nothing is written if the options or the data are wrong, or `check` throws. From here on signals only
/// ask the work to stop. command: "train" or "cv".
RunSetup set_up_run(const std::string& command, const RunArguments& arguments, const RunCheck& check, Context& context);

/// Says on stderr how to go on with a run that a signal stopped, and throws Interrupted.
[[noreturn]] void stop_interrupted(const RunSetup& setup, Context& context);

}  // namespace dotin::app
