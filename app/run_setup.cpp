#include "run_setup.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/data/open.h"
#include "dotin/io/atomic_file.h"
#include "dotin/network/config.h"
#include "dotin/network/task_spec.h"
#include "progress_bar.h"
#include "run_report.h"
#include "signals.h"
#include "text.h"

namespace dotin::app {

void add_run_arguments(CLI::App& command, RunArguments& arguments) {
  command
      .add_option("data", arguments.data,
                  "TU folder or zip, packed file, JSON Lines file, CSV folder, or a name to look for in $DOTIN_DATA "
                  "and the download cache")
      ->type_name("DATA");
  command.add_option("--out", arguments.out, "Run folder to make (default: a new one under runs/)")->type_name("DIR");
  command.add_option("--resume", arguments.resume, "Go on with the run in this folder, with its options and data")
      ->type_name("DIR");
  command.add_flag("--json", arguments.json, "Print the result as JSON");
  arguments.options.add_to(command);
}

namespace {

constexpr int64_t kMaxResultBytes = int64_t{1} << 30;

/// resumed: the folder of a run to go on with, if that is asked for.
network::RunOptions options_of(const RunArguments& arguments, const std::optional<training::RunFolder>& resumed) {
  if (!resumed) {
    network::RunOptions options = arguments.options.resolve();
    if (!arguments.data.empty()) options.data.data = arguments.data;
    if (options.data.data.empty())
      core::fail_usage("DATA is required: a TU folder or zip, a packed file, JSON Lines, or a name");
    return options;
  }
  network::RunOptions options = arguments.options.resolve(resumed->file("config.toml"));
  if (!arguments.data.empty()) options.data.data = arguments.data;
  return options;
}

/// train and cv leave different things: one cannot go on where the other stopped.
void check_same_command(const std::string& command, const training::RunFolder& folder) {
  const bool train = command == "train";
  if (!std::filesystem::exists(folder.file(train ? kCvCheckpoints : kTrainCheckpoint))) return;
  core::fail("{}: this is a run of dotin {}; go on with: dotin {} --resume {}", folder.path(), train ? "cv" : "train",
             train ? "cv" : "train", folder.path());
}

training::RunFolder new_folder(const RunArguments& arguments, const network::RunOptions& options,
                               const std::vector<network::TaskSpec>& specs) {
  if (!arguments.out.empty()) return training::RunFolder::create(arguments.out);
  std::vector<std::string> names;
  for (const network::TaskSpec& spec : specs) names.push_back(spec.name);
  return training::RunFolder::create_numbered("runs",
                                              training::default_run_name(options.data.data, names, std::time(nullptr)));
}

/// Relative paths mean another file where a run is resumed from another folder.
network::RunOptions with_absolute_data(network::RunOptions options) {
  std::error_code error;
  if (!std::filesystem::exists(options.data.data, error)) return options;
  const std::filesystem::path path = std::filesystem::absolute(options.data.data, error);
  if (!error) options.data.data = path.lexically_normal().string();
  return options;
}

}  // namespace

std::optional<training::RunFolder> resumed_folder(const std::string& command, const RunArguments& arguments) {
  if (arguments.resume.empty()) return std::nullopt;
  for (const std::string& given : arguments.options.given()) {
    if (given != "--threads") core::fail_usage("{} cannot be changed when a run is resumed", given);
  }
  if (!arguments.out.empty())
    core::fail_usage("--out and --resume cannot be given together: a resumed run stays in its folder");
  training::RunFolder folder = training::RunFolder::open(arguments.resume);
  check_same_command(command, folder);
  return folder;
}

bool show_finished(const std::string& command, const RunArguments& arguments,
                   const std::optional<training::RunFolder>& resumed, const char* by_task, const ResultTable& table,
                   Context& context) {
  // The report is the last file of a run.
  std::error_code error;
  if (!resumed || !std::filesystem::exists(resumed->file(kReport), error)) return false;
  std::string text;
  try {
    nlohmann::json result = nlohmann::json::parse(io::read_file(resumed->file("result.json"), kMaxResultBytes));
    result["run"] = resumed->path();
    text = table(result, metrics_in(result.at(by_task)));
    if (arguments.json) text = json_text(result);
  } catch (const nlohmann::json::exception&) {
    return false;
  } catch (const core::Error&) {
    return false;
  }
  core::log_info("{}: this run of dotin {} had come to its end; there is nothing to do", resumed->path(), command);
  context.console.out(text);
  return true;
}

RunSetup set_up_run(const std::string& command, const RunArguments& arguments,
                    std::optional<training::RunFolder> resumed, const RunCheck& check, Context& context) {
  network::RunOptions options = options_of(arguments, resumed);
  const std::string config = resumed ? resumed->file("config.toml") : arguments.options.config();
  try {
    options.validate();
  } catch (const core::UsageError& error) {
    if (config.empty()) throw;
    core::fail_usage("{}: {}", config, error.what());
  }
  network::to_toml(options);  // refuses what config.toml could not hold
  const std::vector<network::TaskSpec> specs = network::parse_tasks(options.task.tasks);

  std::shared_ptr<const data::Dataset> dataset;
  {
    ProgressBar bar(context.console, "open");
    bar.update(0, 0, options.data.data);
    data::OpenOptions open;
    open.duplicates = options.data.duplicates;
    dataset = data::open(options.data.data, open);
  }
  const network::ValuesUsed used = check(options, dataset);
  arguments.options.warn_without_effect(options);

  const bool resuming = resumed.has_value();
  training::RunFolder folder = resuming ? std::move(*resumed) : new_folder(arguments, options, specs);
  if (!resuming) folder.write_config(with_absolute_data(options), used);
  catch_signals(0);
  return {command, std::move(options), std::move(folder), std::move(dataset), resuming};
}

void stop_interrupted(const RunSetup& setup, Context& context) {
  context.console.write(fmt::format("stopped; the checkpoint is written. Go on with: dotin {} --resume {}\n",
                                    setup.command, setup.folder.path()));
  throw Interrupted(noted_signal());
}

}  // namespace dotin::app
