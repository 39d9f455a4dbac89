#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/io/jsonl.h"
#include "dotin/io/text.h"
#include "dotin/io/text_writer.h"

namespace dotin::io {
namespace {

std::string quoted(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    core::fail("{} is not UTF-8, which JSON must be (rename it)", excerpt(text));
  }
}

/// A label or name as JSON: a number where read_jsonl makes the same text of it.
std::string label(const std::string& value) { return is_plain_integer(value) ? value : quoted(value); }

class JsonlWriter {
 public:
  JsonlWriter(const Records& records, const std::string& path) : records_(records), path_(path), file_(path) {
    // Each text once, not once for each node.
    for (const LabelColumn& column : records.node_labels) node_labels_.push_back(labels(column));
    for (const LabelColumn& column : records.edge_labels) edge_labels_.push_back(labels(column));
    const auto edges = records.edge_from.size();
    edges_of_.resize(static_cast<std::size_t>(records.graphs()) + 1);
    edge_order_.resize(edges);
    sort_edges();
  }

  void write() {
    for (std::size_t g = 0; g < static_cast<std::size_t>(records_.graphs()); ++g) write_graph(g);
    file_.commit();
  }

 private:
  static std::vector<std::string> labels(const LabelColumn& column) {
    std::vector<std::string> texts;
    for (const std::string& value : column.values) texts.push_back(label(value));
    return texts;
  }

  std::size_t graph_of(int32_t node) const {
    const auto next = std::upper_bound(records_.node_offsets.begin(), records_.node_offsets.end(), int64_t{node});
    return static_cast<std::size_t>(next - records_.node_offsets.begin()) - 1;
  }

  /// Edges by graph, in their order within each: records may list them in any.
  void sort_edges() {
    std::vector<std::size_t> graph(edge_order_.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      graph[i] = graph_of(records_.edge_from[i]);
      ++edges_of_[graph[i] + 1];
    }
    for (std::size_t g = 1; g < edges_of_.size(); ++g) edges_of_[g] += edges_of_[g - 1];
    std::vector<std::size_t> next(edges_of_.begin(), edges_of_.end() - 1);
    for (std::size_t i = 0; i < graph.size(); ++i) edge_order_[next[graph[i]]++] = i;
  }

  /// Prints `"key": [a, b, ...]`, item(i) printing one.
  template <class Item>
  void list(const char* before, std::size_t begin, std::size_t end, Item item) {
    file_.print("{}[", before);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) file_.print(",");
      item(i);
    }
    file_.print("]");
  }

  void write_graph(std::size_t g) {
    const auto first = static_cast<std::size_t>(records_.node_offsets[g]);
    const auto last = static_cast<std::size_t>(records_.node_offsets[g + 1]);
    const std::size_t first_edge = edges_of_[g], last_edge = edges_of_[g + 1];
    file_.print("{{");
    if (!records_.graph_ids.empty()) file_.print("\"id\":{},", quoted(records_.graph_ids[g]));
    file_.print("\"nodes\":{}", last - first);
    list(",\"edges\":", first_edge, last_edge, [&](std::size_t i) {
      const std::size_t edge = edge_order_[i];
      file_.print("[{},{}]", static_cast<std::size_t>(records_.edge_from[edge]) - first,
                  static_cast<std::size_t>(records_.edge_to[edge]) - first);
    });
    const auto node = [](std::size_t i) { return i; };
    const auto edge = [this](std::size_t i) { return edge_order_[i]; };
    write_numbers(",\"x\":", records_.node_attributes, first, last, node);
    write_labels(",\"node_labels\":", records_.node_labels, node_labels_, first, last, node);
    write_numbers(",\"edge_attr\":", records_.edge_attributes, first_edge, last_edge, edge);
    write_labels(",\"edge_labels\":", records_.edge_labels, edge_labels_, first_edge, last_edge, edge);
    write_targets(g);
    write_relevant(first, last);
    file_.print("}}\n");
  }

  template <class Row>
  void write_numbers(const char* key, const FloatTable& table, std::size_t begin, std::size_t end, Row row) {
    const auto columns = static_cast<std::size_t>(table.columns);
    if (columns == 0) return;
    list(key, begin, end, [&](std::size_t i) {
      list("", row(i) * columns, (row(i) + 1) * columns, [&](std::size_t cell) {
        DOTIN_CHECK(std::isfinite(table.values[cell]), "{}: attributes hold NaN or infinity, which JSON cannot", path_);
        file_.print("{}", table.values[cell]);
      });
    });
  }

  template <class Row>
  void write_labels(const char* key, const std::vector<LabelColumn>& columns,
                    const std::vector<std::vector<std::string>>& texts, std::size_t begin, std::size_t end, Row row) {
    if (columns.empty()) return;
    const auto cell = [&](std::size_t column, std::size_t i) {
      file_.print("{}", texts[column][static_cast<std::size_t>(columns[column].codes[row(i)])]);
    };
    list(key, begin, end, [&](std::size_t i) {
      if (columns.size() == 1) return cell(0, i);
      list("", 0, columns.size(), [&](std::size_t column) { cell(column, i); });
    });
  }

  void write_targets(std::size_t g) {
    const char* before = ",\"targets\":{";
    for (const Target& target : records_.targets) {
      if (target.name == kLabelTarget) {
        file_.print(",\"y\":");
        write_target(target, g);
      }
    }
    for (const Target& target : records_.targets) {
      if (target.name == kLabelTarget) continue;
      file_.print("{}{}:", before, quoted(target.name));
      write_target(target, g);
      before = ",";
    }
    if (before[1] == '\0') file_.print("}}");
  }

  void write_target(const Target& target, std::size_t g) {
    const auto width = static_cast<std::size_t>(target.width);
    const auto value = [&](std::size_t i) {
      if (std::isnan(target.values[i])) return file_.print("null");
      DOTIN_CHECK(std::isfinite(target.values[i]), "{}: target '{}' is infinite, which JSON cannot say", path_,
                  target.name);
      if (target.names.empty()) return file_.print("{}", target.values[i]);
      file_.print("{}", quoted(target.names[static_cast<std::size_t>(target.values[i])]));
    };
    if (width == 1) return value(g);
    list("", g * width, (g + 1) * width, value);
  }

  void write_relevant(std::size_t first, std::size_t last) {
    const char* before = ",\"relevant\":{";
    for (const RelevantNodes& relevant : records_.relevant) {
      std::vector<std::size_t> nodes;
      for (std::size_t i = first; i < last; ++i) {
        if (relevant.nodes[i] != 0) nodes.push_back(i - first);
      }
      file_.print("{}{}:", before, quoted(relevant.target));
      list("", 0, nodes.size(), [&](std::size_t i) { file_.print("{}", nodes[i]); });
      before = ",";
    }
    if (!records_.relevant.empty()) file_.print("}}");
  }

  const Records& records_;
  std::string path_;
  TextWriter file_;
  std::vector<std::vector<std::string>> node_labels_, edge_labels_;  // per column, each value as JSON
  std::vector<std::size_t> edges_of_;                                // graph -> its edges in edge_order_
  std::vector<std::size_t> edge_order_;
};

}  // namespace

void write_jsonl(const Records& records, const std::string& path) { JsonlWriter(records, path).write(); }

}  // namespace dotin::io
