#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "dotin/core/error.h"
#include "dotin/io/csv.h"
#include "dotin/io/csv_table.h"
#include "dotin/io/target_builder.h"
#include "dotin/io/text.h"

namespace dotin::io {
namespace {

namespace fs = std::filesystem;

/// A target column as it stands in graphs.csv: what kind it is can be told only at the end.
struct TargetColumn {
  std::size_t index;
  std::string name;
  std::vector<std::pair<int64_t, std::string>> cells;  // graph, text; empty cells left out
};

struct RelevantColumn {
  std::size_t index;
  std::string target;
  std::vector<uint8_t> marks;  // by row of nodes.csv
};

struct Graph {
  std::string id;
  int64_t line = 0;  // in graphs.csv, 0 where it is not there
  std::unordered_map<std::string, int32_t> nodes;
};

class CsvFolder {
 public:
  CsvFolder(const std::string& folder, const Limits& limits, ProblemSink& problems)
      : folder_(folder), limits_(limits), problems_(problems) {}

  Records read() {
    if (fs::exists(path("graphs.csv"))) read_graphs();
    if (fs::exists(path("nodes.csv"))) read_nodes();
    read_edges();
    return take();
  }

 private:
  std::string path(const char* file) const { return (fs::path(folder_) / file).string(); }

  std::size_t graph_of(const std::string& id) {
    const auto [found, is_new] = graph_index_.try_emplace(id, graphs_.size());
    if (is_new) graphs_.push_back({id, 0, {}});
    return found->second;
  }

  /// The node's number within its graph, a new one if it is new.
  std::pair<int32_t, bool> node_of(std::size_t graph, const std::string& id) {
    auto& nodes = graphs_[graph].nodes;
    const auto [found, is_new] = nodes.try_emplace(id, static_cast<int32_t>(nodes.size()));
    nodes_ += is_new ? 1 : 0;
    DOTIN_CHECK(nodes_ <= std::numeric_limits<int32_t>::max(), "{}: more nodes than dotin can number (split the data)",
                folder_);
    return {found->second, is_new};
  }

  static void report_unknown(CsvTable& table, const std::vector<CsvTable::Column>& columns, const char* known) {
    for (const CsvTable::Column& column : columns) {
      table.reader().report(fmt::format("unknown column {}", excerpt(column.name)),
                            fmt::format("there may be {}", known));
    }
  }

  void read_graphs() {
    CsvTable table(path("graphs.csv"), {"graph"}, limits_, problems_);
    for (const CsvTable::Column& column : table.columns()) {
      const std::string name = column.name == "y" ? kLabelTarget : column.name;
      const bool twice = std::any_of(targets_.begin(), targets_.end(), [&](const auto& t) { return t.name == name; });
      if (twice || name.empty()) {
        table.reader().report(twice ? "columns 'y' and 'label' are the same target" : "a column has no name",
                              "rename or remove one");
      } else {
        targets_.push_back({column.index, name, {}});
      }
    }
    while (table.next()) {
      const std::size_t known = graphs_.size();
      const std::size_t graph = graph_of(table.key(0));
      if (graph < known) {
        table.reader().report(fmt::format("graph {} comes twice", excerpt(table.key(0))), "remove one of the rows");
        continue;
      }
      graphs_[graph].line = table.reader().line_number();
      for (TargetColumn& target : targets_) {
        const std::string& text = table.field(target.index);
        double number = 0;
        if (!parse_number(text, number) && why_not_a_number(text) == "is not a finite number") {
          table.reader().report(fmt::format("column '{}': {} is not a finite number", target.name, excerpt(text)),
                                "leave the cell empty where a value is missing");
        } else if (!text.empty()) {
          target.cells.emplace_back(static_cast<int64_t>(graph), text);
        }
      }
    }
  }

  void read_nodes() {
    CsvTable table(path("nodes.csv"), {"graph", "node"}, limits_, problems_);
    std::vector<CsvTable::Column> columns = table.columns();
    described_nodes_ = DescribedRows(columns);
    std::vector<CsvTable::Column> unknown;
    for (const CsvTable::Column& column : columns) {
      if (column.name.compare(0, 9, "relevant:") == 0 && column.name.size() > 9) {
        relevant_.push_back({column.index, column.name.substr(9), {}});
      } else {
        unknown.push_back(column);
      }
    }
    report_unknown(table, unknown, "graph, node, label, label:NAME, attr:NAME and relevant:TARGET");
    while (table.next()) {
      const std::size_t graph = graph_of(table.key(0));
      if (graphs_[graph].nodes.count(table.key(1)) != 0) {
        table.reader().report(
            fmt::format("node {} of graph {} comes twice", excerpt(table.key(1)), excerpt(table.key(0))),
            "remove one of the rows");
        continue;
      }
      if (!relevant_is_good(table) || !described_nodes_.append(table)) continue;
      for (RelevantColumn& relevant : relevant_) relevant.marks.push_back(table.field(relevant.index) == "1" ? 1 : 0);
      node_rows_.emplace_back(graph, node_of(graph, table.key(1)).first);
    }
  }

  bool relevant_is_good(CsvTable& table) {
    for (const RelevantColumn& relevant : relevant_) {
      const std::string& text = table.field(relevant.index);
      if (text == "0" || text == "1") continue;
      table.reader().report(fmt::format("column 'relevant:{}': {} is neither 0 nor 1", relevant.target, excerpt(text)),
                            "1 marks the nodes a target depends on");
      return false;
    }
    return true;
  }

