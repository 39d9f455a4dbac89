// dotin reproduce: the tables and figures of the paper from one command, beside the paper's own numbers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "cell_runner.h"
#include "commands.h"
#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/core/registry.h"
#include "dotin/io/atomic_file.h"
#include "dotin/io/file_lock.h"
#include "dotin/network/config.h"
#include "dotin/report/page.h"
#include "reproduce/charts.h"
#include "reproduce/items.h"
#include "reproduce/markdown.h"
#include "reproduce/outcome.h"
#include "reproduce_data.h"
#include "run_options.h"
#include "signals.h"
#include "text.h"
#include "usage.h"

namespace dotin::app {

namespace {

namespace fs = std::filesystem;
using reproduce::Cell;
using reproduce::CellStore;
using reproduce::Item;
using reproduce::Outcome;
using reproduce::Settings;

constexpr const char* kAll = "all";

struct ReproduceOptions {
  std::vector<std::string> names;
  Settings settings;
  std::string out = "runs/reproduce";
  std::string data;
  int64_t jobs = 0;
  bool list = false, no_run = false, json = false;
};

std::vector<const Item*> chosen_items(const ReproduceOptions& options) {
  std::vector<const Item*> chosen;
  const bool all = std::find(options.names.begin(), options.names.end(), kAll) != options.names.end();
  if (all) {
    for (const Item& item : reproduce::items()) chosen.push_back(&item);
  } else {
    for (const std::string& name : options.names) chosen.push_back(&reproduce::item_named(name));
  }
  return chosen;
}

/// Of all items, each once: they share some.
std::vector<Cell> all_cells(const std::vector<const Item*>& chosen, const Settings& settings) {
  std::vector<Cell> cells;
  std::set<std::vector<reproduce::Command>> seen;
  for (const Item* const item : chosen) {
    for (Cell& cell : reproduce::cells_of(*item, settings)) {
      if (seen.insert(cell.commands).second) cells.push_back(std::move(cell));
    }
  }
  return cells;
}

std::vector<std::string> datasets_of(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    if (std::find(names.begin(), names.end(), cell.data) == names.end()) names.push_back(cell.data);
  }
  return names;
}

void check_methods(const Settings& settings) {
  const std::vector<std::string> known = reproduce::row_names();
  for (const std::string& name : settings.methods) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    core::fail_usage("--methods: there is no '{}'{}; there are: {}", name, core::suggestion(name, known),
                     fmt::join(known, ", "));
  }
}

/// Fingerprint of every option that has an effect in a cell's runs, whether its words say it or leave it to the preset.
/// Those without are left out, so that a change of them does not cast off numbers that it cannot touch.
std::string settings_of(const Cell& cell) {
  uint64_t hash = 0;
  for (const reproduce::Command& command : cell.commands) {
    CLI::App app;
    RunOptionsParser parser;
    parser.add_to(app);
    app.allow_extras();
    app.parse(std::vector<std::string>(command.rbegin(), command.rend()));
    const network::RunOptions options = parser.resolve();
    nlohmann::json values = network::to_json(options);
    for (const network::WithoutEffect& unused : options.without_effect()) values.erase(unused.option);
    for (const char c : values.dump()) hash = core::mix(hash, static_cast<unsigned char>(c));
  }
  return fmt::format("{:016x}", hash);
}

int64_t kept_of(const std::vector<Cell>& cells, CellStore& store) {
  return std::count_if(cells.begin(), cells.end(),
                       [&](const Cell& cell) { return reproduce::result_of(store.find(cell)) != nullptr; });
}

std::string list_text(const Settings& settings, CellStore& store) {
  std::string text = fmt::format("{:<22} {:>6} {:>6}   {}\n", "item", "cells", "kept", "content");
  for (const Item& item : reproduce::items()) {
    const std::vector<Cell> cells = reproduce::cells_of(item, settings);
    text += fmt::format("{:<22} {:>6} {:>6}   {}\n", item.name, cells.size(), kept_of(cells, store), item.title);
  }
  return text;
}

nlohmann::json page_data(const Outcome& outcome) {
  nlohmann::json data = reproduce::to_json(outcome);
  for (std::size_t i = 0; i < outcome.charts.size(); ++i) data["charts"][i]["svg"] = outcome.charts[i].svg;
  return data;
}

/// Whether nothing of the item has been run here, and a page of it is there: it may come from a run whose cells were
/// not kept, or with other settings.
bool would_only_empty(const Outcome& outcome, const std::string& folder) {
  return outcome.cells.empty() && fs::exists(folder + "/" + outcome.item + ".json");
}

/// ITEM.md, .json, .html and pictures. Pictures of an earlier call that this one does not draw are removed.
void write_outcome(const Outcome& outcome, const std::string& folder) {
  const std::string base = folder + "/" + outcome.item;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, outcome.item.size() + 1, outcome.item + "-") == 0 && entry.path().extension() == ".svg")
      fs::remove(entry.path());
  }
  for (const reproduce::Chart& chart : outcome.charts)
    io::write_file_atomically(folder + "/" + reproduce::file_of(outcome, chart), reproduce::standalone(chart.svg));
  io::write_file_atomically(base + ".json", reproduce::to_json(outcome).dump(1) + "\n");
  io::write_file_atomically(base + ".md", reproduce::to_markdown(outcome));
  io::write_file_atomically(base + ".html", report::reproduce_page(outcome.title, {{"items", {page_data(outcome)}}}));
}

