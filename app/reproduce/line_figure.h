// Figures of lines over a number, a cell for each point.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reproduce/charts.h"
#include "reproduce/outcome.h"
#include "reproduce/settings.h"

namespace dotin::reproduce {

struct Measured {
  double y = 0;
  double low = kNoNumber, high = kNoNumber;
};

struct FigureLine {
  std::string name;
  std::vector<std::pair<double, Cell>> points;  // x, and the cell that has y
  bool level = false;                           // one value, drawn across
};

struct LineFigure {
  std::string name, title, about;  // name: of the chart's file
  std::string x_name, y_name;
  bool from_zero = false, log_x = false, log_y = false;
  std::vector<FigureLine> lines;
  std::vector<LineChart::Line> paper;                   // what the paper's text says
  std::function<Measured(const nlohmann::json&)> read;  // y from a cell's result
};

/// A table, a chart of the same numbers where there are any, and a value for each of them.
void add_line_figure(Outcome& outcome, const LineFigure& figure, Cells& cells);

}  // namespace dotin::reproduce
