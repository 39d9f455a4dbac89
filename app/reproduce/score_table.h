// Tables of cross-validated scores beside the paper's: tables 3 to 6.
#pragma once

#include <string>
#include <vector>

#include "reproduce/outcome.h"
#include "reproduce/settings.h"

namespace dotin::reproduce {

/// One way to train a row.
struct Trial {
  Command options;        // what differs from the other rows
  std::string name = "";  // what differs from the other trials, e.g. "weight decay 0"; empty where there is one alone
};

struct ScoreRow {
  std::string name;
  std::vector<Trial> trials;   // the one with the best validation score is shown
  std::string paper_row = "";  // the paper's row to set beside; empty: that of the same name
};

struct ScoreColumn {
  std::string task, metric, title;  // title: "", or what the metric is called beside the dataset's name
};

struct ScoreTable {
  int paper_table = 0;
  std::string tasks;  // --tasks
  std::vector<ScoreRow> rows;
  std::vector<ScoreColumn> columns;  // for each dataset
  std::vector<std::string> datasets;
  Shape shape;
  std::vector<std::string> references;  // rows that all others are tested against
};

/// Fills in tables, charts, values and what there is to say about them.
void add_score_table(Outcome& outcome, const ScoreTable& table, const Settings& settings, Cells& cells);

}  // namespace dotin::reproduce
