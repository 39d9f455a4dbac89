// dotin data generate: graphs whose truth is known.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "commands.h"
#include "dotin/core/memory.h"
#include "dotin/data/generate.h"
#include "dotin/data/packed.h"
#include "dotin/io/jsonl.h"
#include "dotin/io/tu.h"
#include "output_place.h"
#include "progress_bar.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

struct GenerateOptions {
  std::string kind;
  data::GenerateOptions generate;
  std::string out;
  bool force = false;
};

enum class Form { tu, jsonl, packed };

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Form form_of_output(const std::string& path) {
  if (ends_with(path, ".jsonl")) return Form::jsonl;
  if (ends_with(path, ".safetensors")) return Form::packed;
  if (ends_with(path, ".zip")) {
    core::fail_usage("cannot write {}: a dataset is written as .jsonl, .safetensors or a TU folder", path);
  }
  return Form::tu;
}

/// What is said about the records; they are consumed by packing.
std::vector<std::pair<std::string, std::string>> description(const io::Records& records) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("graphs", grouped(records.graphs()));
  for (const io::Target& target : records.targets) {
    rows.emplace_back("target", target.name + " with " + counted(data::classes_of(target).count(), "class"));
  }
  rows.emplace_back("nodes", grouped(records.nodes()));
  for (const io::RelevantNodes& truth : records.relevant) {
    const int64_t planted = std::count(truth.nodes.begin(), truth.nodes.end(), uint8_t{1});
    rows.emplace_back("planted", counted(planted, "node") + " decide " + truth.target);
  }
  return rows;
}

std::string kinds_text() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const data::GeneratedKind& kind : data::described_kinds()) rows.emplace_back("  " + kind.name, kind.decides);
  std::string text = "Kinds, and what decides the class (0, or 1):\n" + two_columns(rows);
  text.pop_back();  // set_examples ends the line
  return text;
}

void write(io::Records records, const std::string& path, Form form) {
  switch (form) {
    case Form::jsonl:
      io::write_jsonl(records, path);
      break;
    case Form::packed:
      data::write_packed(data::build_dataset(std::move(records), data::DuplicatePolicy::merge), path);
      break;
    case Form::tu:
      write_folder(path, [&records](const std::string& folder) { io::write_tu(records, folder); });
      break;
  }
}

int run_generate(const GenerateOptions& options, Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const Form form = form_of_output(options.out);
  form == Form::tu ? check_folder_free(options.out, options.force) : check_file_free(options.out, options.force);

  std::vector<std::pair<std::string, std::string>> rows;
  {
    ProgressBar bar(context.console, "generate");
    io::Records records = data::generate(options.kind, options.generate, bar);
    rows = description(records);
    bar.update(0, 0, "writing " + options.out);
    write(std::move(records), options.out, form);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  rows.emplace_back("written", printable(options.out));
  rows.emplace_back("took", core::format_seconds(seconds.count()) + ", " +
                                core::format_bytes(core::peak_resident_bytes()) + " of memory at most");
  context.console.out(two_columns(rows));
  return 0;
}

}  // namespace

void add_data_generate(CLI::App& data, Context& context) {
  CLI::App& command = *data.add_subcommand(
      "generate", "Generate a dataset whose truth is known: which nodes decide the class is stored with it");
  const auto options = std::make_shared<GenerateOptions>();
  data::GenerateOptions& generate = options->generate;
  CLI::Option* const kind = command.add_option("kind", options->kind, "What decides the class: one of the kinds below");
  kind->required()->type_name("KIND");
  context.suggestions[kind] = data::generated_kinds();
  command.add_option("--graphs", generate.graphs, "Number of graphs")
      ->check(at_least(1))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--nodes", generate.nodes, "Nodes a graph, on average; else as the kind has it")
      ->check(at_least(1))
      ->type_name("N");
  command.add_option("--degree", generate.degree, "Average degree of the irrelevant part")
      ->check(at_least(0))
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--labels", generate.labels, "Distinct labels of irrelevant nodes")
      ->check(at_least(1))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--tasks", generate.tasks, "2 adds a target that depends on other nodes (motif)")
      ->check(CLI::IsMember({"1", "2"}))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--radius", generate.radius, "Hops round the centre (surroundings), 1 to 3; else drawn from the seed")
      ->check(CLI::IsMember({"1", "2", "3"}))
      ->type_name("N");
  command.add_option("--seed", generate.seed, "Same seed, same dataset")
      ->transform(whole_number())
      ->check(at_least(0))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("-o,--out", options->out,
                  "Where to: *.jsonl for JSON Lines, *.safetensors for the packed form, else a TU folder")
      ->required()
      ->type_name("PATH");
  command.add_flag("--force", options->force, "Replace what is there");
  set_examples(
      command,
      {"dotin data generate motif -o motif.jsonl", "dotin data generate motif --graphs 200 --tasks 2 --seed 7 -o MOTIF",
       "dotin data generate needle --nodes 5000 -o needle.safetensors",
       "dotin data generate grid --graphs 10 --nodes 1000000 -o grid.safetensors"},
      kinds_text());
  set_action(command, context, options, run_generate);
}

}  // namespace dotin::app
