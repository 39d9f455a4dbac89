#include "random_records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "dotin/io/label_codes.h"

namespace dotin::io {
namespace {

std::string random_text() {
  const auto letter =
      rc::gen::oneOf(rc::gen::inRange<char>('a', 'z'), rc::gen::element(' ', '"', ',', '\\', '\n', '0'));
  return "t" + *rc::gen::container<std::string>(letter);
}

LabelColumn random_labels(std::string name, std::size_t rows, bool text) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    cells.push_back(text ? random_text() : std::to_string(*rc::gen::inRange<int64_t>(-5, 5) * 1'000'000'000));
  }
  TextLabels labels;
  std::vector<int32_t> codes;
  for (const std::string& cell : cells) codes.push_back(labels.code_of(cell));
  const std::vector<int32_t> rank = labels.sort();
  for (int32_t& code : codes) code = rank[static_cast<std::size_t>(code)];
  return {std::move(name), std::move(codes), labels.values()};
}

std::vector<LabelColumn> random_label_columns(std::size_t rows, bool text) {
  std::vector<LabelColumn> columns;
  const auto count = static_cast<std::size_t>(rows == 0 ? 0 : *rc::gen::inRange(0, 4));
  for (std::size_t i = 0; i < count; ++i) columns.push_back(random_labels(label_name(i, count), rows, text));
  return columns;
}

template <class Float>
Float random_number() {
  return static_cast<Float>(*rc::gen::arbitrary<double>() * std::pow(10.0, *rc::gen::inRange(-20, 20)));
}

FloatTable random_table(std::size_t rows) {
  FloatTable table;
  table.columns = rows == 0 ? 0 : *rc::gen::inRange(0, 4);
  std::vector<float> values;
  for (std::size_t i = 0; i < rows * static_cast<std::size_t>(table.columns); ++i) {
    const auto value = random_number<float>();
    values.push_back(std::isfinite(value) ? value : 0);
  }
  table.values = std::move(values);
  return table;
}

Target random_numbers(std::string name, int64_t graphs, int64_t width, bool missing) {
  std::vector<double> values;
  for (int64_t i = 0; i < graphs * width; ++i) {
    const auto value = random_number<double>();
    const bool absent = missing && *rc::gen::inRange(0, 3) == 0;
    values.push_back(absent ? std::numeric_limits<double>::quiet_NaN() : std::isfinite(value) ? value : 0);
  }
  return {std::move(name), width, std::move(values), {}};
}

Target random_classes(std::string name, int64_t graphs) {
  std::vector<double> values;
  for (int64_t i = 0; i < graphs; ++i) values.push_back(static_cast<double>(*rc::gen::inRange(-3, 4)));
  return {std::move(name), 1, std::move(values), {}};
}

Target random_names(std::string name, int64_t graphs) {
  LabelColumn labels = random_labels("", static_cast<std::size_t>(graphs), true);
  return {std::move(name), 1, std::vector<double>(labels.codes.begin(), labels.codes.end()), labels.values};
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class Array>
bool same_values(const Array& a, const Array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto x, auto y) { return same(x, y); });
}

void assert_equal_labels(const std::vector<LabelColumn>& actual, const std::vector<LabelColumn>& expected) {
  RC_ASSERT(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    RC_ASSERT(actual[i].name == expected[i].name);
    RC_ASSERT(actual[i].values == expected[i].values);
    RC_ASSERT(same_values(actual[i].codes, expected[i].codes));
  }
}

void assert_equal_tables(const FloatTable& actual, const FloatTable& expected) {
  RC_ASSERT(actual.columns == expected.columns);
  RC_ASSERT(same_values(actual.values, expected.values));
}

}  // namespace

Records random_records(const RecordsShape& shape) {
  Records records;
  records.name = "D";
  const auto graphs = *rc::gen::inRange<int64_t>(1, 6);
  for (int64_t g = 0; g < graphs; ++g) {
    const int64_t first = records.nodes();
    const auto nodes = *rc::gen::inRange<int64_t>(1, 7);
    const bool last_chance = shape.any_edge && g + 1 == graphs && records.edge_from.empty();
    const int edges = *rc::gen::inRange(last_chance ? 1 : 0, 8);
    for (int i = 0; i < edges; ++i) {
      records.edge_from.push_back(static_cast<int32_t>(first + *rc::gen::inRange<int64_t>(0, nodes)));
      records.edge_to.push_back(static_cast<int32_t>(first + *rc::gen::inRange<int64_t>(0, nodes)));
    }
    records.node_offsets.push_back(first + nodes);
    if (shape.text) records.graph_ids.push_back(random_text());
  }
  const auto nodes = static_cast<std::size_t>(records.nodes());
  records.node_labels = random_label_columns(nodes, shape.text);
  records.edge_labels = random_label_columns(records.edge_from.size(), shape.text);
  records.node_attributes = random_table(nodes);
  records.edge_attributes = random_table(records.edge_from.size());

  // In the order in which a reader gives them.
  if (*rc::gen::arbitrary<bool>()) records.targets.push_back(random_classes(kLabelTarget, graphs));
  if (*rc::gen::arbitrary<bool>()) {
    if (!shape.text) records.targets.push_back(random_classes("second", graphs));
    records.targets.push_back(random_numbers(kAttributesTarget, graphs, *rc::gen::inRange<int64_t>(1, 4), shape.text));
    if (shape.text) records.targets.push_back(random_names("names", graphs));
  }
  for (const Target& target : records.targets) {
    std::vector<uint8_t> marks(nodes);
    for (uint8_t& mark : marks) mark = *rc::gen::inRange<uint8_t>(0, 2);
    if (target.name != kAttributesTarget) records.relevant.push_back({target.name, std::move(marks)});
  }
  return records;
}

void assert_equal(const Records& actual, const Records& expected) {
  RC_ASSERT(actual.name == expected.name);
  RC_ASSERT(actual.node_offsets == expected.node_offsets);
  RC_ASSERT(actual.edge_from == expected.edge_from);
  RC_ASSERT(actual.edge_to == expected.edge_to);
  assert_equal_labels(actual.node_labels, expected.node_labels);
  assert_equal_labels(actual.edge_labels, expected.edge_labels);
  assert_equal_tables(actual.node_attributes, expected.node_attributes);
  assert_equal_tables(actual.edge_attributes, expected.edge_attributes);
  RC_ASSERT(actual.targets.size() == expected.targets.size());
  for (std::size_t i = 0; i < actual.targets.size(); ++i) {
    RC_ASSERT(actual.targets[i].name == expected.targets[i].name);
    RC_ASSERT(actual.targets[i].names == expected.targets[i].names);
    RC_ASSERT(same_values(actual.targets[i].values, expected.targets[i].values));
  }
  RC_ASSERT(actual.relevant.size() == expected.relevant.size());
  for (std::size_t i = 0; i < actual.relevant.size(); ++i) {
    RC_ASSERT(actual.relevant[i].target == expected.relevant[i].target);
    RC_ASSERT(same_values(actual.relevant[i].nodes, expected.relevant[i].nodes));
  }
  RC_ASSERT(actual.graph_ids == expected.graph_ids);
}

}  // namespace dotin::io
