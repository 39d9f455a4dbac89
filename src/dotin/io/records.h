// What a file says, before any interpretation: the common form that every reader of io/ produces and data/ turns into a
// Dataset.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/array.h"

namespace dotin::io {

/// One column of categorical values, e.g. atom types. codes[i] indexes values: the distinct original values, in numeric
/// order where all are integers, else in byte order.
struct LabelColumn {
  std::string name;
  core::Array<int32_t> codes;
  std::vector<std::string> values;
};

/// Row-major table of numbers, one row per node or edge.
struct FloatTable {
  int64_t columns = 0;
  core::Array<float> values;
};

/// What a task may learn from: width numbers per graph, NaN where missing. Where the file has text (class names),
/// the numbers index names, which are sorted; otherwise names is empty and the numbers are the original values.
struct Target {
  std::string name;
  int64_t width = 1;
  core::Array<double> values;
  std::vector<std::string> names;
};

/// Planted truth of generated data: 1 for the nodes that the named target depends on.
struct RelevantNodes {
  std::string target;
  core::Array<uint8_t> nodes;
};

/// Graphs as listed in a file. Node ids are 0-based and run through all graphs; graph g owns [node_offsets[g],
/// node_offsets[g + 1]). Every edge joins two nodes of one graph; an undirected edge may be listed once or in both
/// directions.
struct Records {
  std::string name;
  std::vector<int64_t> node_offsets{0};
  std::vector<int32_t> edge_from;
  std::vector<int32_t> edge_to;
  std::vector<LabelColumn> node_labels;
  std::vector<LabelColumn> edge_labels;  // one code per listed edge
  FloatTable node_attributes;
  FloatTable edge_attributes;  // one row per listed edge
  std::vector<Target> targets;
  std::vector<RelevantNodes> relevant;
  std::vector<std::string> graph_ids;  // empty: a graph is known by its index

  int64_t graphs() const { return static_cast<int64_t>(node_offsets.size()) - 1; }
  int64_t nodes() const { return node_offsets.back(); }
};

/// Names of the targets that every reader gives to the usual columns: graph label columns are "label", or "label0",
/// "label1", ... where there are several; graph attributes are "attributes".
inline constexpr const char* kLabelTarget = "label";
inline constexpr const char* kAttributesTarget = "attributes";

}  // namespace dotin::io
