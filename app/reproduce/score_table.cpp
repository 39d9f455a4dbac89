#include "reproduce/score_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dotin/data/paper_sizes.h"
#include "reproduce/charts.h"
#include "reproduce/methods.h"
#include "reproduce/paired_test.h"
#include "reproduce/paper.h"

namespace dotin::reproduce {

namespace {

using nlohmann::json;

constexpr double kSignificant = 0.05;

/// One number of the table: a row, a dataset and a metric.
struct Score {
  const ScoreRow* row = nullptr;
  std::string dataset, column;
  const ScoreColumn* metric = nullptr;
  std::optional<PaperNumber> paper;
  std::string cell, absence;    // absence: why there are no rules
  std::string trial;            // name of the one that is shown
  json trials = json::array();  // {name, cell, validation} of those that were run, where there is a choice
  json rules;                   // percent: rule -> {mean, std, folds}

  bool known() const { return absence.empty(); }
  double mean(const char* rule) const { return rules.at(rule).at("mean").get<double>(); }
  double std() const { return rules.at("validation").at("std").get<double>(); }
  std::vector<double> folds() const { return rules.at("validation").at("folds").get<std::vector<double>>(); }
  /// The paper's number is of other features: beside ours, not against it.
  bool other_input() const { return dataset_title(dataset) == data::kFrankensteinAtoms; }
};

/// A score of cv is a share, and null where it could not be computed.
double percent(const json& share) { return share.is_null() ? std::nan("") : 100 * share.get<double>(); }

json in_percent(const json& rule) {
  json folds = json::array();
  for (const json& value : rule.at("folds")) folds.push_back(percent(value));
  return {{"mean", percent(rule.at("mean"))}, {"std", percent(rule.at("std"))}, {"folds", std::move(folds)}};
}

std::string column_title(const std::string& dataset, const ScoreColumn& column) {
  return column.title.empty() ? dataset_title(dataset) : dataset_title(dataset) + " " + column.title;
}

std::optional<PaperNumber> paper_of(int table, const ScoreRow& row, const std::string& data,
                                    const std::string& metric) {
  const std::string title = dataset_title(data);
  return paper_number(table, row.paper_row.empty() ? row.name : row.paper_row, title == "D&D" ? "DD" : title, metric);
}

/// A trial of a row and a dataset, as far as it was run.
struct Ran {
  const Trial* trial = nullptr;
  const json* record = nullptr;
  const json* result = nullptr;
  double validation = std::nan("");  // percent: mean of the table's metrics on the validation folds
};

double validation_score(const json& result, const std::vector<ScoreColumn>& columns) {
  double sum = 0;
  for (const ScoreColumn& column : columns)
    sum += percent(result.at("tasks").at(column.task).at(column.metric).at("validation").at("validation").at("mean"));
  return sum / static_cast<double>(columns.size());
}

std::vector<Ran> trials_of(const ScoreTable& table, const ScoreRow& row, const std::string& dataset, Cells& cells) {
  std::vector<Ran> all;
  for (const Trial& trial : row.trials) {
    const std::string name = trial.name.empty() ? row.name : row.name + ", " + trial.name;
    Ran& ran = all.emplace_back();
    ran.trial = &trial;
    ran.record =
        cells.find(cv_cell(dataset_title(dataset) + ", " + name, dataset, table.tasks, trial.options, table.shape));
    ran.result = result_of(ran.record);
    if (ran.result != nullptr && row.trials.size() > 1) ran.validation = validation_score(*ran.result, table.columns);
  }
  return all;
}

/// The one with the best validation score; of equal ones, and where none has a score, the first.
const Ran& best_of(const std::vector<Ran>& trials) {
  const auto score = [](const Ran& ran) { return ran.result == nullptr ? -1 : std::fmax(ran.validation, 0); };
  return *std::max_element(trials.begin(), trials.end(),
                           [&](const Ran& a, const Ran& b) { return score(a) < score(b); });
}

/// Column by column, and within it in the order of the rows.
std::vector<std::vector<Score>> scores_of(const ScoreTable& table, const Settings& settings, Cells& cells) {
  std::vector<std::vector<Score>> columns;
  for (const std::string& dataset : table.datasets) {
    const std::size_t first = columns.size();
    columns.resize(first + table.columns.size());
    for (const ScoreRow& row : table.rows) {
      if (!settings.wants(row.name)) continue;
      const std::vector<Ran> trials = trials_of(table, row, dataset, cells);
      const Ran& best = best_of(trials);
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        Score& score = columns[first + c].emplace_back();
        score.row = &row;
        score.dataset = dataset;
        score.metric = &table.columns[c];
        score.column = column_title(dataset, table.columns[c]);
        score.paper = paper_of(table.paper_table, row, dataset, score.metric->metric);
        score.absence = absence_of(best.record);
        score.trial = best.trial->name;
        for (const Ran& ran : trials) {
          if (trials.size() == 1 || ran.result == nullptr) continue;
          score.trials.push_back(
              {{"name", ran.trial->name}, {"cell", ran.record->at("key")}, {"validation", ran.validation}});
        }
        if (best.record != nullptr) score.cell = best.record->at("key");
        if (best.result == nullptr) continue;
        for (const auto& [rule, value] :
             best.result->at("tasks").at(score.metric->task).at(score.metric->metric).items())
          score.rules[rule] = in_percent(value);
      }
    }
  }
  return columns;
}

/// The honest figure, and how far it is from the paper's.
Entry score_entry(const Score& score) {
  Entry entry;
  entry.cell = score.cell;
  entry.text = score.known() ? fmt::format("{:.2f} ± {:.2f}", score.mean("validation"), score.std()) : score.absence;
  if (!score.paper) return entry;
  std::string note = fmt::format("paper {:.2f}", score.paper->mean);
  if (score.other_input()) {
    note += ", other input";
  } else if (score.known()) {
    const double difference = score.mean("validation") - score.paper->mean;
    entry.below = difference < 0;
    note += fmt::format(" {} {:+.2f}", entry.below ? "▼" : "▲", difference);
  }
  entry.notes.push_back(std::move(note));
  return entry;
}

Entry rules_entry(const Score& score) {
  if (!score.known()) return {score.absence};
  return {fmt::format("{:.2f} / {:.2f} / {:.2f}", score.mean("last"), score.mean("best_mean"), score.mean("best_test")),
          {},
          score.cell};
}

/// Which trial is shown, and why.
Entry trial_entry(const Score& score) {
  if (score.trials.empty()) return {"–"};
  if (score.trials.size() == 1) return {score.trial, {"the other was not run"}, score.cell};
  std::string chosen, others;
  for (const json& trial : score.trials) {
    const std::string validation = fmt::format("{:.2f}", trial.at("validation").get<double>());
    if (trial.at("name") == score.trial) {
      chosen = validation;
    } else {
      others += (others.empty() ? "" : ", ") + validation;
    }
  }
  return {score.trial, {fmt::format("validation {}, not {}", chosen, others)}, score.cell};
}

json value_of(const Score& score) {
  json value = {{"row", score.row->name},
                {"dataset", dataset_title(score.dataset)},
                {"task", score.metric->task},
                {"metric", score.metric->metric},
                {"cell", score.cell},
                {"rules", score.rules},
                {"paper", nullptr}};
  if (!score.known()) value["absence"] = score.absence;
  if (!score.trials.empty()) {
    value["trial"] = score.trial;
    value["trials"] = score.trials;
  }
  if (score.paper) value["paper"] = {{"mean", score.paper->mean}, {"std", score.paper->std}};
  if (score.paper && score.known() && !score.other_input())
    value["minus_paper"] = score.mean("validation") - score.paper->mean;
  return value;
}

/// A row for each method of the columns.
Table table_of(const std::vector<std::vector<Score>>& columns, Entry (*entry_of)(const Score&)) {
  Table table;
  table.columns = {"method"};
  for (const std::vector<Score>& column : columns) table.columns.push_back(column.front().column);
  for (std::size_t r = 0; r < columns.front().size(); ++r) {
    Row& row = table.rows.emplace_back();
    row.name = columns.front()[r].row->name;
    for (const std::vector<Score>& column : columns) row.entries.push_back(entry_of(column[r]));
  }
  return table;
}

Table main_table(const std::vector<std::vector<Score>>& columns) {
  Table table = table_of(columns, score_entry);
  table.title = "Scores";
  table.about =
      "Test values in percent, mean and standard deviation over the folds, with the epoch of each fold chosen on its "
      "validation fold. Bold: the highest of a column. Below it the paper's; ▼: ours is below it, by so many points; "
      "▲: it is not.";
  const auto height = [](const Score& score) { return score.known() ? score.mean("validation") : -1; };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double highest = 0;
    for (const Score& score : columns[c]) highest = std::max(highest, height(score));
    for (std::size_t r = 0; r < columns[c].size(); ++r)
      table.rows[r].entries[c].highest = height(columns[c][r]) == highest;
  }
  return table;
}

