#include "reproduce/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reproduce/methods.h"

namespace dotin::reproduce {

namespace {

std::string text(int64_t number) { return std::to_string(number); }

void append(Command& command, const Command& more) { command.insert(command.end(), more.begin(), more.end()); }

}  // namespace

std::vector<std::string> Settings::datasets_or(const std::vector<std::string>& own) const {
  if (!datasets.empty()) return datasets;
  return quick ? std::vector<std::string>{"PROTEINS", kGenerated} : own;
}

bool Settings::wants(const std::string& row) const {
  return methods.empty() || std::find(methods.begin(), methods.end(), short_name(row)) != methods.end();
}

std::string command_of(const std::string& item, const Settings& settings) {
  std::string line = "dotin reproduce " + item;
  if (settings.quick) line += " --quick";
  if (!settings.datasets.empty()) line += fmt::format(" --datasets {}", fmt::join(settings.datasets, ","));
  if (!settings.methods.empty()) line += fmt::format(" --methods {}", fmt::join(settings.methods, ","));
  for (const auto& [option, value] :
       {std::pair("folds", settings.folds), std::pair("epochs", settings.epochs), std::pair("hidden", settings.hidden)})
    if (value > 0) line += fmt::format(" --{} {}", option, value);
  return line;
}

std::string dataset_title(const std::string& data) {
  const std::string name = std::filesystem::path(data).stem().string();
  return name == "DD" ? "D&D" : name;
}

Shape shape_of(const Settings& settings, Shape own) {
  if (settings.quick) {
    own.hidden = 16;
    own.epochs = 3;
    own.folds = 3;
  }
  if (settings.hidden > 0) own.hidden = settings.hidden;
  if (settings.epochs > 0) own.epochs = settings.epochs;
  if (settings.folds > 0) own.folds = settings.folds;
  return own;
}

Cell cv_cell(const std::string& label, const std::string& data, const std::string& tasks, const Command& options,
             const Shape& shape) {
  Cell cell;
  cell.label = label;
  cell.data = data;
  Command command = {"cv", data, "--tasks", tasks};
  append(command, options);
  append(command, {"--hidden", text(shape.hidden), "--layers", text(shape.layers), "--batch", text(shape.batch),
                   "--epochs", text(shape.epochs), "--folds", text(shape.folds), "--seed", "0", "--threads", "1",
                   "--out", kRunFolder, "--json"});
  cell.commands = {command};
  cell.protocol = fmt::format(
      "{} stratified folds: each once the test set, the next one for validation, the others for training; {} epochs",
      shape.folds, shape.epochs);
  cell.cost = static_cast<double>(shape.folds * shape.epochs * shape.layers) * (64 + static_cast<double>(shape.hidden));
  return cell;
}

Cell bench_cell(const std::string& label, const std::string& data, const std::string& tasks, const Command& options,
                const Shape& shape, int64_t steps, int64_t repetitions) {
  Cell cell;
  cell.label = label;
  cell.data = data;
  Command command = {"bench", data, "--tasks", tasks};
  append(command, options);
  append(command, {"--hidden", text(shape.hidden), "--layers", text(shape.layers), "--batch", text(shape.batch),
                   "--steps", text(steps), "--repeat", text(repetitions), "--seed", "0", "--threads", "1", "--json"});
  cell.commands = {command};
  cell.protocol =
      fmt::format("a process of its own, one thread, nothing else of this run beside it; {} x {} training steps",
                  repetitions, steps);
  cell.alone = true;
  cell.cost = static_cast<double>(steps * repetitions * shape.batch * shape.layers) / 1000 *
              (64 + static_cast<double>(shape.hidden));
  return cell;
}

}  // namespace dotin::reproduce
