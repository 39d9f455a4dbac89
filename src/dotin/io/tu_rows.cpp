#include "dotin/io/tu_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dotin/io/label_codes.h"
#include "dotin/io/text.h"

namespace dotin::io {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t kAnyColumns = std::numeric_limits<std::size_t>::max();

/// Calls store(column, text) for each cell of the wanted rows, after start(columns). Returns the number of columns, 0
/// if the file as a whole is of no use.
template <class Start, class Store>
std::size_t read_cells(RowReader& rows, const RowPlan& plan, std::size_t max_columns, Start start, Store store) {
  std::size_t columns = 0;
  bool usable = true;
  auto left_out = plan.left_out.begin();
  std::string_view row;
  while (rows.next(row)) {
    const int64_t index = rows.rows() - 1;
    if (index == plan.rows) {
      rows.report(fmt::format("there are more rows than {}, {}", plan.rows, plan.reason), "remove the surplus rows");
    }
    if (rows.broken()) usable = false;
    if (rows.broken() || index >= plan.rows) continue;

    const auto commas = static_cast<std::size_t>(std::count(row.begin(), row.end(), ','));
    if (columns == 0) {
      columns = commas + 1;
      if (columns <= max_columns) {
        start(columns);
      } else {
        rows.report(fmt::format("{} columns, more than {}", columns, max_columns), "is this the right file?");
        usable = false;
      }
    }
    if (commas + 1 != columns) {
      rows.report(fmt::format("{} columns, but {} in the rows before", commas + 1, columns),
                  "give every row the same number of comma-separated columns");
      usable = false;
    }
    while (left_out != plan.left_out.end() && left_out->second <= index) ++left_out;
    if (!usable || (left_out != plan.left_out.end() && left_out->first <= index)) continue;

    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t comma = std::min(row.find(','), row.size());
      store(column, trim(row.substr(0, comma)));
      row.remove_prefix(std::min(comma + 1, row.size()));
    }
  }
  if (rows.rows() == 0) {
    rows.report_at(0, "the file is empty", "remove it, or fill it: one row each, " + plan.reason);
  } else if (rows.rows() < plan.rows) {
    rows.report(fmt::format("the file ends after {} rows; there must be {}, {}", rows.rows(), plan.rows, plan.reason),
                "is the file cut short? get it again, or remove it");
  }
  return usable && rows.rows() == plan.rows ? columns : 0;
}

bool read_label(RowReader& rows, std::string_view text, int64_t& value) {
  if (parse_whole_number(text, value)) return true;
  if (rows.reported()) return false;
  rows.report(text.empty() ? "a label is missing" : fmt::format("label {} is not a whole number", excerpt(text)),
              "labels must be integers; numbers with a fraction belong into the attributes");
  return false;
}

template <class Float>
bool read_number(RowReader& rows, std::string_view text, Float& value) {
  if (parse_number(text, value)) return true;
  if (rows.reported()) return false;
  rows.report(fmt::format("value {} {}", excerpt(text), why_not_a_number(text)),
              "replace it by a number, or remove the file");
  return false;
}

}  // namespace

bool RowReader::next(std::string_view& row) {
  while (lines_.next(row)) {
    if (lines_.too_long()) {
      report("the line is too long", "is this a text file? if so, raise the limit on the bytes of a line");
    } else if ((row.empty() || row.front() <= ' ') && trim(row).empty()) {
      if (blank_line_ == 0) blank_line_ = lines_.line_number();
      continue;
    }
    if (blank_line_ != 0) {
      report_at(blank_line_, "a blank line between two rows", "remove it, or fill in what is missing");
      blank_line_ = 0;
    }
    ++rows_;
    reported_ = lines_.too_long();
    return true;
  }
  return false;
}

void RowPlan::leave_out(int64_t begin, int64_t end) {
  if (!left_out.empty() && left_out.back().second == begin) {
    left_out.back().second = end;
  } else {
    left_out.emplace_back(begin, end);
  }
}

std::vector<LabelColumn> read_label_columns(RowReader rows, const RowPlan& plan) {
  std::vector<IntegerLabels> labels;
  const std::size_t columns = read_cells(
      rows, plan, kMaxLabelColumns, [&](std::size_t count) { labels.resize(count); },
      [&](std::size_t column, std::string_view text) {
        int64_t value = 0;
        read_label(rows, text, value);
        rows.make_room(labels[column].codes());
        labels[column].add(value);
      });
  std::vector<LabelColumn> result;
  for (std::size_t i = 0; i < columns; ++i) result.push_back(labels[i].take(label_name(i, columns)));
  return result;
}

FloatTable read_float_table(RowReader rows, const RowPlan& plan) {
  std::vector<float> values;
  const std::size_t columns = read_cells(
      rows, plan, kAnyColumns, [](std::size_t) {},
      [&](std::size_t, std::string_view text) {
        float value = 0;
        if (!read_number(rows, text, value)) value = 0;
        rows.make_room(values);
        values.push_back(value);
      });
  FloatTable table;
  if (columns == 0) return table;
  table.columns = static_cast<int64_t>(columns);
  table.values = std::move(values);
  return table;
}

std::vector<Target> read_label_targets(RowReader rows, const RowPlan& plan) {
  constexpr int64_t kExact = int64_t{1} << 53;
  std::vector<std::vector<double>> labels;
  const std::size_t columns = read_cells(
      rows, plan, kMaxLabelColumns, [&](std::size_t count) { labels.resize(count); },
      [&](std::size_t column, std::string_view text) {
        int64_t value = 0;
        const bool is_label = read_label(rows, text, value);
        if (is_label && (value > kExact || value < -kExact)) {
          rows.report(fmt::format("graph label {} is beyond 2^53", value), "number the classes from 0");
        }
        labels[column].push_back(is_label ? static_cast<double>(value) : kMissing);
      });
  std::vector<Target> targets;
  for (std::size_t i = 0; i < columns; ++i) {
    targets.push_back({label_name(i, columns), 1, std::move(labels[i]), {}});
  }
  return targets;
}

std::vector<Target> read_attribute_target(RowReader rows, const RowPlan& plan) {
  std::vector<double> values;
  const std::size_t columns = read_cells(
      rows, plan, kAnyColumns, [](std::size_t) {},
      [&](std::size_t, std::string_view text) {
        double value = 0;
        values.push_back(read_number(rows, text, value) ? value : kMissing);
      });
  if (columns == 0) return {};
  return {{kAttributesTarget, static_cast<int64_t>(columns), std::move(values), {}}};
}

std::vector<RelevantNodes> read_relevant_nodes(RowReader rows, const RowPlan& plan) {
  std::vector<std::vector<uint8_t>> marks;
  const std::size_t columns = read_cells(
      rows, plan, kMaxLabelColumns, [&](std::size_t count) { marks.resize(count); },
      [&](std::size_t column, std::string_view text) {
        if (text != "0" && text != "1" && !rows.reported()) {
          rows.report(fmt::format("{} is neither 0 nor 1", excerpt(text)), "1 marks the nodes a target depends on");
        }
        marks[column].push_back(text == "1" ? 1 : 0);
      });
  std::vector<RelevantNodes> relevant;
  for (std::size_t i = 0; i < columns; ++i) relevant.push_back({"", std::move(marks[i])});
  return relevant;
}

}  // namespace dotin::io