void write_outcomes(const std::vector<const Item*>& chosen, const ReproduceOptions& options, CellStore& store,
                    Context& context) {
  fs::create_directories(options.out);
  nlohmann::json pages = nlohmann::json::array(), printed = nlohmann::json::array();
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Item* const item : chosen) {
    const Outcome outcome = reproduce::outcome_of(*item, options.settings, store);
    if (would_only_empty(outcome, options.out)) {
      rows.emplace_back(item->name,
                        fmt::format("no cell of {}; what {} has of it stays", outcome.command, printable(options.out)));
    } else {
      write_outcome(outcome, options.out);
      const auto all = static_cast<int64_t>(outcome.cells.size() + outcome.missing.size());
      rows.emplace_back(item->name, fmt::format("{} of {}: {}/{}.html, .md, .json", outcome.cells.size(),
                                                counted(all, "cell"), printable(options.out), item->name));
    }
    pages.push_back(page_data(outcome));
    printed.push_back(reproduce::to_json(outcome));
  }
  if (chosen.size() == reproduce::items().size()) {
    io::write_file_atomically(options.out + "/all.html",
                              report::reproduce_page("The paper, run again", {{"items", std::move(pages)}}));
    rows.emplace_back(kAll, printable(options.out) + "/all.html");
  }
  context.console.out(options.json ? (printed.size() == 1 ? printed[0] : printed).dump(1) + "\n" : two_columns(rows));
}

int run(const ReproduceOptions& options, Context& context) {
  check_methods(options.settings);
  ReproduceData data(options.out, options.data);
  CellStore store(options.out + "/cells", [&](const Cell& cell) {
    return reproduce::Circumstances{DOTIN_VERSION, settings_of(cell), data.fingerprint(cell.data)};
  });
  if (options.list) {
    context.console.out(list_text(options.settings, store));
    return 0;
  }
  if (options.names.empty()) core::fail_usage("say what to reproduce: {} lists the items", "dotin reproduce --list");
  const std::vector<const Item*> chosen = chosen_items(options);
  int64_t failed = 0;
  if (!options.no_run) {
    const std::vector<Cell> cells = all_cells(chosen, options.settings);
    fs::create_directories(options.out);
    const io::FileLock lock(options.out + "/.lock", options.out);
    data.require(datasets_of(cells));
    RunnerOptions runner;
    runner.folder = options.out;
    runner.jobs = options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
    runner.data_bytes = [&](const std::string& name) { return data.bytes(name); };
    try {
      failed = run_cells(cells, store, runner, context);
    } catch (const Interrupted&) {
      write_outcomes(chosen, options, store, context);
      context.console.write("stopped; what was done is kept. The same command goes on from here.\n");
      throw;
    }
  }
  write_outcomes(chosen, options, store, context);
  if (failed > 0)
    core::fail("{} failed; the tables say which, and the same command tries them again", counted(failed, "cell"));
  return 0;
}

}  // namespace

void add_reproduce(CLI::App& root, Context& context) {
  CLI::App& command = *root.add_subcommand(
      "reproduce", "Regenerate the paper's tables and figures on real data, beside the paper's own numbers");
  const auto options = std::make_shared<ReproduceOptions>();
  std::vector<std::string> names;
  for (const Item& item : reproduce::items()) names.push_back(item.name);
  names.emplace_back(kAll);
  command.add_option("items", options->names, "Tables and figures, or all")
      ->type_name("ITEM")
      ->check(CLI::IsMember(names));
  command.add_flag("--list", options->list, "List the items with the number of their cells, and how many are there");
  command.add_flag("--quick", options->settings.quick,
                   "In minutes: 3 folds, 3 epochs, hidden 16, PROTEINS and generated graphs; says so on the page");
  Settings& settings = options->settings;
  command.add_option("--datasets", settings.datasets, "Data to run on instead of the paper's")
      ->delimiter(',')
      ->type_name("DATA,...");
  command.add_option("--methods", settings.methods, "Rows to run instead of all, e.g. gpool,sagpool-global,dotin")
      ->delimiter(',')
      ->type_name("NAME,...");
  command.add_option("--folds", settings.folds, "Folds of every cross-validation")
      ->check(at_least(3))
      ->type_name("INT");
  command.add_option("--epochs", settings.epochs, "Epochs of every training")->check(at_least(1))->type_name("INT");
  command.add_option("--hidden", settings.hidden, "Hidden dimension, where an item does not vary it")
      ->check(at_least(1))
      ->type_name("INT");
  command.add_option("--jobs", options->jobs, "Cells run at once, each with one thread; 0: as many as there are cores")
      ->check(at_least(0))
      ->type_name("INT");
  command.add_option("--data", options->data, "Folder to look for datasets in, before $DOTIN_DATA")->type_name("DIR");
  command.add_option("--out", options->out, "Folder of the cells, tables and pages")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--no-run", options->no_run, "Only write tables and pages from the cells that are there");
  command.add_flag("--json", options->json, "Print the outcome as JSON");
  set_examples(command,
               {"dotin reproduce --list", "dotin reproduce table-datasets --data ~/tu",
                "dotin reproduce table-classification --quick",
                "dotin reproduce table-classification --datasets NCI1,PROTEINS --methods gpool,dotin --folds 5",
                "dotin reproduce all --jobs 2", "dotin reproduce all --no-run"},
               "A cell is one figure of a table or one point of a figure. Cells are kept, by their settings and the "
               "program's\nversion: the same command skips what is there and goes on where it was stopped.");
  set_action(command, context, options, run);
}

}  // namespace dotin::app
