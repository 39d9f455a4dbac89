// What the charts are drawn with.
#pragma once

#include <string>
#include <vector>

namespace dotin::reproduce {

/// Text that may stand in an element or attribute.
std::string escaped(const std::string& text);

/// Four significant digits, as short as they can be.
std::string short_number(double value);

/// From a range of numbers to a range of pixels.
struct Scale {
  double from = 0, to = 1;
  double first = 0, last = 1;
  bool log = false;

  double operator()(double value) const;
};

/// About `count` round numbers within [low, high].
std::vector<double> ticks(double low, double high, int count);

/// 1, 2 and 5 times powers of ten within [low, high]; low above 0.
std::vector<double> log_ticks(double low, double high);

/// A mark of a kind, with its title; more: attributes.
std::string mark(std::size_t kind, double x, double y, double radius, const std::string& title,
                 const std::string& more = "");

/// How the lines of a kind are dashed: an attribute, or nothing.
std::string dashes(std::size_t kind);

/// Axes with ticks, their names and a grid.
struct Axes {
  Scale x, y;
  std::vector<double> x_ticks, y_ticks;
  std::string x_name, y_name;
};
std::string draw_axes(const Axes& axes);

struct LegendEntry {
  std::size_t kind = 0;
  std::string text;
  bool line = false;
};
inline constexpr double kLegendLine = 18;
/// From this height downwards, kLegendLine for each.
std::string draw_legend(const std::vector<LegendEntry>& entries, double left, double top);

/// The whole: kWidth wide.
inline constexpr double kWidth = 480;
std::string svg_element(double height, const std::string& label, const std::string& content);

}  // namespace dotin::reproduce
