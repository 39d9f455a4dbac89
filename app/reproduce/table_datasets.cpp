// Table 2: the datasets.
#include <fmt/format.h>

#include "dotin/data/paper_sizes.h"
#include "reproduce/items.h"
#include "reproduce/outcome.h"

namespace dotin::reproduce {

namespace {

using nlohmann::json;

Cell info_cell(const std::string& data) {
  Cell cell;
  cell.label = dataset_title(data);
  cell.data = data;
  cell.commands = {{"data", "info", data, "--json"}};
  cell.protocol = "counted in the files";
  cell.cost = 1;
  return cell;
}

Entry compared(const std::string& ours, const std::string& paper, bool agrees, const std::string& cell) {
  if (paper.empty()) return {ours, {}, cell};
  return {ours, {fmt::format("paper {}{}", paper, agrees ? "" : " ≠")}, cell};
}

}  // namespace

void fill_table_datasets(Outcome& outcome, const Settings& settings, Cells& cells) {
  Table table;
  table.title = "Sizes";
  table.about = "What the files hold, beside what the paper states. ≠: not the same to the digits printed there.";
  table.columns = {"dataset", "graphs", "classes", "nodes a graph", "edges a graph", "training", "test"};
  for (const std::string& data : settings.datasets_or({"DD", "PROTEINS", "NCI1", "NCI109", "FRANKENSTEIN-atoms"})) {
    const json* const record = cells.find(info_cell(data));
    const json* const result = result_of(record);
    Row& row = table.rows.emplace_back();
    row.name = dataset_title(data);
    json value = {{"dataset", row.name}, {"paper", nullptr}};
    if (result == nullptr) {
      row.entries.assign(table.columns.size() - 1, Entry{absence_of(record)});
      value["absence"] = absence_of(record);
      outcome.values.push_back(std::move(value));
      continue;
    }
    const std::string key = record->at("key");
    const data::PaperSizes* const paper = data::paper_sizes(result->at("name").get<std::string>());
    const auto count = [&](const char* name) { return result->at(name).get<int64_t>(); };
    const auto whole = [&](int64_t ours, int stated) {
      return compared(std::to_string(ours), paper == nullptr ? "" : std::to_string(stated), ours == stated, key);
    };
    const auto average = [&](const char* name, const char* stated) {
      const double ours = result->at(name).get<double>();
      return compared(fmt::format("{:.2f}", ours), stated, paper != nullptr && data::agrees_with_print(ours, stated),
                      key);
    };
    // Of ten folds one is the test set; the paper's training sets are all the rest.
    const int64_t test = (count("graphs") + 9) / 10;
    row.entries = {whole(count("graphs"), paper == nullptr ? 0 : paper->graphs),
                   whole(count("classes"), paper == nullptr ? 0 : paper->classes),
                   average("avg_nodes", paper == nullptr ? "" : paper->nodes),
                   average("avg_edges", paper == nullptr ? "" : paper->edges),
                   {fmt::format("{} + {}", count("graphs") - 2 * test, test),
                    paper == nullptr ? std::vector<std::string>{}
                                     : std::vector<std::string>{fmt::format("paper {}", paper->training)},
                    key},
                   compared(std::to_string(test), paper == nullptr ? "" : std::to_string(paper->test),
                            paper != nullptr && test == paper->test, key)};
    value.update({{"graphs", count("graphs")},
                  {"classes", count("classes")},
                  {"avg_nodes", result->at("avg_nodes")},
                  {"avg_edges", result->at("avg_edges")},
                  {"cell", key}});
    if (paper != nullptr) {
      value["paper"] = {{"graphs", paper->graphs},   {"classes", paper->classes},   {"avg_nodes", paper->nodes},
                        {"avg_edges", paper->edges}, {"training", paper->training}, {"test", paper->test}};
    }
    outcome.values.push_back(std::move(value));
  }
  outcome.about.push_back(
      "Training and test are graphs of one of ten folds. Ours sets one more fold aside, to choose the epoch on: "
      "training + validation.");
  outcome.tables.push_back(std::move(table));
}

}  // namespace dotin::reproduce
