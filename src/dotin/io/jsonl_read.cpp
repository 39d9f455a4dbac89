#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "dotin/core/error.h"
#include "dotin/io/jsonl.h"
#include "dotin/io/jsonl_graph.h"
#include "dotin/io/label_codes.h"
#include "dotin/io/line_reader.h"
#include "dotin/io/text.h"

namespace dotin::io {
namespace {

constexpr int64_t kMaxNodes = std::numeric_limits<int32_t>::max();
// Nodes that stand nowhere but in "nodes" or in an id are free for whoever writes the file, not for us.
constexpr int64_t kFreeNodes = 1'000'000, kNodesPerByte = 100;

/// A table that all graphs share, or none has.
template <class T, class Store>
class TableBuilder {
 public:
  explicit TableBuilder(const char* key) : key_(key) {}

  /// Empty if the rows fit those before; otherwise what is wrong. needed: the graph has nodes or edges to describe.
  std::string mismatch(const std::optional<Cells<T>>& cells, bool needed) const {
    if (!known_ || !needed) return "";
    if (cells && columns_ == 0) return fmt::format("\"{}\" is given, but not in the graphs before", key_);
    if (!cells && columns_ != 0) return fmt::format("\"{}\" is missing, but the graphs before have it", key_);
    if (!cells || cells->columns == columns_) return "";
    return fmt::format("\"{}\" has {} columns, but {} in the graphs before", key_, cells->columns, columns_);
  }

  void append(const std::optional<Cells<T>>& cells, bool needed) {
    if (!needed) return;
    known_ = true;
    if (!cells) return;
    columns_ = cells->columns;
    store_.append(*cells);
  }

  int64_t columns() const { return columns_; }
  Store& store() { return store_; }

 private:
  const char* key_;
  bool known_ = false;
  int64_t columns_ = 0;
  Store store_;
};

struct FloatStore {
  std::vector<float> values;
  void append(const Cells<float>& cells) { values.insert(values.end(), cells.values.begin(), cells.values.end()); }
};

struct LabelStore {
  std::vector<TextLabels> labels;
  std::vector<std::vector<int32_t>> codes;

  void append(const Cells<std::string>& cells) {
    const auto columns = static_cast<std::size_t>(cells.columns);
    labels.resize(columns);
    codes.resize(columns);
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
      codes[i % columns].push_back(labels[i % columns].code_of(cells.values[i]));
    }
  }

  std::vector<LabelColumn> take() {
    std::vector<LabelColumn> columns;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::vector<int32_t> rank = labels[i].sort();
      for (int32_t& code : codes[i]) code = rank[static_cast<std::size_t>(code)];
      columns.push_back({label_name(i, labels.size()), std::move(codes[i]), labels[i].values()});
    }
    return columns;
  }
};

using FloatBuilder = TableBuilder<float, FloatStore>;
using LabelBuilder = TableBuilder<std::string, LabelStore>;

class JsonlReader {
 public:
  JsonlReader(const std::string& path, const Limits& limits, ProblemSink& problems)
      : path_(path), lines_(open_file(path), limits.max_line_bytes), problems_(problems) {
    records_.name = to_utf8(std::filesystem::path(path).stem().string());
  }

  Records read() {
    const JsonReport report = [this](std::string what, std::string advice) {
      this->report(std::move(what), std::move(advice));
    };
    std::string_view line;
    while (lines_.next(line)) {
      if (lines_.too_long()) {
        this->report("the line is too long", "is this a text file? if so, raise the limit on the bytes of a line");
      }
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const int64_t most = std::min(kMaxNodes, kFreeNodes + kNodesPerByte * lines_.consumed_bytes());
      const std::optional<JsonGraph> graph = parse_json_graph(line, most - records_.nodes(), report);
      if (graph && fits(*graph)) append(*graph);
    }
    if (records_.graphs() == 0) {
      Problem none;
      none.where.file = path_;
      none.what = "there is no graph in the file";
      none.advice = "each line must hold one graph: {\"edges\": [[0, 1]], ...}";
      problems_.report(std::move(none));
    }
    return take();
  }

 private:
  void report(std::string what, std::string advice) {
    problems_.report({{path_, lines_.line_number()}, std::move(what), std::move(advice)});
  }

