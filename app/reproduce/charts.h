// Charts as SVG: lines with bands, labelled rows of marks, and points. What tells series apart is shape and dashes as
// well as colour, and every mark says its value in a <title>.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace dotin::reproduce {

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Lines over numbers. A point may have an interval; those of a line make its band.
struct LineChart {
  struct Point {
    double x = 0, y = 0;
    double low = kNoNumber, high = kNoNumber;
  };
  struct Line {
    std::string name;
    std::vector<Point> points;
    bool level = false;  // one value for all x, drawn across: its x is not asked
  };
  std::string x_name, y_name;
  std::vector<Line> lines;
  bool from_zero = false;  // where the y axis starts
  bool log_x = false;      // for sizes that double; ticks are the points themselves
  bool log_y = false;      // for values above 0 that differ by their ratio
};

/// Named rows with marks of several kinds.
struct RowChart {
  struct Mark {
    std::size_t kind = 0;
    double value = 0;
    double low = kNoNumber, high = kNoNumber;
  };
  struct Row {
    std::string label;
    std::vector<Mark> marks;
  };
  std::string x_name;
  std::vector<std::string> kinds;
  std::vector<Row> rows;
  bool bars = false;  // from zero to the first mark of each row
};

/// Points of several kinds on a square, with its diagonal. Those of one place are spread a little.
struct ScatterChart {
  struct Point {
    std::size_t kind = 0;
    double x = 0, y = 0;
    std::string title;
  };
  std::string x_name, y_name;
  std::vector<std::string> kinds;
  std::vector<Point> points;
};

/// An svg element for a page, whose style.css has the colours. label: what a screen reader says it is.
std::string draw(const LineChart& chart, const std::string& label);
std::string draw(const RowChart& chart, const std::string& label);
std::string draw(const ScatterChart& chart, const std::string& label);

/// The same as a file of its own, with colours for light and for dark surroundings.
std::string standalone(const std::string& svg);

}  // namespace dotin::reproduce
