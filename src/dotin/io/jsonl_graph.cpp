#include "dotin/io/jsonl_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "dotin/core/registry.h"
#include "dotin/io/label_codes.h"
#include "dotin/io/text.h"

namespace dotin::io {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;  // brackets within brackets; a graph needs four

const std::vector<std::string> kKeys = {"edges",       "nodes", "x",       "node_labels", "edge_attr",
                                        "edge_labels", "y",     "targets", "relevant",    "id"};

/// How deep brackets nest: a line of brackets alone would cost a hundred times its size as a document.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

bool whole_number(const json& value, int64_t& number) {
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()}) return false;
  if (value.is_number_integer()) {
    number = value.get<int64_t>();
    return true;
  }
  if (!value.is_number_float()) return false;
  const double real = value.get<double>();
  if (std::trunc(real) != real || std::abs(real) > 9007199254740992.0) return false;
  number = static_cast<int64_t>(real);
  return true;
}

std::string shown(const json& value) { return excerpt(value.dump(-1, ' ', true, json::error_handler_t::replace)); }

class GraphParser {
 public:
  GraphParser(int64_t max_nodes, const JsonReport& report) : max_nodes_(max_nodes), report_(report) {}

  std::optional<JsonGraph> parse(const json& object) {
    for (const auto& [key, value] : object.items()) {
      if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
      report_(fmt::format("unknown key {}{}", excerpt(key), core::suggestion(key, kKeys)),
              "a graph's own values belong into \"targets\"");
    }
    read_edges(object);
    graph_.x = read_numbers(object, "x");
    graph_.node_labels = read_labels(object, "node_labels");
    count_nodes(object);
    graph_.edge_attr = read_numbers(object, "edge_attr");
    graph_.edge_labels = read_labels(object, "edge_labels");
    check_rows(graph_.x, "x", "nodes", graph_.nodes);
    check_rows(graph_.node_labels, "node_labels", "nodes", graph_.nodes);
    check_rows(graph_.edge_attr, "edge_attr", "edges", static_cast<int64_t>(edges_));
    check_rows(graph_.edge_labels, "edge_labels", "edges", static_cast<int64_t>(edges_));
    read_targets(object);
    read_relevant(object);
    read_id(object);
    if (!good_) return std::nullopt;
    return std::move(graph_);
  }

 private:
  void refuse(std::string what, std::string advice) {
    good_ = false;
    report_(std::move(what), std::move(advice));
  }

