#include "reproduce/svg.h"

#include <fmt/format.h>

#include <cmath>

namespace dotin::reproduce {

namespace {

constexpr std::size_t kShapes = 6;

std::string text_element(double x, double y, const char* anchor, const std::string& text,
                         const std::string& more = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, more, escaped(text));
}

std::string line_element(const char* kind, double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", kind, x1, y1, x2, y2);
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string short_number(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

double Scale::operator()(double value) const {
  const double share = log ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  return first + share * (last - first);
}

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> result;
  // Multiples, not sums: 0.1 added ten times is not 1.
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) result.push_back(i * step + 0.0);
  return result;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> result;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= low && factor * power <= high) result.push_back(factor * power);
    }
  }
  return result;
}

std::string mark(std::size_t kind, double x, double y, double radius, const std::string& title,
                 const std::string& more) {
  const double r = radius;
  std::string path;
  switch (kind % kShapes) {
    case 0:
      path = fmt::format("M{:.2f},0A{:.2f},{:.2f} 0 1 1 {:.2f},0A{:.2f},{:.2f} 0 1 1 {:.2f},0Z", -r, r, r, r, r, r, -r);
      break;
    case 1:
      path = fmt::format("M0,{:.2f}L{:.2f},{:.2f}L{:.2f},{:.2f}Z", -1.2 * r, 1.1 * r, 0.8 * r, -1.1 * r, 0.8 * r);
      break;
    case 2:
      path = fmt::format("M0,{:.2f}L{:.2f},0L0,{:.2f}L{:.2f},0Z", -1.3 * r, 1.3 * r, 1.3 * r, -1.3 * r);
      break;
    case 3:
      path = fmt::format("M{0:.2f},{0:.2f}H{1:.2f}V{1:.2f}H{0:.2f}Z", -0.9 * r, 0.9 * r);
      break;
    case 4:
      path = fmt::format("M0,{:.2f}L{:.2f},{:.2f}L{:.2f},{:.2f}Z", 1.2 * r, 1.1 * r, -0.8 * r, -1.1 * r, -0.8 * r);
      break;
    default:  // a plus
      path = fmt::format(
          "M{1:.2f},{3:.2f}H{0:.2f}V{1:.2f}H{2:.2f}V{0:.2f}H{0:.2f}V{2:.2f}H{1:.2f}V{0:.2f}H{3:.2f}V{1:.2f}H{1:.2f}Z",
          0.4 * r, -0.4 * r, 1.2 * r, -1.2 * r);
  }
  return fmt::format(
      R"x(<path class="mark s{}" transform="translate({:.2f},{:.2f})" d="{}"{}><title>{}</title></path>)x",
      kind % kShapes, x, y, path, more, escaped(title));
}

std::string dashes(std::size_t kind) {
  static const char* const patterns[kShapes] = {"", "7 3", "2 3", "9 3 2 3", "4 4", "12 4"};
  const char* const pattern = patterns[kind % kShapes];
  return *pattern == '\0' ? "" : fmt::format(R"( stroke-dasharray="{}")", pattern);
}

std::string draw_axes(const Axes& axes) {
  const auto& [x, y, x_ticks, y_ticks, x_name, y_name] = axes;
  std::string out;
  for (const double tick : y_ticks) {
    out += line_element("grid", x.first, y(tick), x.last, y(tick));
    out += text_element(x.first - 6, y(tick) + 4, "end", short_number(tick));
  }
  for (const double tick : x_ticks) {
    out += line_element("axis", x(tick), y.first, x(tick), y.first + 5);
    out += text_element(x(tick), y.first + 18, "middle", short_number(tick));
  }
  out += line_element("axis", x.first, y.first, x.last, y.first);
  out += text_element((x.first + x.last) / 2, y.first + 36, "middle", x_name);
  if (!y_name.empty()) {
    const double middle = (y.first + y.last) / 2;
    out += text_element(14, middle, "middle", y_name, fmt::format(R"x( transform="rotate(-90 14 {:.1f})")x", middle));
  }
  return out;
}

std::string draw_legend(const std::vector<LegendEntry>& entries, double left, double top) {
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double y = top + kLegendLine * (static_cast<double>(i) + 0.5);
    if (entries[i].line) {
      out += fmt::format(R"(<line class="line l{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"{}/>)",
                         entries[i].kind % kShapes, left, left + 28, y, y, dashes(entries[i].kind));
    }
    out += mark(entries[i].kind, left + 14, y, 5, entries[i].text, R"( data-legend="")");
    out += text_element(left + 36, y + 4, "start", entries[i].text);
  }
  return out;
}

std::string svg_element(double height, const std::string& label, const std::string& content) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>)",
      kWidth, height, escaped(label), content);
}

}  // namespace dotin::reproduce
