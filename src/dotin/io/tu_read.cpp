#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "dotin/core/error.h"
#include "dotin/io/text.h"
#include "dotin/io/tu.h"
#include "dotin/io/tu_files.h"
#include "dotin/io/tu_rows.h"

namespace dotin::io {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();

/// Digits at p, which is moved behind them and the blanks round them; -1 if there are none, and a number beyond int32
/// if there are too many. The text ends with a byte that is no digit, so there is no need to look for the end.
inline int64_t scan_id(const char*& p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  const char* const first = p;
  int64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p) {
    value = std::min(10 * value + digit, kMaxId + 1);
  }
  if (p == first) return -1;
  while (p < end && is_blank(*p)) ++p;
  return value;
}

class TuReader {
 public:
  TuReader(const std::string& path, const Limits& limits, ProblemSink& problems)
      : files_(path, limits), limits_(limits), problems_(problems) {}

  Records read() {
    records_.name = to_utf8(files_.name());
    read_graph_indicator();
    read_edges();
    node_plan_.reason = "one for each row of " + files_.file_name("graph_indicator");
    edge_plan_.reason = "one for each edge in " + files_.file_name("A");
    graph_plan_.reason = "one for each graph in " + files_.file_name("graph_indicator");
    if (auto file = files_.open("node_labels")) {
      records_.node_labels = read_label_columns(rows(std::move(file)), node_plan_);
    }
    if (auto file = files_.open("node_attributes")) {
      records_.node_attributes = read_float_table(rows(std::move(file)), node_plan_);
    }
    if (auto file = files_.open("edge_labels")) {
      records_.edge_labels = read_label_columns(rows(std::move(file)), edge_plan_);
    }
    if (auto file = files_.open("edge_attributes")) {
      records_.edge_attributes = read_float_table(rows(std::move(file)), edge_plan_);
    }
    read_targets();
    read_relevant();
    return std::move(records_);
  }

 private:
  RowReader rows(std::unique_ptr<ByteSource> file) { return {std::move(file), limits_.max_line_bytes, problems_}; }

  /// Row k says which graph node k belongs to: 1, 1, ..., 2, 2, ... Where that is broken, a new and higher number
  /// starts a new graph and all else stays in the current one.
  void read_graph_indicator() {
    const std::string name = files_.file_name("graph_indicator");
    auto file = files_.open("graph_indicator");
    DOTIN_CHECK(file != nullptr, "{} is missing beside {} (it gives the graph of each node, a line each)", name,
                files_.file_name("A"));
    RowReader rows = this->rows(std::move(file));
    std::vector<int64_t>& offsets = records_.node_offsets;
    int64_t graph = 0;     // the current one, counted from 1
    int64_t previous = 0;  // what the row before says
    int64_t shift = 0;     // where the first number is not 1
    std::string_view row;
    while (rows.next(row)) {
      DOTIN_CHECK(rows.rows() <= kMaxId, "{}: more than {} nodes, dotin cannot number them (split the dataset)",
                  rows.file(), kMaxId);
      int64_t value = previous;
      const bool number = !rows.broken() && parse_whole_number(trim(row), value);
      if (!number || value > kMaxId || value < -kMaxId) {
        if (!rows.broken()) {
          rows.report(fmt::format("{} is not a graph number", excerpt(trim(row))), "each line must hold one integer");
        }
        value = previous;
      }
      if (rows.rows() == 1) {
        if (!rows.reported() && value != 1) {
          rows.report(fmt::format("the first graph number is {}", value), "graphs are counted from 1");
          shift = value - 1;
        }
        graph = 1;
        previous = value = 1 + shift;
      }
      if (value < previous) {
        rows.report(fmt::format("graph {} comes after graph {}", value, previous),
                    "sort the nodes by graph, the numbers must never fall");
      }
      previous = value;
      value -= shift;
      if (value <= graph) continue;
      offsets.push_back(rows.rows() - 1);
      if (value > graph + 1) {
        rows.report(
            fmt::format("the graph number jumps from {} to {}: a graph without nodes", graph + shift, value + shift),
            "number the graphs 1, 2, 3, ... without gaps");
        graph_plan_.leave_out(graph, value - 1);
      }
      graph = value;
    }
    DOTIN_CHECK(rows.rows() > 0, "{}: the file is empty (it must give the graph of each node, a line each)",
                rows.file());
    offsets.push_back(rows.rows());
    offsets.shrink_to_fit();
    node_plan_.rows = rows.rows();
    graph_plan_.rows = graph;
  }