  /// The value of a key, or null where it is absent.
  static const json* find(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  void read_edges(const json& object) {
    const json* const edges = find(object, "edges");
    if (edges == nullptr || !edges->is_array()) {
      return refuse("there is no list \"edges\"", "give one, [] for a graph without edges");
    }
    edges_ = edges->size();
    for (std::size_t i = 0; i < edges_; ++i) {
      const json& edge = (*edges)[i];
      int64_t ends[2] = {};
      if (!edge.is_array() || edge.size() != 2 || !whole_number(edge[0], ends[0]) || !whole_number(edge[1], ends[1])) {
        return refuse(fmt::format("\"edges\": entry {}, {}, is not an edge", i, shown(edge)),
                      "an edge is a list of two node numbers");
      }
      for (const int64_t node : ends) {
        if (node < 0 || node >= std::numeric_limits<int32_t>::max()) {
          return refuse(fmt::format("\"edges\": node {} of entry {} is out of range", node, i),
                        "nodes are counted from 0 in each graph");
        }
      }
      graph_.from.push_back(static_cast<int32_t>(ends[0]));
      graph_.to.push_back(static_cast<int32_t>(ends[1]));
      largest_ = std::max({largest_, ends[0], ends[1]});
    }
  }

  void count_nodes(const json& object) {
    graph_.nodes = graph_.x ? graph_.x->rows : graph_.node_labels ? graph_.node_labels->rows : largest_ + 1;
    const json* const nodes = find(object, "nodes");
    if (nodes != nullptr && (!whole_number(*nodes, graph_.nodes) || graph_.nodes < 0)) {
      return refuse(fmt::format("\"nodes\": {} is not a number of nodes", shown(*nodes)), "give an integer");
    }
    if (!good_) return;
    if (graph_.nodes == 0) return refuse("the graph has no nodes", "leave the graph out");
    if (graph_.nodes > max_nodes_) {
      return refuse(fmt::format("{} nodes in a line of a few bytes", graph_.nodes),
                    "number the nodes of each graph 0, 1, 2, ...");
    }
    if (largest_ >= graph_.nodes) {
      refuse(fmt::format("\"edges\": node {} is out of range 0..{}", largest_, graph_.nodes - 1),
             "renumber the nodes, or remove the edge");
    }
  }

  template <class Table>
  void check_rows(const Table& table, const char* key, const char* things, int64_t rows) {
    if (!good_ || !table || table->rows == rows) return;
    refuse(fmt::format("\"{}\" has {} rows, but the graph has {} {}", key, table->rows, rows, things),
           "give one row for each");
  }

  /// A list of rows; a row is a list of cells, or a single cell.
  template <class T, class Read>
  std::optional<Cells<T>> read_table(const json& object, const char* key, const char* kind, Read read) {
    const json* const rows = find(object, key);
    if (rows == nullptr) return std::nullopt;
    if (!rows->is_array()) {
      refuse(fmt::format("\"{}\" is not a list", key), "give a list with one row each");
      return std::nullopt;
    }
    Cells<T> table;
    for (const json& row : *rows) {
      const int64_t columns = row.is_array() ? static_cast<int64_t>(row.size()) : 1;
      if (table.rows == 0) table.columns = columns;
      if (columns != table.columns || columns == 0) {
        refuse(fmt::format("\"{}\": row {} has {} columns, row 0 has {}", key, table.rows, columns, table.columns),
               "give every row the same number of columns, at least one");
        return std::nullopt;
      }
      for (int64_t i = 0; i < columns; ++i) {
        const json& cell = row.is_array() ? row[static_cast<std::size_t>(i)] : row;
        T value{};
        if (!read(cell, value)) {
          refuse(fmt::format("\"{}\": {} in row {} is not {}", key, shown(cell), table.rows, kind), "replace it");
          return std::nullopt;
        }
        table.values.push_back(std::move(value));
      }
      ++table.rows;
    }
    return table;
  }

  std::optional<Cells<float>> read_numbers(const json& object, const char* key) {
    return read_table<float>(object, key, "a finite number", [](const json& cell, float& value) {
      if (!cell.is_number()) return false;
      value = static_cast<float>(cell.get<double>());
      return std::isfinite(value);
    });
  }

  std::optional<Cells<std::string>> read_labels(const json& object, const char* key) {
    auto labels =
        read_table<std::string>(object, key, "a label (a number or text)", [](const json& cell, std::string& text) {
          int64_t number = 0;
          if (cell.is_string()) {
            text = cell.get_ref<const std::string&>();
          } else if (whole_number(cell, number)) {
            text = fmt::format("{}", number);
          } else if (cell.is_number()) {
            text = fmt::format("{}", cell.get<double>());
          }
          return cell.is_string() || cell.is_number();
        });
    if (labels && labels->columns > static_cast<int64_t>(kMaxLabelColumns)) {
      refuse(fmt::format("\"{}\" has {} columns, more than {}", key, labels->columns, kMaxLabelColumns),
             "numbers belong into \"x\" or \"edge_attr\"");
      return std::nullopt;
    }
    return labels;
  }

  void read_targets(const json& object) {
    if (object.contains("y")) read_target(kLabelTarget, "y", object.at("y"));
    const json* const targets = find(object, "targets");
    if (targets == nullptr) return;
    if (!targets->is_object()) {
      return refuse("\"targets\" is not an object", "write {\"name\": value, ...}");
    }
    for (const auto& [name, value] : targets->items()) {
      if (name == kLabelTarget && object.contains("y")) {
        refuse("\"y\" and \"targets\" both give the target \"label\"", "leave one of them out");
      } else if (name.empty()) {
        refuse("\"targets\": a name is empty", "name the target");
      } else {
        read_target(name, "targets." + name, value);
      }
    }
  }

  void read_target(const std::string& name, const std::string& key, const json& value) {
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    TargetValue target;
    bool understood = true;
    if (value.is_string()) {
      target.is_text = true;
      target.text = value.get<std::string>();
    } else if (value.is_number()) {
      target.numbers.push_back(value.get<double>());
    } else if (value.is_array() && !value.empty()) {
      for (const json& number : value) {
        understood = understood && (number.is_number() || number.is_null());
        target.numbers.push_back(number.is_number() ? number.get<double>() : kMissing);
      }
    } else {
      understood = value.is_null();
    }
    if (!understood) {
      return refuse(fmt::format("\"{}\": {} is no target", key, shown(value)),
                    "give a number, text, a list of numbers, or null where it is missing");
    }
    graph_.targets.emplace_back(name, std::move(target));
  }

  void read_relevant(const json& object) {
    const json* const relevant = find(object, "relevant");
    if (relevant == nullptr || !good_) return;
    if (!relevant->is_object()) return refuse("\"relevant\" is not an object", "write {\"target\": [nodes], ...}");
    for (const auto& [target, nodes] : relevant->items()) {
      std::vector<int32_t> marked;
      for (const json& node : nodes) {
        int64_t number = -1;
        if (!nodes.is_array() || !whole_number(node, number) || number < 0 || number >= graph_.nodes) {
          return refuse(
              fmt::format("\"relevant.{}\": {} is not a node of 0..{}", target, shown(node), graph_.nodes - 1),
              "list node numbers of this graph");
        }
        marked.push_back(static_cast<int32_t>(number));
      }
      graph_.relevant.emplace_back(target, std::move(marked));
    }
  }

  void read_id(const json& object) {
    const json* const id = find(object, "id");
    int64_t number = 0;
    if (id == nullptr) return;
    if (id->is_string()) {
      graph_.id = id->get<std::string>();
    } else if (whole_number(*id, number)) {
      graph_.id = fmt::format("{}", number);
    } else {
      refuse(fmt::format("\"id\": {} is neither text nor an integer", shown(*id)), "replace it");
    }
  }

  int64_t max_nodes_;
  const JsonReport& report_;
  JsonGraph graph_;
  bool good_ = true;
  std::size_t edges_ = 0;
  int64_t largest_ = -1;  // node number in edges
};

}  // namespace

std::optional<JsonGraph> parse_json_graph(std::string_view line, int64_t max_nodes, const JsonReport& report) {
  if (depth_of(line) > kMaxDepth) {
    report(fmt::format("brackets nest more than {} deep", kMaxDepth), "each line must hold one graph");
    return std::nullopt;
  }
  json object;
  try {
    object = json::parse(line.begin(), line.end());
  } catch (const json::parse_error& error) {
    report(fmt::format("not valid JSON at column {}", error.byte),
           "each line must hold one complete object; NaN is not JSON, a missing value is null");
    return std::nullopt;
  } catch (const json::exception&) {  // a number beyond double
    report("a number is out of range", "numbers must be finite");
    return std::nullopt;
  }
  if (!object.is_object()) {
    report("not a JSON object", "each line must hold one graph: {\"edges\": [[0, 1]], ...}");
    return std::nullopt;
  }
  return GraphParser(max_nodes, report).parse(object);
}

}  // namespace dotin::io