  void read_edges() {
    CsvTable table(path("edges.csv"), {"graph", "source", "target"}, limits_, problems_);
    std::vector<CsvTable::Column> columns = table.columns();
    described_edges_ = DescribedRows(columns);
    report_unknown(table, columns, "graph, source, target, label, label:NAME and attr:NAME");
    while (table.next()) {
      const std::size_t graph = graph_of(table.key(0));
      if (!nodes_are_known(table, graph) || !described_edges_.append(table)) continue;
      const int32_t from = node_of(graph, table.key(1)).first;
      edges_.push_back({graph, from, node_of(graph, table.key(2)).first});
    }
  }

  /// Where nodes have labels or attributes, one that is not in nodes.csv has none.
  bool nodes_are_known(CsvTable& table, std::size_t graph) {
    for (std::size_t end = 1; end <= 2 && !described_nodes_.empty(); ++end) {
      if (graphs_[graph].nodes.count(table.key(end)) != 0) continue;
      table.reader().report(
          fmt::format("node {} of graph {} is not in nodes.csv", excerpt(table.key(end)), excerpt(table.key(0))),
          "add it there, with its labels and attributes");
      return false;
    }
    return true;
  }

  Records take() {
    Records records;
    const fs::path folder = fs::absolute(folder_).lexically_normal();
    records.name = to_utf8((folder.has_filename() ? folder : folder.parent_path()).filename().string());

    std::vector<int64_t> index(graphs_.size(), -1);  // among the graphs with nodes
    std::vector<int64_t> first(graphs_.size(), 0);   // node of each graph
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      if (graphs_[g].nodes.empty()) {
        report(graphs_[g].line > 0 ? "graphs.csv" : "edges.csv", graphs_[g].line,
               fmt::format("graph {} has no nodes", excerpt(graphs_[g].id)), "give it some, or remove it");
        continue;
      }
      index[g] = records.graphs();
      first[g] = records.nodes();
      records.node_offsets.push_back(first[g] + static_cast<int64_t>(graphs_[g].nodes.size()));
      records.graph_ids.push_back(graphs_[g].id);
    }
    if (graphs_.empty()) report("edges.csv", 0, "there is no graph in the files", "add rows below the header");

    for (const Edge& edge : edges_) {
      records.edge_from.push_back(static_cast<int32_t>(first[edge.graph]) + edge.from);
      records.edge_to.push_back(static_cast<int32_t>(first[edge.graph]) + edge.to);
    }
    std::vector<int32_t> place(node_rows_.size());
    for (std::size_t row = 0; row < place.size(); ++row) {
      place[row] = static_cast<int32_t>(first[node_rows_[row].first]) + node_rows_[row].second;
    }
    if (!described_nodes_.empty()) {
      records.node_labels = described_nodes_.take_labels(place);
      records.node_attributes = described_nodes_.take_attributes(place);
    }
    for (const RelevantColumn& relevant : relevant_) {
      std::vector<uint8_t> marks(static_cast<std::size_t>(records.nodes()));
      for (std::size_t row = 0; row < place.size(); ++row) {
        marks[static_cast<std::size_t>(place[row])] = relevant.marks[row];
      }
      records.relevant.push_back({relevant.target, std::move(marks)});
    }
    std::vector<int32_t> in_order(edges_.size());
    std::iota(in_order.begin(), in_order.end(), 0);
    records.edge_labels = described_edges_.take_labels(in_order);
    records.edge_attributes = described_edges_.take_attributes(in_order);
    for (const TargetColumn& target : targets_) records.targets.push_back(take_target(target, index, records.graphs()));
    return records;
  }

  static Target take_target(const TargetColumn& column, const std::vector<int64_t>& index, int64_t graphs) {
    double number = 0;
    const bool is_text = !std::all_of(column.cells.begin(), column.cells.end(),
                                      [&](const auto& cell) { return parse_number(cell.second, number); });
    TargetBuilder builder(column.name);
    for (const auto& [graph, text] : column.cells) {
      if (index[static_cast<std::size_t>(graph)] < 0) continue;
      TargetValue value;
      value.is_text = is_text;
      if (is_text) {
        value.text = text;
      } else if (parse_number(text, number)) {
        value.numbers.push_back(number);
      }
      builder.set(index[static_cast<std::size_t>(graph)], value);
    }
    return builder.take(graphs);
  }

  void report(const char* file, int64_t line, std::string what, std::string advice) {
    Problem problem;
    problem.where = {path(file), line};
    problem.what = std::move(what);
    problem.advice = std::move(advice);
    problems_.report(std::move(problem));
  }

  struct Edge {
    std::size_t graph;
    int32_t from, to;  // within the graph
  };

  std::string folder_;
  Limits limits_;
  ProblemSink& problems_;
  std::vector<Graph> graphs_;
  std::unordered_map<std::string, std::size_t> graph_index_;
  int64_t nodes_ = 0;
  std::vector<TargetColumn> targets_;
  std::vector<RelevantColumn> relevant_;
  std::vector<std::pair<std::size_t, int32_t>> node_rows_;  // graph, node within it
  DescribedRows described_nodes_, described_edges_;
  std::vector<Edge> edges_;
};

}  // namespace

Records read_csv(const std::string& folder, const Limits& limits, ProblemSink& problems) {
  DOTIN_CHECK(is_csv_folder(folder), "{}: not a folder with an edges.csv (columns graph,source,target)", folder);
  return CsvFolder(folder, limits, problems).read();
}

bool is_csv_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / "edges.csv", ignored);
}

}  // namespace dotin::io
