// Figures, and the measured table 1, from made-up cells.
#include <gtest/gtest.h>

#include <algorithm>

#include "fake_cells.h"
#include "reproduce/items.h"
#include "reproduce/markdown.h"
#include "reproduce/outcome.h"
#include "support/expect.h"

namespace dotin::reproduce {
namespace {

using nlohmann::json;

Settings quick_on(const std::string& data) {
  Settings settings;
  settings.quick = true;
  settings.datasets = {data};
  return settings;
}

json bench_result(double speed, double bytes) {
  return json::array({{{"work", "train"}, {"steps_per_second", speed}, {"peak_bytes", bytes}},
                      {{"work", "predict"}, {"steps_per_second", 1000}, {"peak_bytes", 1}}});
}

const json& point_of(const Outcome& outcome, const std::string& line, const json& x) {
  for (const json& value : outcome.values) {
    if (value["line"] == line && value["x"] == x) return value;
  }
  throw std::out_of_range(line);
}

TEST(DropRatioFigure, HasBandsALevelLineAndSaysWhatIsMissing) {
  FakeCells cells([](const Cell& cell) -> json {
    if (option_of(cell, "--drop") == "random" && option_of(cell, "--drop-ratio") == "0.9") return nullptr;
    return cv_result({{{"classify", "accuracy"}, {0.70, 0.72, 0.74}}});
  });
  const Outcome outcome = outcome_of(item_named("figure-drop-ratio"), quick_on("DD"), cells);
  const json& point = point_of(outcome, "DOTIN", 0.5);
  EXPECT_NEAR(point["y"], 72, 1e-9);
  EXPECT_NEAR(point["low"], 70, 1e-9) << "one standard deviation below";
  EXPECT_EQ(point_of(outcome, "random drop", 0.9)["absence"], "not run");
  EXPECT_NEAR(point_of(outcome, "no drop", nullptr)["y"], 72, 1e-9);
  ASSERT_EQ(outcome.charts.size(), 1u);
  EXPECT_SAYS(outcome.charts[0].svg, "<title>random drop, 0.5: 72, 70 to 74</title>");
  EXPECT_EQ(outcome.missing.size(), 1u);
  EXPECT_EQ(outcome.tables[0].rows[1].entries[2].text, "not run");
}

TEST(Markdown, FiguresBeginWithPicturesAndTablesWithNumbers) {
  FakeCells cells([](const Cell&) { return cv_result({{{"classify", "accuracy"}, {0.70, 0.72, 0.74}}}); });
  const auto pictures_first = [&](const char* item) {
    const std::string text = to_markdown(outcome_of(item_named(item), quick_on("DD"), cells));
    EXPECT_LT(std::min(text.find("!["), text.find("| --- |")), text.find("## How\n")) << item;
    return text.find("![") < text.find("| --- |");
  };
  EXPECT_TRUE(pictures_first("figure-drop-ratio"));
  EXPECT_FALSE(pictures_first("table-backbones"));
}

TEST(SpeedFigure, ReadsTrainingAndSetsThePapersPointsBeside) {
  FakeCells cells([](const Cell& cell) { return bench_result(10 + std::stod(option_of(cell, "--drop-ratio")), 1); });
  Settings settings = quick_on("DD");
  settings.quick = false;
  const Outcome outcome = outcome_of(item_named("figure-speed"), settings, cells);
  EXPECT_NEAR(point_of(outcome, "DOTIN, preset paper", 0.9)["y"], 10.9, 1e-9);
  EXPECT_NEAR(point_of(outcome, "DOTIN, preset recommended", 0.0)["y"], 10, 1e-9);
  EXPECT_SAYS(outcome.charts[0].svg, "<title>paper, on a GTX 2080, 0.9: 18.81</title>");
  const Row& of_paper = outcome.tables[0].rows.back();
  EXPECT_EQ(of_paper.name, "paper, on a GTX 2080");
  EXPECT_EQ(of_paper.entries.front().text, "12.23");
  EXPECT_EQ(of_paper.entries[1].text, "–") << "the paper does not say";
  EXPECT_EQ(of_paper.entries.back().text, "18.81");
  for (const Cell& cell : cells_of(item_named("figure-speed"), settings)) EXPECT_TRUE(cell.alone) << cell.label;
}

TEST(MemoryFigure, CountsMebibytesAndSharesCells) {
  FakeCells cells([](const Cell&) { return bench_result(1, 3 << 20); });
  Settings settings = quick_on("DD");
  settings.quick = false;
  const Outcome outcome = outcome_of(item_named("figure-memory"), settings, cells);
  EXPECT_EQ(outcome.charts.size(), 3u);
  EXPECT_EQ(point_of(outcome, "drop 0.9", 16.0)["y"], 3);
  // 5 layers, 5 batch sizes and 4 dimensions, of which two pairs are the same model and batch.
  EXPECT_EQ(outcome.cells.size(), (5u + 5u + 4u - 2u) * 4u);
}

TEST(ImportanceFigure, AlikeMeansAtLeastAQuarter) {
  FakeCells cells([](const Cell&) -> json {
    const json layer = {{"nodes", {4, 7, 9}},
                        {"rank", {{"classify", {1, 2, 3}}, {"ged", {3, 2, 1}}}},
                        {"attentiveness", {{"classify", {0.8, 0.1, 0.1}}, {"ged", {0.1, 0.4, 0.5}}}}};
    return {{"graphs", {{{"graph", 12}, {"layers", {layer}}}}}};
  });
  const Outcome outcome = outcome_of(item_named("figure-importance"), quick_on("DD"), cells);
  const json& nodes = outcome.values[0]["nodes"];
  EXPECT_EQ(nodes[0], json({{"node", 4}, {"classify_rank", 1}, {"ged_rank", 3}, {"alike", false}}));
  EXPECT_EQ(nodes[1]["alike"], true) << "exactly a quarter";
  EXPECT_EQ(nodes[2]["alike"], false);
  EXPECT_EQ(outcome.tables[0].rows[0].name, "D&D, graph 12");
  EXPECT_EQ(outcome.tables[0].rows[0].entries[1].text, "1 (33%)");
  EXPECT_EQ(outcome.tables[0].rows[0].entries[3].text, "-1.00") << "the order is reversed";
  EXPECT_EQ(outcome.tables[1].rows[0].name, "D&D, graph 12, layer 1");
  EXPECT_EQ(outcome.tables[1].rows[0].entries[1].text, "8.000") << "0.8 over 0.1";
  EXPECT_EQ(outcome.tables[1].rows[0].entries[2].text, "5.000");
  EXPECT_EQ(outcome.values[0]["layers"].size(), 1u);
}

TEST(MethodsTable, SetsWhatTable1SaysBelowWhatWasMeasured) {
  FakeCells cells([](const Cell&) -> json {
    return {{{"method", "gPool"},
             {"seconds_per_graph", 0.002},
             {"bytes_per_graph", 1 << 20},
             {"extra_parameters", 192},
             {"task_relevant", false}}};
  });
  const Outcome outcome = outcome_of(item_named("table-methods"), quick_on("DD"), cells);
  const std::vector<Entry>& entries = outcome.tables.at(0).rows.at(0).entries;
  EXPECT_EQ(entries[0].text, "2.0 ms");
  EXPECT_EQ(entries[0].notes, std::vector<std::string>{"paper O(N log N)"});
  EXPECT_EQ(entries[2].text, "192");
  EXPECT_EQ(outcome.charts.size(), 2u);
}

}  // namespace
}  // namespace dotin::reproduce
