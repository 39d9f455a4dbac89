// dotin data list: which datasets are known, and which are here.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "dotin/data/catalog.h"
#include "text.h"

namespace dotin::app {

namespace {

struct ListOptions {
  bool json = false;
};

struct Entry {
  std::string name;
  std::string path;  // empty: not here
  const data::KnownDataset* known = nullptr;
};

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (const auto& known : data::known_datasets()) entries.push_back({known.name, "", &known});
  for (const auto& [name, path] : data::local_datasets()) {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&name = name](const Entry& entry) { return entry.name == name; });
    if (found == entries.end()) {
      entries.push_back({name, path, nullptr});
    } else if (found->path.empty()) {
      found->path = path;
    }
  }
  return entries;
}

std::string as_json(const std::vector<Entry>& entries) {
  nlohmann::json list = nlohmann::json::array();
  for (const Entry& entry : entries) {
    nlohmann::json item = {{"name", entry.name}, {"path", nullptr}};
    if (!entry.path.empty()) item["path"] = entry.path;
    if (entry.known != nullptr) {
      item["graphs"] = entry.known->graphs;
      item["classes"] = entry.known->classes;
      item["about"] = entry.known->about;
    }
    list.push_back(std::move(item));
  }
  return json_text(list);
}

std::string as_table(const std::vector<Entry>& entries) {
  std::size_t width = 4;
  for (const Entry& entry : entries) width = std::max(width, columns_of(entry.name));
  std::string text = fmt::format("{:<{}}  {:>8}  {:>7}\n", "NAME", width, "GRAPHS", "CLASSES");
  for (const Entry& entry : entries) {
    const bool known = entry.known != nullptr;
    text += fmt::format("{:<{}}  {:>8}  {:>7}  {}\n", printable(entry.name), width,
                        known ? grouped(entry.known->graphs) : "", known ? grouped(entry.known->classes) : "",
                        entry.path.empty() ? entry.known->about : "here: " + printable(entry.path));
  }
  return text + "\n'dotin data get NAME' downloads one into " + data::cache_folder() +
         ".\nAny other name of the TU collection works as well.\n";
}

int run_list(const ListOptions& options, Context& context) {
  const std::vector<Entry> entries = all_entries();
  context.console.out(options.json ? as_json(entries) : as_table(entries));
  return 0;
}

}  // namespace

void add_data_list(CLI::App& data, Context& context) {
  CLI::App& command = *data.add_subcommand("list", "Datasets that can be downloaded, and those that are here");
  const auto options = std::make_shared<ListOptions>();
  command.add_flag("--json", options->json, "Print JSON");
  set_examples(command, {"dotin data list", "DOTIN_DATA=/srv/graphs dotin data list"});
  set_action(command, context, options, run_list);
}

}  // namespace dotin::app
