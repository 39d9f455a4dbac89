#include "reproduce/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "dotin/report/assets.h"
#include "reproduce/svg.h"

namespace dotin::reproduce {

namespace {

constexpr double kLeft = 62, kRight = 14, kTop = 10, kUnderAxis = 46, kPlotHeight = 240;

/// The least and the largest of numbers, a little wider; NaN is left out.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    if (std::isnan(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Range padded(bool keep_low) const {
    if (low > high) return {0, 1};
    const double pad = low == high ? std::max(0.5, 0.1 * std::abs(low)) : 0.06 * (high - low);
    return {keep_low ? low : low - pad, high + pad};
  }
};

std::string data_attributes(double x, double y) { return fmt::format(R"( data-x="{}" data-y="{}")", x, y); }

std::string interval_text(double low, double high) {
  return std::isnan(low) ? "" : fmt::format(", {} to {}", short_number(low), short_number(high));
}

Axes axes_of(const LineChart& chart) {
  Range x, y;
  std::set<double> places;
  if (chart.from_zero) y.add(0);
  for (const LineChart::Line& line : chart.lines) {
    for (const LineChart::Point& point : line.points) {
      if (!line.level) {
        x.add(point.x);
        places.insert(point.x);
      }
      for (const double value : {point.y, point.low, point.high}) y.add(value);
    }
  }
  const bool log_y = chart.log_y && y.low > 0 && y.low <= y.high;
  const Range wide = log_y ? Range{y.low / 1.2, y.high * 1.2} : y.padded(chart.from_zero);
  Range across = x;
  if (chart.log_x && !places.empty()) {
    across = {x.low / 1.1, x.high * 1.1};
  } else {
    across = x.padded(false);
  }
  Axes axes;
  axes.x = {across.low, across.high, kLeft, kWidth - kRight, chart.log_x};
  axes.y = {wide.low, wide.high, kTop + kPlotHeight, kTop, log_y};
  axes.x_ticks = chart.log_x ? std::vector<double>(places.begin(), places.end()) : ticks(across.low, across.high, 9);
  axes.y_ticks = log_y ? log_ticks(wide.low, wide.high) : ticks(wide.low, wide.high, 6);
  axes.x_name = chart.x_name;
  axes.y_name = chart.y_name;
  return axes;
}

std::string draw_band(const LineChart::Line& line, std::size_t kind, const Axes& axes) {
  std::string forth, back;
  for (const LineChart::Point& point : line.points) {
    if (std::isnan(point.low)) continue;
    forth += fmt::format("{}{:.2f},{:.2f}", forth.empty() ? "M" : "L", axes.x(point.x), axes.y(point.high));
    back = fmt::format("L{:.2f},{:.2f}", axes.x(point.x), axes.y(point.low)) + back;
  }
  return forth.empty() ? "" : fmt::format(R"(<path class="band s{}" d="{}{}Z"/>)", kind % 6, forth, back);
}

std::string draw_line(const LineChart::Line& line, std::size_t kind, const Axes& axes) {
  if (line.points.empty()) return "";
  std::string path, marks;
  for (const LineChart::Point& point : line.points) {
    if (line.level) {
      path = fmt::format("M{:.2f},{:.2f}H{:.2f}", axes.x.first, axes.y(point.y), axes.x.last);
      marks += mark(kind, (axes.x.first + axes.x.last) / 2, axes.y(point.y), 5,
                    fmt::format("{}: {}{}", line.name, short_number(point.y), interval_text(point.low, point.high)),
                    fmt::format(R"( data-y="{}")", point.y));
      continue;
    }
    path += fmt::format("{}{:.2f},{:.2f}", path.empty() ? "M" : "L", axes.x(point.x), axes.y(point.y));
    marks += mark(kind, axes.x(point.x), axes.y(point.y), 5,
                  fmt::format("{}, {}: {}{}", line.name, short_number(point.x), short_number(point.y),
                              interval_text(point.low, point.high)),
                  data_attributes(point.x, point.y));
  }
  return fmt::format(R"(<path class="line l{}" d="{}"{}/>)", kind % 6, path, dashes(kind)) + marks;
}

}  // namespace

std::string draw(const LineChart& chart, const std::string& label) {
  const Axes axes = axes_of(chart);
  std::string content = draw_axes(axes);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    if (!chart.lines[i].level) content += draw_band(chart.lines[i], i, axes);
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    content += draw_line(chart.lines[i], i, axes);
    if (!chart.lines[i].points.empty()) legend.push_back({i, chart.lines[i].name, true});
  }
  const double under = kTop + kPlotHeight + kUnderAxis;
  content += draw_legend(legend, kLeft, under);
  return svg_element(under + kLegendLine * static_cast<double>(legend.size()) + 4, label, content);
}