  void read_edges() {
    RowReader rows = this->rows(files_.open("A"));
    std::vector<int32_t>& from = records_.edge_from;
    std::vector<int32_t>& to = records_.edge_to;
    const int64_t nodes = records_.nodes();
    int64_t first = 1, last = 0;  // nodes of the graph of the edge before, counted from 1
    std::string_view row;
    while (rows.next(row)) {
      const char* p = row.data();
      const char* const end = p + row.size();
      const int64_t a = scan_id(p, end);
      const bool comma = *p == ',' && p < end;
      p += comma ? 1 : 0;
      const int64_t b = scan_id(p, end);
      bool good = comma && p == end && a > 0 && b > 0 && a <= nodes && b <= nodes;
      if (good && (a < first || a > last)) {
        const auto next = std::upper_bound(records_.node_offsets.begin(), records_.node_offsets.end(), a - 1);
        first = *(next - 1) + 1;
        last = *next;
      }
      good = good && b >= first && b <= last;
      if (!good) {
        if (!rows.broken()) report_edge(rows, row);
        edge_plan_.leave_out(rows.rows() - 1, rows.rows());
        continue;
      }
      rows.make_room(from);
      rows.make_room(to);
      from.push_back(static_cast<int32_t>(a - 1));
      to.push_back(static_cast<int32_t>(b - 1));
    }
    edge_plan_.rows = rows.rows();
    if (rows.rows() == 0) rows.report_at(0, "the file is empty: no edges at all", "each line must hold an edge: i, j");
  }

  /// Says what is wrong with the row of an edge.
  void report_edge(RowReader& rows, std::string_view row) const {
    const std::size_t comma = std::min(row.find(','), row.size());
    const std::string_view cells[2] = {trim(row.substr(0, comma)), trim(row.substr(std::min(comma + 1, row.size())))};
    int64_t ids[2] = {};
    for (int i = 0; i < 2; ++i) {
      const bool digits = cells[i].find_first_not_of("+-0123456789") == std::string_view::npos;
      const bool number = parse_integer(cells[i], ids[i]);
      const bool too_large = !number && digits && cells[i].size() > 18;
      if (comma == row.size() || (!number && !too_large)) {
        return rows.report(fmt::format("{} is not an edge", excerpt(trim(row))),
                           "each line must hold two integers: i, j");
      }
      if (too_large || ids[i] < 1 || ids[i] > records_.nodes()) {
        return rows.report(fmt::format("node {} is out of range 1..{}", cells[i].substr(0, 40), records_.nodes()),
                           "nodes are counted from 1, one for each row of " + files_.file_name("graph_indicator") +
                               "; renumber the nodes, or remove the edge");
      }
    }
    rows.report(
        fmt::format("nodes {} and {} are of graphs {} and {}", ids[0], ids[1], graph_of(ids[0]), graph_of(ids[1])),
        "an edge must join two nodes of one graph; renumber the nodes, or remove the edge");
  }

  /// Both counted from 1.
  int64_t graph_of(int64_t node) const {
    const std::vector<int64_t>& offsets = records_.node_offsets;
    return std::upper_bound(offsets.begin(), offsets.end(), node - 1) - offsets.begin();
  }

  void read_targets() {
    if (auto file = files_.open("graph_labels")) {
      records_.targets = read_label_targets(rows(std::move(file)), graph_plan_);
    }
    if (auto file = files_.open("graph_label_targets")) {
      const std::vector<std::string> names = read_names(std::move(file), records_.targets.size(), "graph_labels");
      for (std::size_t i = 0; i < names.size(); ++i) records_.targets[i].name = names[i];
    }
    if (auto file = files_.open("graph_attributes")) {
      for (Target& target : read_attribute_target(rows(std::move(file)), graph_plan_)) {
        records_.targets.push_back(std::move(target));
      }
    }
  }

  void read_relevant() {
    auto file = files_.open("relevant_nodes");
    if (file == nullptr) return;
    records_.relevant = read_relevant_nodes(rows(std::move(file)), node_plan_);
    auto names_file = files_.open("relevant_targets");
    if (names_file == nullptr) {
      Problem missing;
      missing.where.file = files_.path() + ":" + files_.file_name("relevant_nodes");
      missing.what = files_.file_name("relevant_targets") + " is missing beside it";
      missing.advice = "it must name the target of each column, a line each";
      problems_.report(std::move(missing));
      return records_.relevant.clear();
    }
    const std::vector<std::string> names =
        read_names(std::move(names_file), records_.relevant.size(), "relevant_nodes");
    for (std::size_t i = 0; i < names.size(); ++i) records_.relevant[i].target = names[i];
    if (names.empty()) records_.relevant.clear();
  }

  /// A name a line, one for each column of the file of that kind; reported and nothing if there are not as many.
  std::vector<std::string> read_names(std::unique_ptr<ByteSource> file, std::size_t columns, const std::string& kind) {
    RowReader rows = this->rows(std::move(file));
    std::vector<std::string> names;
    std::string_view row;
    while (rows.next(row)) {
      if (!is_utf8(row)) rows.report("not UTF-8 text", "save the file as UTF-8");
      if (names.size() <= columns) names.push_back(to_utf8(trim(row)));
    }
    if (names.size() == columns) return names;
    rows.report_at(0, fmt::format("{} names, but {} has {} columns", rows.rows(), files_.file_name(kind), columns),
                   "give each column a name, a line each");
    return {};
  }

  TuFiles files_;
  Limits limits_;
  ProblemSink& problems_;
  Records records_;
  RowPlan node_plan_, edge_plan_, graph_plan_;
};

}  // namespace

Records read_tu(const std::string& path, const Limits& limits, ProblemSink& problems) {
  return TuReader(path, limits, problems).read();
}

void check_tu(const std::string& path, const Limits& limits) { TuFiles(path, limits).read_through(); }

}  // namespace dotin::io
