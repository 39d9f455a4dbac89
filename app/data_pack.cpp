// dotin data pack: write the packed form, which opens in milliseconds.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/data/packed.h"
#include "output_place.h"
#include "progress_bar.h"
#include "reading_options.h"
#include "text.h"

namespace dotin::app {

namespace {

struct PackOptions {
  ReadingOptions reading;
  std::string out;
  bool force = false;
};

/// A packed file is safetensors: under a name that promises another form nobody could read it.
void check_ending(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const char* const other : {".jsonl", ".json", ".csv", ".txt", ".zip", ".toml"}) {
    if (ending == other)
      core::fail_usage("{}: a packed file is safetensors, which '{}' does not say; name it e.g. {}", path, other,
                       std::filesystem::path(path).replace_extension(".safetensors").string());
  }
}

int run_pack(const PackOptions& options, Context& context) {
  check_ending(options.out);
  check_file_free(options.out, options.force);
  std::shared_ptr<const data::Dataset> dataset;
  {
    ProgressBar bar(context.console, "pack");
    bar.update(0, 0, "reading " + options.reading.data);
    dataset = data::open(options.reading.data, options.reading.open_options());
    bar.update(0, 0, "writing " + options.out);
    data::write_packed(*dataset, options.out);
  }
  context.console.out(two_columns(
      {{"packed", printable(dataset->name)},
       {"graphs", grouped(dataset->graphs()) + " with " + counted(dataset->nodes(), "node") + " and " +
                      counted(dataset->directed_edges() / 2, "edge")},
       {"written", printable(options.out) + ", " +
                       core::format_bytes(static_cast<int64_t>(std::filesystem::file_size(options.out)))}}));
  return 0;
}

}  // namespace

void add_data_pack(CLI::App& data, Context& context) {
  CLI::App& command =
      *data.add_subcommand("pack", "Write a dataset as one packed file that opens in milliseconds, whatever its size");
  const auto options = std::make_shared<PackOptions>();
  add_reading_options(command, options->reading);
  command.add_option("-o,--out", options->out, "File to write")->required()->type_name("FILE");
  command.add_flag("--force", options->force, "Overwrite the file");
  set_examples(command, {"dotin data pack DD.zip -o DD.safetensors", "dotin data info DD.safetensors"});
  set_action(command, context, options, run_pack);
}

}  // namespace dotin::app
