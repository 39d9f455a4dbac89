// What train and cv share before the first step: options, run folder, data.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "context.h"
#include "dotin/data/dataset.h"
#include "dotin/training/run_folder.h"
#include "dotin/training/selection.h"
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
  network::RunOptions options;
  training::RunFolder folder;
  std::shared_ptr<const data::Dataset> dataset;
  bool resuming = false;
};

/// Refuses options and data that the command cannot use, by throwing. Gives what is used for options that stand for it.
using RunCheck =
    std::function<network::ValuesUsed(const network::RunOptions&, const std::shared_ptr<const data::Dataset>&)>;

/// The folder of the run to go on with, locked; nothing where none is. Refuses a run of the other command, and options
/// that cannot change.
std::optional<training::RunFolder> resumed_folder(const std::string& command, const RunArguments& arguments);

/// What people read of a result, its metrics in this order.
using ResultTable =
    std::function<std::string(const nlohmann::json& result, const std::vector<training::MetricName>& metrics)>;

/// Shows the result of a run that had come to its end, for there is nothing else to do, and says so. False where it had
/// not, or where its result is damaged and has to be made again. by_task: the part of a result that has all its
/// metrics.
bool show_finished(const std::string& command, const RunArguments& arguments,
                   const std::optional<training::RunFolder>& resumed, const char* by_task, const ResultTable& table,
                   Context& context);

/// Resolves options (those of the folder where a run is resumed), opens the data, makes the run folder and writes
/// config.toml. Nothing is written if the options or the data are wrong, or `check` throws. From here on signals only
/// ask the work to stop. command: "train" or "cv".
RunSetup set_up_run(const std::string& command, const RunArguments& arguments,
                    std::optional<training::RunFolder> resumed, const RunCheck& check, Context& context);

/// Says on stderr how to go on with a run that a signal stopped, and throws Interrupted.
[[noreturn]] void stop_interrupted(const RunSetup& setup, Context& context);

}  // namespace dotin::app