std::string draw(const RowChart& chart, const std::string& label) {
  constexpr double kRow = 24, kLabels = 160;
  Range range;
  if (chart.bars) range.add(0);
  for (const RowChart::Row& row : chart.rows) {
    for (const RowChart::Mark& each : row.marks) {
      for (const double value : {each.value, each.low, each.high}) range.add(value);
    }
  }
  const Range wide = range.padded(chart.bars);
  const double bottom = kTop + kRow * static_cast<double>(chart.rows.size());
  Axes axes;
  axes.x = {wide.low, wide.high, kLabels, kWidth - kRight, false};
  axes.y = {0, 1, bottom, kTop, false};
  axes.x_ticks = ticks(wide.low, wide.high, 6);
  axes.x_name = chart.x_name;
  std::string content = draw_axes(axes);
  std::set<std::size_t> seen;
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const RowChart::Row& row = chart.rows[r];
    const double y = kTop + kRow * (static_cast<double>(r) + 0.5);
    content += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", kLabels - 8, y + 4,
                           escaped(row.label));
    content += fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", axes.x.first,
                           axes.x.last, y, y);
    if (chart.bars && !row.marks.empty()) {
      content += fmt::format(R"(<rect class="length s0" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
                             axes.x(0), y - 7, std::max(0.0, axes.x(row.marks[0].value) - axes.x(0)), 14.0);
    }
    for (const RowChart::Mark& each : row.marks) {
      seen.insert(each.kind);
      if (!std::isnan(each.low)) {
        content += fmt::format(R"(<line class="line l{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)",
                               each.kind % 6, axes.x(each.low), axes.x(each.high), y, y);
      }
      content += mark(each.kind, axes.x(each.value), y, 5,
                      fmt::format("{}, {}: {}{}", row.label, chart.kinds[each.kind], short_number(each.value),
                                  interval_text(each.low, each.high)),
                      fmt::format(R"( data-y="{}")", each.value));
    }
  }
  std::vector<LegendEntry> legend;
  if (chart.kinds.size() > 1) {
    for (const std::size_t kind : seen) legend.push_back({kind, chart.kinds[kind]});
  }
  content += draw_legend(legend, 20, bottom + kUnderAxis);
  return svg_element(bottom + kUnderAxis + kLegendLine * static_cast<double>(legend.size()) + 4, label, content);
}

std::string draw(const ScatterChart& chart, const std::string& label) {
  constexpr double kSide = kWidth - kLeft - kRight;
  Range range;
  for (const ScatterChart::Point& point : chart.points) {
    range.add(point.x);
    range.add(point.y);
  }
  const Range wide = range.padded(false);
  Axes axes;
  axes.x = {wide.low, wide.high, kLeft, kLeft + kSide, false};
  axes.y = {wide.low, wide.high, kTop + kSide, kTop, false};
  axes.x_ticks = axes.y_ticks = ticks(std::max(wide.low, 0.0), wide.high, 7);
  axes.x_name = chart.x_name;
  axes.y_name = chart.y_name;
  std::string content = draw_axes(axes);
  content += fmt::format(R"(<line class="axis" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", axes.x.first,
                         axes.y.first, axes.x.last, axes.y.last);
  const double radius = chart.points.size() > 150 ? 3.2 : 4.5;
  std::map<std::pair<double, double>, int> taken;
  for (const ScatterChart::Point& point : chart.points) {
    // Points of one place are spread round it in a spiral.
    const int before = taken[{point.x, point.y}]++;
    const double away = radius * std::sqrt(before), turn = 2.4 * before;
    content += mark(point.kind, axes.x(point.x) + away * std::cos(turn), axes.y(point.y) + away * std::sin(turn),
                    radius, point.title, data_attributes(point.x, point.y));
  }
  std::vector<LegendEntry> legend;
  for (std::size_t kind = 0; kind < chart.kinds.size(); ++kind) {
    if (!chart.kinds[kind].empty()) legend.push_back({kind, chart.kinds[kind]});
  }
  const double under = kTop + kSide + kUnderAxis;
  content += draw_legend(legend, kLeft, under);
  return svg_element(under + kLegendLine * static_cast<double>(legend.size()) + 4, label, content);
}

std::string standalone(const std::string& svg) {
  const std::size_t inside = svg.find('>') + 1;
  return fmt::format("{}<style>{}{}</style>{}\n", svg.substr(0, inside), report::assets::chart_theme_css,
                     report::assets::chart_css, svg.substr(inside));
}

}  // namespace dotin::reproduce
