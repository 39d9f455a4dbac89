#include "reproduce/line_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reproduce/svg.h"

namespace dotin::reproduce {

namespace {

using nlohmann::json;

std::string text_of(const Measured& value) {
  if (std::isnan(value.low)) return short_number(value.y);
  return fmt::format("{:.2f} ± {:.2f}", value.y, (value.high - value.low) / 2);
}

/// Columns of the table: every x that a line has.
std::vector<double> places_of(const LineFigure& figure) {
  std::set<double> places;
  for (const FigureLine& line : figure.lines) {
    for (const auto& point : line.points) {
      if (!line.level) places.insert(point.first);
    }
  }
  return {places.begin(), places.end()};
}

}  // namespace

void add_line_figure(Outcome& outcome, const LineFigure& figure, Cells& cells) {
  const std::vector<double> places = places_of(figure);
  LineChart chart;
  chart.x_name = figure.x_name;
  chart.y_name = figure.y_name;
  chart.from_zero = figure.from_zero;
  chart.log_x = figure.log_x;
  chart.log_y = figure.log_y;
  Table table;
  table.title = figure.title;
  table.about = fmt::format("{}, by {}.", figure.y_name, figure.x_name);
  table.columns = {figure.x_name};
  for (const double place : places) table.columns.push_back(short_number(place));
  for (const FigureLine& line : figure.lines) {
    LineChart::Line& drawn = chart.lines.emplace_back();
    drawn.name = line.name;
    drawn.level = line.level;
    Row row{line.name, std::vector<Entry>(places.size(), Entry{"–"})};
    for (const auto& [x, cell] : line.points) {
      const json* const record = cells.find(cell);
      const json* const result = result_of(record);
      json value = {{"figure", figure.name}, {"line", line.name}, {"x", line.level ? json() : json(x)}};
      Entry entry{absence_of(record)};
      if (result != nullptr) {
        const Measured measured = figure.read(*result);
        drawn.points.push_back({x, measured.y, measured.low, measured.high});
        entry = {text_of(measured), {}, record->at("key")};
        value["y"] = measured.y;
        if (!std::isnan(measured.low)) value.update({{"low", measured.low}, {"high", measured.high}});
        value["cell"] = record->at("key");
      } else {
        value["absence"] = entry.text;
      }
      outcome.values.push_back(std::move(value));
      if (line.level) {
        std::fill(row.entries.begin(), row.entries.end(), entry);
      } else {
        const auto at = std::find(places.begin(), places.end(), x) - places.begin();
        row.entries[static_cast<std::size_t>(at)] = std::move(entry);
      }
    }
    table.rows.push_back(std::move(row));
  }
  for (const LineChart::Line& line : figure.paper) {
    Row row{line.name, std::vector<Entry>(places.size(), Entry{"–"})};
    for (std::size_t p = 0; p < places.size(); ++p) {
      for (const LineChart::Point& point : line.points) {
        if (point.x == places[p]) row.entries[p] = {short_number(point.y)};
      }
    }
    table.rows.push_back(std::move(row));
  }
  outcome.tables.push_back(std::move(table));
  const bool any = std::any_of(chart.lines.begin(), chart.lines.end(),
                               [](const LineChart::Line& line) { return !line.points.empty(); });
  if (!any) return;
  chart.lines.insert(chart.lines.end(), figure.paper.begin(), figure.paper.end());
  outcome.charts.push_back({figure.name, figure.title, figure.about, draw(chart, figure.title)});
}

}  // namespace dotin::reproduce