Table rules_table(const std::vector<std::vector<Score>>& columns) {
  Table table = table_of(columns, rules_entry);
  table.title = "Other rules for the epoch";
  table.about =
      "The same runs, in this order: the last epoch; the one epoch that is best on average over the test folds; and "
      "the epoch that looks best on each test fold itself, which no honest report would choose, but the paper's "
      "numbers may be of this kind.";
  return table;
}

Table trials_table(const std::vector<std::vector<Score>>& columns) {
  Table table = table_of(columns, trial_entry);
  table.title = "Chosen by validation scores";
  table.about =
      "What the scores above are of, where a row was run in several ways: the way with the best mean over the "
      "validation folds of the dataset. No test value has a part in it.";
  return table;
}

/// The score of a row that was run, nothing elsewhere.
const Score* row_of(const std::vector<Score>& column, const std::string& name) {
  const auto found = std::find_if(column.begin(), column.end(), [&](const Score& s) { return s.row->name == name; });
  return found == column.end() || !found->known() ? nullptr : &*found;
}

/// All others of a column against one: the entries of a table, and what `values` says of it.
std::vector<Entry> tests_of(const std::vector<Score>& column, const std::string& reference, json& values) {
  std::vector<Entry> entries(column.size(), Entry{"–"});
  const Score* const base = row_of(column, reference);
  if (base == nullptr) return entries;
  std::vector<std::size_t> compared;
  std::vector<PairedTest> tests;
  std::vector<double> p;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!column[i].known() || &column[i] == base) continue;
    compared.push_back(i);
    tests.push_back(paired_test(base->folds(), column[i].folds()));
    p.push_back(tests.back().p);
  }
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const bool significant = corrected[i] < kSignificant;
    entries[compared[i]] = {fmt::format("{:+.2f}{}", tests[i].difference, significant ? " *" : ""),
                            {corrected[i] < 0.0005 ? "p < 0.001" : fmt::format("p {:.3f}", corrected[i])},
                            column[compared[i]].cell};
    values.push_back({{"test", reference + " minus " + column[compared[i]].row->name},
                      {"dataset", dataset_title(base->dataset)},
                      {"task", base->metric->task},
                      {"metric", base->metric->metric},
                      {"difference", tests[i].difference},
                      {"t", tests[i].t},
                      {"p", p[i]},
                      {"p_holm", corrected[i]}});
  }
  return entries;
}

