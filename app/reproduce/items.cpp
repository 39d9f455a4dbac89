#include "reproduce/items.h"

#include <nlohmann/json.hpp>
#include <set>

#include "dotin/core/registry.h"
#include "reproduce/outcome.h"

namespace dotin::reproduce {

namespace {

/// Notes what an item asks for, each cell once, and answers from the cells behind it.
class Asked : public Cells {
 public:
  explicit Asked(Cells* behind) : behind_(behind) {}

  const nlohmann::json* find(const Cell& cell) override {
    const nlohmann::json* const record = behind_ == nullptr ? nullptr : behind_->find(cell);
    if (seen_.insert(cell.commands).second) {
      wanted.push_back(cell);
      records.push_back(record);
    }
    return record;
  }

  std::vector<Cell> wanted;
  std::vector<const nlohmann::json*> records;

 private:
  Cells* behind_;
  std::set<std::vector<Command>> seen_;
};

}  // namespace

const std::vector<Item>& items() {
  static const std::vector<Item> all = {
      {"table-datasets", "The datasets (table 2)", fill_table_datasets},
      {"table-methods", "The methods, measured (table 1)", fill_table_methods},
      {"table-classification", "Graph classification (table 3)", fill_table_classification},
      {"table-training", "Graph classification with the same training for all", fill_table_training},
      {"table-ged", "Graph edit distance (table 4)", fill_table_ged},
      {"table-multitask", "Classification and graph edit distance at once (table 5)", fill_table_multitask},
      {"table-backbones", "Backbones and drop ratios (table 6)", fill_table_backbones},
      {"figure-drop-ratio", "Accuracy by drop ratio", fill_figure_drop_ratio},
      {"figure-speed", "Training speed by drop ratio", fill_figure_speed},
      {"figure-layers", "Training speed by layers", fill_figure_layers},
      {"figure-memory", "Peak memory", fill_figure_memory},
      {"figure-importance", "Which nodes matter to which task", fill_figure_importance},
  };
  return all;
}

const Item& item_named(const std::string& name) {
  std::vector<std::pair<std::string, const Item*>> entries;
  for (const Item& item : items()) entries.emplace_back(item.name, &item);
  return *core::Registry<const Item*>("item", std::move(entries)).get(name);
}

std::vector<Cell> cells_of(const Item& item, const Settings& settings) {
  Asked asked(nullptr);
  Outcome unused;
  item.fill(unused, settings, asked);
  return asked.wanted;
}

Outcome outcome_of(const Item& item, const Settings& settings, Cells& cells) {
  Asked asked(&cells);
  Outcome outcome;
  outcome.item = item.name;
  outcome.title = item.title;
  outcome.command = command_of(item.name, settings);
  outcome.quick = settings.quick;
  item.fill(outcome, settings, asked);
  for (std::size_t i = 0; i < asked.wanted.size(); ++i) {
    if (asked.records[i] == nullptr) {
      outcome.missing.push_back({{"label", asked.wanted[i].label}, {"command", command_line(asked.wanted[i])}});
      continue;
    }
    nlohmann::json record = *asked.records[i];
    record["label"] = asked.wanted[i].label;  // items that share a cell may call it otherwise
    record.erase("result");
    record.erase("argv");  // the command says it
    outcome.cells.push_back(std::move(record));
  }
  return outcome;
}

}  // namespace dotin::reproduce