  /// Compares the graph with those before; reports all that does not fit.
  bool fits(const JsonGraph& graph) {
    const bool edges = !graph.from.empty();
    bool good = true;
    const auto check = [&](const std::string& mismatch) {
      if (mismatch.empty()) return;
      good = false;
      report(mismatch, "give all graphs the same keys, with the same number of columns");
    };
    check(x_.mismatch(graph.x, true));
    check(node_labels_.mismatch(graph.node_labels, true));
    check(edge_attr_.mismatch(graph.edge_attr, edges));
    check(edge_labels_.mismatch(graph.edge_labels, edges));
    for (const auto& [name, value] : graph.targets) {
      const std::string mismatch = target(name).mismatch(value);
      if (mismatch.empty()) continue;
      good = false;
      report(fmt::format("target \"{}\" {}", name, mismatch), "give it the same kind and width in every graph");
    }
    return good;
  }

  void append(const JsonGraph& graph) {
    const int64_t first = records_.nodes();
    const bool edges = !graph.from.empty();
    for (std::size_t i = 0; i < graph.from.size(); ++i) {
      records_.edge_from.push_back(static_cast<int32_t>(first) + graph.from[i]);
      records_.edge_to.push_back(static_cast<int32_t>(first) + graph.to[i]);
    }
    x_.append(graph.x, true);
    node_labels_.append(graph.node_labels, true);
    edge_attr_.append(graph.edge_attr, edges);
    edge_labels_.append(graph.edge_labels, edges);
    for (const auto& [name, value] : graph.targets) target(name).set(records_.graphs(), value);
    for (const auto& [name, nodes] : graph.relevant) {
      std::vector<int64_t>& marked = relevant(name);
      for (const int32_t node : nodes) marked.push_back(first + node);
    }
    has_ids_ = has_ids_ || !graph.id.empty();
    ids_.push_back(graph.id);
    records_.node_offsets.push_back(first + graph.nodes);
  }

  Records take() {
    records_.node_attributes = {x_.columns(), std::move(x_.store().values)};
    records_.edge_attributes = {edge_attr_.columns(), std::move(edge_attr_.store().values)};
    records_.node_labels = node_labels_.store().take();
    records_.edge_labels = edge_labels_.store().take();
    for (TargetBuilder& builder : targets_) records_.targets.push_back(builder.take(records_.graphs()));
    for (const auto& [name, nodes] : relevant_) {
      std::vector<uint8_t> marks(static_cast<std::size_t>(records_.nodes()));
      for (const int64_t node : nodes) marks[static_cast<std::size_t>(node)] = 1;
      records_.relevant.push_back({name, std::move(marks)});
    }
    if (has_ids_) {
      for (std::size_t g = 0; g < ids_.size(); ++g) {
        if (ids_[g].empty()) ids_[g] = fmt::format("{}", g);
      }
      records_.graph_ids = std::move(ids_);
    }
    return std::move(records_);
  }

  TargetBuilder& target(const std::string& name) {
    const auto found = std::find_if(targets_.begin(), targets_.end(), [&](const auto& t) { return t.name() == name; });
    if (found != targets_.end()) return *found;
    check_count(targets_.size(), "targets");
    return targets_.emplace_back(name);
  }

  std::vector<int64_t>& relevant(const std::string& name) {
    const auto found = std::find_if(relevant_.begin(), relevant_.end(), [&](const auto& r) { return r.first == name; });
    if (found != relevant_.end()) return found->second;
    check_count(relevant_.size(), "names in \"relevant\"");
    return relevant_.emplace_back(name, std::vector<int64_t>()).second;
  }

  /// Names are looked for one by one, and each costs a value for every graph or node.
  void check_count(std::size_t count, const char* what) const {
    constexpr std::size_t kMost = 1000;
    DOTIN_CHECK(count < kMost, "{}:{}: more than {} different {} (use a list of numbers for many)", path_,
                lines_.line_number(), kMost, what);
  }

  std::string path_;
  LineReader lines_;
  ProblemSink& problems_;
  Records records_;
  FloatBuilder x_{"x"}, edge_attr_{"edge_attr"};
  LabelBuilder node_labels_{"node_labels"}, edge_labels_{"edge_labels"};
  std::vector<TargetBuilder> targets_;
  std::vector<std::pair<std::string, std::vector<int64_t>>> relevant_;  // target, nodes of all graphs
  std::vector<std::string> ids_;
  bool has_ids_ = false;
};

}  // namespace

Records read_jsonl(const std::string& path, const Limits& limits, ProblemSink& problems) {
  return JsonlReader(path, limits, problems).read();
}

}  // namespace dotin::io
