// One line of a JSON Lines file, understood.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dotin/io/target_builder.h"

namespace dotin::io {

/// Cells of a table, row by row; columns is 0 where there are no rows.
template <class T>
struct Cells {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<T> values;
};

struct JsonGraph {
  int64_t nodes = 0;
  std::vector<int32_t> from, to;  // from 0 within the graph
  std::optional<Cells<float>> x, edge_attr;
  std::optional<Cells<std::string>> node_labels, edge_labels;
  std::vector<std::pair<std::string, TargetValue>> targets;
  std::vector<std::pair<std::string, std::vector<int32_t>>> relevant;  // target, nodes
  std::string id;                                                      // empty where there is none
};

using JsonReport = std::function<void(std::string what, std::string advice)>;

/// Parses a line and checks all that can be checked without the other graphs. Reports what is wrong, and returns
/// nothing if the graph is of no use then. At most max_nodes nodes: a few bytes can claim two thousand millions.
std::optional<JsonGraph> parse_json_graph(std::string_view line, int64_t max_nodes, const JsonReport& report);

}  // namespace dotin::io
