// Tables 3 to 6 from made-up cells.
#include "reproduce/score_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "dotin/core/error.h"
#include "fake_cells.h"
#include "reproduce/items.h"
#include "reproduce/markdown.h"
#include "reproduce/paper.h"
#include "support/expect.h"

namespace dotin::reproduce {
namespace {

using nlohmann::json;

Settings only(std::vector<std::string> datasets, std::vector<std::string> methods) {
  Settings settings;
  settings.datasets = std::move(datasets);
  settings.methods = std::move(methods);
  settings.folds = 4;
  return settings;
}

const json& value_of(const Outcome& outcome, const std::string& row, const std::string& metric) {
  for (const json& value : outcome.values) {
    if (value.value("row", "") == row && value["metric"] == metric) return value;
  }
  throw std::out_of_range(row + " " + metric);
}

const Entry& entry_of(const Table& table, const std::string& row, std::size_t column) {
  for (const Row& each : table.rows) {
    if (each.name == row) return each.entries.at(column);
  }
  throw std::out_of_range(row);
}

/// DOTIN 0.72 to 0.78, gPool 0.70 to 0.74 and always behind; set2set was not run, sortpool failed.
json made_up(const Cell& cell) {
  if (option_of(cell, "--readout") == "set2set") return nullptr;
  if (option_of(cell, "--readout") == "sortpool") return "too large for this machine";
  const double base = option_of(cell, "--drop") == "dotin" ? 0.02 : 0;
  return cv_result({{{"classify", "accuracy"}, {0.70 + base, 0.71 + base, 0.72 + 2 * base, 0.74 + 2 * base}}});
}

/// What is said above the tests of D&D's differences.
std::string only_test_of(FakeCells& cells, const std::string& one, const std::string& other) {
  return outcome_of(item_named("table-classification"), only({"DD"}, {one, other}), cells).tables.at(1).about;
}

TEST(ScoreTable, HasGlobalReadoutsOnGcnTooBesideTheSameNumbers) {
  std::set<std::string> backbones;
  FakeCells cells([&](const Cell& cell) {
    backbones.insert(option_of(cell, "--backbone"));
    return cv_result({{{"classify", "accuracy"}, {0.70, 0.71, 0.72, 0.74}}});
  });
  const Outcome outcome = outcome_of(item_named("table-classification"),
                                     only({"NCI1"}, {"sagpool-global", "sagpool-global-on-gcn"}), cells);
  EXPECT_EQ(backbones, (std::set<std::string>{"", "gcn"}));
  for (const char* const row : {"SAGPool, global", "SAGPool, global on GCN"})
    EXPECT_SAYS(fmt::format("{}", fmt::join(entry_of(outcome.tables.front(), row, 0).notes, " ")), "74.18");
}

TEST(ScoreTable, ShowsOursBesideThePapersAndMarksWhatIsBelow) {
  FakeCells cells(made_up);
  const Outcome outcome = outcome_of(item_named("table-classification"),
                                     only({"DD", "PROTEINS"}, {"dotin", "dotin-preset-paper", "gpool"}), cells);
  const Table& scores = outcome.tables.front();
  EXPECT_EQ(scores.columns, (std::vector<std::string>{"method", "D&D", "PROTEINS"}));
  const Entry& below = entry_of(scores, "DOTIN", 0);  // (72 + 73 + 76 + 78) / 4 = 74.75, the paper's 78.25
  EXPECT_EQ(below.text, "74.75 ± 2.75");
  EXPECT_TRUE(below.below);
  EXPECT_EQ(below.notes, std::vector<std::string>{"paper 78.25 ▼ -3.50"});
  const Entry& above = entry_of(scores, "DOTIN", 1);
  EXPECT_FALSE(above.below);
  EXPECT_EQ(above.notes.back(), "paper 74.63 ▲ +0.12");
  EXPECT_EQ(entry_of(scores, "DOTIN, preset paper", 1).notes.back(), above.notes.back()) << "the same row of the paper";
  const json& value = value_of(outcome, "gPool", "accuracy");
  EXPECT_NEAR(value["rules"]["validation"]["mean"], 71.75, 1e-9);
  EXPECT_EQ(value["rules"].size(), 4u) << "every rule";
  EXPECT_EQ(value["paper"]["mean"], 75.01);
  EXPECT_NEAR(value["minus_paper"], 71.75 - 75.01, 1e-9);
}

TEST(ScoreTable, HasTheOtherRulesInATableOfTheirOwn) {
  FakeCells cells(made_up);
  const Outcome outcome = outcome_of(item_named("table-training"), only({"DD"}, {"dotin", "set2set"}), cells);
  const Table& rules = outcome.tables.back();
  EXPECT_EQ(rules.title, "Other rules for the epoch");
  EXPECT_EQ(entry_of(rules, "DOTIN", 0).text, "73.75 / 76.75 / 84.75");
  EXPECT_EQ(rules.rows.size(), 1u) << "Set2Set was not run, as the table of scores says";
}

TEST(ScoreTable, HasNoTableOfDifferencesWhereOneRowAloneWasRun) {
  FakeCells cells(made_up);
  const Outcome outcome = outcome_of(item_named("table-training"), only({"DD"}, {"dotin", "set2set"}), cells);
  ASSERT_EQ(outcome.tables.size(), 2u);
  EXPECT_EQ(outcome.tables[0].title, "Scores");
  EXPECT_EQ(outcome.tables[0].rows.size(), 2u);
}

TEST(ScoreTable, SaysTheHighestOfAColumnInBold) {
  FakeCells cells(made_up);
  const Outcome outcome = outcome_of(item_named("table-classification"),
                                     only({"DD", "NCI1"}, {"dotin", "gpool", "set2set", "sortpool"}), cells);
  for (const std::size_t column : {0, 1}) {
    for (const Row& row : outcome.tables.front().rows)
      EXPECT_EQ(row.entries[column].highest, row.name == "DOTIN") << row.name;
  }
  EXPECT_SAYS(to_markdown(outcome), "| DOTIN | **74.75 ± 2.75**<br>paper 78.25 ▼ -3.50 |");
}

TEST(ScoreTable, TestsDifferencesOverTheSameFolds) {
  FakeCells cells(made_up);
  const Outcome outcome = outcome_of(item_named("table-classification"), only({"DD"}, {"dotin", "gpool"}), cells);
  ASSERT_EQ(outcome.tables.size(), 4u) << "scores, one reference, rules and trials";
  // Differences 2, 2, 4, 4: mean 3, variance 4/3, factor 1/4 + 1/2: t = 3 with 3 degrees.
  const json& test = outcome.values.back();
  EXPECT_EQ(test["test"], "DOTIN minus gPool");
  EXPECT_NEAR(test["difference"], 3, 1e-9);
  EXPECT_NEAR(test["t"], 3, 1e-9);
  EXPECT_NEAR(test["p_holm"], 0.0577, 1e-4);
  EXPECT_EQ(entry_of(outcome.tables[1], "gPool", 0).text, "+3.00");
}

TEST(ScoreTable, SaysInWordsWhichMethodsAreAbove) {
  FakeCells cells(made_up);
  const std::string ours = only_test_of(cells, "gpool", "dotin");
  EXPECT_SAYS(ours, "No method that was run is above it.");
  FakeCells turned([](const Cell& cell) {
    json result = made_up(cell);
    if (option_of(cell, "--drop") == "dotin") return cv_result({{{"classify", "accuracy"}, {0.60, 0.61, 0.62, 0.64}}});
    return result;
  });
  EXPECT_SAYS(only_test_of(turned, "gpool", "dotin"), "Above it are, of D&D: gPool by 10.00.");
}

TEST(ScoreTable, OtherInputThanThePapersIsNotMeasuredAgainstIt) {
  FakeCells cells(made_up);
  const Outcome outcome =
      outcome_of(item_named("table-classification"), only({"FRANKENSTEIN-atoms"}, {"dotin"}), cells);
  EXPECT_EQ(entry_of(outcome.tables.front(), "DOTIN", 0).notes.back(), "paper 63.01, other input");
  EXPECT_FALSE(value_of(outcome, "DOTIN", "accuracy").contains("minus_paper"));
}

TEST(ScoreTable, TheSameTrainingForAllDiffersInDropAndReadoutAlone) {
  FakeCells cells(made_up);
  const std::vector<Cell> trained = cells_of(item_named("table-training"), only({"DD"}, {}));
  ASSERT_GT(trained.size(), 10u);
  for (const Cell& cell : trained) {
    EXPECT_EQ(option_of(cell, "--preset"), "recommended") << cell.label;
    EXPECT_EQ(option_of(cell, "--weight-decay"), "") << cell.label;
  }
  const std::vector<Cell> table = cells_of(item_named("table-classification"), only({"DD"}, {"dotin"}));
  const auto same = [&](const Cell& cell) { return cell.commands == table.front().commands; };
  EXPECT_TRUE(std::any_of(trained.begin(), trained.end(), same)) << "DOTIN's row is the cell of table 3";
}

/// gPool with weight decay 0.0001 is better on test folds, without it on validation folds.
json made_up_trials(const Cell& cell) {
  const bool decays = option_of(cell, "--weight-decay") == "0.0001";
  json result = cv_result({{{"classify", "accuracy"}, {0.70, 0.71, 0.72, decays ? 0.79 : 0.75}}});
  result["tasks"]["classify"]["accuracy"]["validation"]["validation"]["mean"] = decays ? 0.74 : 0.76;
  return result;
}

TEST(ScoreTable, ShowsTheTrialWithTheBestValidationScoreNotTheBestTestScore) {
  FakeCells cells(made_up_trials);
  const Outcome outcome = outcome_of(item_named("table-classification"), only({"DD"}, {"dotin", "gpool"}), cells);
  const Entry& entry = entry_of(outcome.tables.front(), "gPool", 0);
  EXPECT_EQ(entry.text, "72.00 ± 2.16");
  const Table& trials = outcome.tables.back();
  EXPECT_EQ(entry_of(trials, "gPool", 0).text, "weight decay 0");
  EXPECT_EQ(entry_of(trials, "gPool", 0).notes, std::vector<std::string>{"validation 76.00, not 74.00"});
  EXPECT_EQ(trials.rows.size(), 1u) << "DOTIN has no choice";
  const json& value = value_of(outcome, "gPool", "accuracy");
  EXPECT_EQ(value["trial"], "weight decay 0");
  ASSERT_EQ(value["trials"].size(), 2u);
  EXPECT_EQ(value["cell"], value["trials"][1]["cell"]);
  EXPECT_FALSE(value_of(outcome, "DOTIN", "accuracy").contains("trials")) << "has no choice";
  EXPECT_EQ(outcome.cells.size(), 3u) << "the trial that is not shown is there to look up";
}

TEST(ScoreTable, ShowsTheOneTrialThatWasRun) {
  for (const auto& [run, shown] : {std::pair("0", "weight decay 0"), std::pair("0.0001", "weight decay 0.0001")}) {
    FakeCells cells([run = run](const Cell& cell) {
      return option_of(cell, "--weight-decay") == run ? made_up_trials(cell) : json();
    });
    const Outcome outcome = outcome_of(item_named("table-classification"), only({"DD"}, {"gpool"}), cells);
    const Entry& entry = entry_of(outcome.tables.back(), "gPool", 0);
    EXPECT_EQ(entry.text, shown);
    EXPECT_EQ(entry.notes, std::vector<std::string>{"the other was not run"});
    EXPECT_EQ(outcome.missing.size(), 1u);
  }
}

TEST(ScoreTable, AQuickRunHasNoTrials) {
  Settings settings = only({"DD"}, {"gpool"});
  EXPECT_EQ(cells_of(item_named("table-classification"), settings).size(), 2u);
  settings.quick = true;
  EXPECT_EQ(cells_of(item_named("table-classification"), settings).size(), 1u);
}

TEST(ScoreTable, SaysWhatWasNotRunAndWhatFailed) {
  FakeCells cells(made_up);
  const Outcome outcome =
      outcome_of(item_named("table-classification"), only({"DD"}, {"dotin", "set2set", "sortpool"}), cells);
  EXPECT_EQ(entry_of(outcome.tables.front(), "Set2Set", 0).text, "not run");
  EXPECT_EQ(entry_of(outcome.tables.front(), "SortPool", 0).text, "failed");
  ASSERT_EQ(outcome.missing.size(), 2u);
  EXPECT_EQ(outcome.missing[0]["label"], "D&D, Set2Set, weight decay 0.0001");
  const std::string text = to_markdown(outcome);
  EXPECT_SAYS(text, "**Not run:** D&D, Set2Set, weight decay 0.0001; D&D, Set2Set, weight decay 0.");
  EXPECT_SAYS(text, "failed: too large for this machine");
  EXPECT_SAYS(text, "| SortPool | failed<br>paper 72.53 |");
}

TEST(ScoreTable, MarkdownSaysLoudlyThatARunWasQuick) {
  FakeCells cells(made_up);
  Settings settings = only({"DD"}, {"dotin"});
  const Item& item = item_named("table-classification");
  EXPECT_EQ(to_markdown(outcome_of(item, settings, cells)).find("quick run"), std::string::npos);
  settings.quick = true;
  EXPECT_SAYS(to_markdown(outcome_of(item, settings, cells)), "> **A quick run.**");
}

TEST(ScoreTable, PaperNumbersAreThoseOfThePaper) {
  EXPECT_EQ(paper_number(3, "SAGPool, global", "NCI109", "accuracy")->mean, 74.06);
  EXPECT_EQ(paper_number(3, "DOTIN", "FRANKENSTEIN-atoms", "accuracy")->std, 0.92);
  EXPECT_EQ(paper_number(4, "SAGPool", "NCI1", "pair_auc")->mean, 64.48) << "printed as 64..48";
  EXPECT_EQ(paper_number(5, "gPool", "PROTEINS", "triplet_accuracy")->mean, 70.25);
  EXPECT_EQ(paper_number(6, "GCN, drop 0.9", "FRANKENSTEIN", "accuracy")->mean, 54.49);
  EXPECT_FALSE(paper_number(3, "LaPool", "DD", "accuracy").has_value());
  EXPECT_FALSE(paper_number(4, "DOTIN", "NCI109", "pair_auc").has_value());
}

TEST(Items, AskForEachCellOnceAndForTheSameOnesWhetherTheyAreThereOrNot) {
  FakeCells none([](const Cell&) { return json(); });
  for (const Item& item : items()) {
    Settings settings;
    const std::size_t wanted = cells_of(item, settings).size();
    EXPECT_GT(wanted, 0u) << item.name;
    EXPECT_EQ(outcome_of(item, settings, none).missing.size(), wanted) << item.name;
    settings.quick = true;
    EXPECT_GT(cells_of(item, settings).size(), 0u) << item.name;
  }
  EXPECT_EQ(cells_of(item_named("table-classification"), {}).size(), (16u * 2u + 3u) * 5u)
      << "rows with the paper's training have two weight decays";
  EXPECT_THROW(item_named("table-9"), core::UsageError);
}

}  // namespace
}  // namespace dotin::reproduce
