#include "run_setup.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/log.h"
#include "dotin/data/open.h"
#include "dotin/tasks/spec.h"
#include "dotin/training/config.h"
#include "progress_bar.h"
#include "signals.h"

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

data::DuplicatePolicy duplicates_of(const std::string& name) {
  if (name == "keep") return data::DuplicatePolicy::keep;
  return name == "error" ? data::DuplicatePolicy::error : data::DuplicatePolicy::merge;
}

training::RunOptions options_of(const RunArguments& arguments) {
  if (arguments.resume.empty()) {
    training::RunOptions options = arguments.options.resolve();
    if (!arguments.data.empty()) options.data.data = arguments.data;
    if (options.data.data.empty())
      core::fail_usage("DATA is required: a TU folder or zip, a packed file, JSON Lines, or a name");
    return options;
  }
  for (const std::string& given : arguments.options.given()) {
    if (given != "--threads") core::fail_usage("{} cannot be changed when a run is resumed", given);
  }
  if (!arguments.out.empty())
    core::fail_usage("--out and --resume cannot be given together: a resumed run stays in its folder");
  training::RunOptions options =
      arguments.options.resolve(training::RunFolder::open(arguments.resume).file("config.toml"));
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

training::RunFolder folder_of(const std::string& command, const RunArguments& arguments,
                              const training::RunOptions& options, const std::vector<tasks::TaskSpec>& specs) {
  if (!arguments.resume.empty()) {
    training::RunFolder folder = training::RunFolder::open(arguments.resume);
    check_same_command(command, folder);
    return folder;
  }
  if (!arguments.out.empty()) return training::RunFolder::create(arguments.out);
  std::vector<std::string> names;
  for (const tasks::TaskSpec& spec : specs) names.push_back(spec.name);
  return training::RunFolder::create_numbered("runs",
                                              training::default_run_name(options.data.data, names, std::time(nullptr)));
}

}  // namespace

RunSetup set_up_run(const std::string& command, const RunArguments& arguments, const RunCheck& check,
                    Context& context) {
  training::RunOptions options = options_of(arguments);
  options.validate();
  training::to_toml(options);  // refuses what config.toml could not hold
  const std::vector<tasks::TaskSpec> specs = tasks::parse_tasks(options.task.tasks);

  std::shared_ptr<const data::Dataset> dataset;
  {
    ProgressBar bar(context.console, "open");
    bar.update(0, 0, options.data.data);
    data::OpenOptions open;
    open.duplicates = duplicates_of(options.data.duplicates);
    dataset = data::open(options.data.data, open);
  }
  const training::ValuesUsed used = check(options, dataset);
  arguments.options.warn_without_effect(options);

  const bool resuming = !arguments.resume.empty();
  training::RunFolder folder = folder_of(command, arguments, options, specs);
  if (!resuming) folder.write_config(options, used);
  catch_signals(0);
  return {command, std::move(options), std::move(folder), std::move(dataset), resuming};
}

void stop_interrupted(const RunSetup& setup, Context& context) {
  context.console.write(fmt::format("stopped; the checkpoint is written. Go on with: dotin {} --resume {}\n",
                                    setup.command, setup.folder.path()));
  throw Interrupted(noted_signal());
}

}  // namespace dotin::app