/// "D&D: gPool by 1.20, ..." of the columns in which others are above the reference; empty where none is.
std::string above(const std::vector<std::vector<Score>>& columns, const std::string& reference) {
  std::vector<std::string> parts;
  for (const std::vector<Score>& column : columns) {
    const Score* const base = row_of(column, reference);
    if (base == nullptr) continue;
    std::vector<std::string> names;
    for (const Score& score : column) {
      if (!score.known() || score.mean("validation") <= base->mean("validation")) continue;
      names.push_back(
          fmt::format("{} by {:.2f}", score.row->name, score.mean("validation") - base->mean("validation")));
    }
    if (!names.empty()) parts.push_back(fmt::format("{}: {}", column.front().column, fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Table test_table(const std::vector<std::vector<Score>>& columns, const std::string& reference, json& values) {
  Table table;
  table.title = "Is " + reference + " better?";
  table.about = fmt::format(
      "{} minus each of the others, in points, over the same folds (validation rule). p of a paired t test over folds, "
      "corrected for the overlap of training sets (Nadeau and Bengio 2003) and, within each column, for the number of "
      "comparisons (Holm). *: p < {}; without it the difference may be chance.",
      reference, kSignificant);
  const std::string better = above(columns, reference);
  const std::size_t before = values.size();
  table.columns = {"method"};
  std::vector<std::vector<Entry>> entries;
  for (const std::vector<Score>& column : columns) {
    table.columns.push_back(column.front().column);
    entries.push_back(tests_of(column, reference, values));
  }
  if (!better.empty()) {
    table.about += " Above it are, of " + better + ".";
  } else if (values.size() > before) {
    table.about += " No method that was run is above it.";
  }
  for (std::size_t r = 0; r < columns.front().size(); ++r) {
    if (columns.front()[r].row->name == reference) continue;
    Row& row = table.rows.emplace_back();
    row.name = columns.front()[r].row->name;
    for (const std::vector<Entry>& column : entries) row.entries.push_back(column[r]);
  }
  return table;
}

/// The rows that were run.
Chart chart_of(const std::vector<Score>& column) {
  RowChart chart;
  chart.x_name = "percent";
  chart.kinds = {"validation rule, with standard deviation over folds", "best test epoch", "paper"};
  for (const Score& score : column) {
    if (!score.known()) continue;
    RowChart::Row& row = chart.rows.emplace_back();
    row.label = score.row->name;
    const double mean = score.mean("validation");
    row.marks.push_back({0, mean, mean - score.std(), mean + score.std()});
    row.marks.push_back({1, score.mean("best_test")});
    if (score.paper) row.marks.push_back({2, score.paper->mean});
  }
  const std::string& title = column.front().column;
  return {short_name(title), title, "", draw(chart, title)};
}

/// Without rows that have no cell, of which the table of scores tells; not at all where none is left.
void add_what_was_run(Outcome& outcome, Table table) {
  const auto has_no_cell = [](const Row& row) {
    return std::all_of(row.entries.begin(), row.entries.end(), [](const Entry& entry) { return entry.cell.empty(); });
  };
  table.rows.erase(std::remove_if(table.rows.begin(), table.rows.end(), has_no_cell), table.rows.end());
  if (!table.rows.empty()) outcome.tables.push_back(std::move(table));
}

}  // namespace

void add_score_table(Outcome& outcome, const ScoreTable& table, const Settings& settings, Cells& cells) {
  const std::vector<std::vector<Score>> columns = scores_of(table, settings, cells);
  if (columns.empty() || columns.front().empty()) return;
  for (const std::vector<Score>& column : columns) {
    for (const Score& score : column) outcome.values.push_back(value_of(score));
    const bool any = std::any_of(column.begin(), column.end(), [](const Score& s) { return s.known(); });
    if (any) outcome.charts.push_back(chart_of(column));
  }
  outcome.tables.push_back(main_table(columns));
  for (const std::string& reference : table.references) {
    if (settings.wants(reference)) add_what_was_run(outcome, test_table(columns, reference, outcome.values));
  }
  add_what_was_run(outcome, rules_table(columns));
  add_what_was_run(outcome, trials_table(columns));
}

}  // namespace dotin::reproduce
