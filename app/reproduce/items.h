// The tables and figures of the paper, by name.
#pragma once

#include <string>
#include <vector>

#include "reproduce/cell.h"
#include "reproduce/settings.h"

namespace dotin::reproduce {

struct Outcome;

struct Item {
  std::string name;   // as on the command line
  std::string title;  // of its page
  /// Fills an outcome from the cells it asks for. Asks for the same ones whether they are there or not.
  void (*fill)(Outcome& outcome, const Settings& settings, Cells& cells);
};

/// In the order of the paper; table-training, which it lacks, stands beside the table it adds to.
const std::vector<Item>& items();

/// core::UsageError that lists the names for an unknown one.
const Item& item_named(const std::string& name);

/// Short names of the rows that --methods chooses from.
std::vector<std::string> row_names();

/// The cells of an item, each once, in the order in which it asks for them.
std::vector<Cell> cells_of(const Item& item, const Settings& settings);

/// The item as far as its cells are there.
Outcome outcome_of(const Item& item, const Settings& settings, Cells& cells);

/// One file each; a new item is one more, and a line in items().
void fill_table_datasets(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_methods(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_classification(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_training(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_ged(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_multitask(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_table_backbones(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_figure_drop_ratio(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_figure_speed(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_figure_layers(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_figure_memory(Outcome& outcome, const Settings& settings, Cells& cells);
void fill_figure_importance(Outcome& outcome, const Settings& settings, Cells& cells);

}  // namespace dotin::reproduce
