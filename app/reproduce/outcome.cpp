#include "reproduce/outcome.h"

namespace dotin::reproduce {

using nlohmann::json;

std::string file_of(const Outcome& outcome, const Chart& chart) { return outcome.item + "-" + chart.name + ".svg"; }

json to_json(const Outcome& outcome) {
  json tables = json::array();
  for (const Table& table : outcome.tables) {
    json rows = json::array();
    for (const Row& row : table.rows) {
      json entries = json::array();
      for (const Entry& entry : row.entries)
        entries.push_back({{"text", entry.text},
                           {"notes", entry.notes},
                           {"cell", entry.cell},
                           {"below", entry.below},
                           {"highest", entry.highest}});
      rows.push_back({{"name", row.name}, {"entries", std::move(entries)}});
    }
    tables.push_back(
        {{"title", table.title}, {"about", table.about}, {"columns", table.columns}, {"rows", std::move(rows)}});
  }
  json charts = json::array();
  for (const Chart& chart : outcome.charts)
    charts.push_back({{"title", chart.title}, {"about", chart.about}, {"file", file_of(outcome, chart)}});
  return {{"item", outcome.item},        {"title", outcome.title},   {"command", outcome.command},
          {"about", outcome.about},      {"quick", outcome.quick},   {"tables", std::move(tables)},
          {"charts", std::move(charts)}, {"values", outcome.values}, {"cells", outcome.cells},
          {"missing", outcome.missing}};
}

}  // namespace dotin::reproduce
