#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/io/label_codes.h"
#include "dotin/io/text.h"
#include "dotin/io/text_writer.h"
#include "dotin/io/tu.h"

namespace dotin::io {
namespace {

constexpr const char* kInstead = "write JSON Lines instead";

bool is_attributes(const Target& target) { return target.name == kAttributesTarget; }

void check_label_columns(const std::vector<LabelColumn>& columns) {
  for (const LabelColumn& column : columns) {
    for (const std::string& value : column.values) {
      DOTIN_CHECK(is_plain_integer(value), "label column '{}' has the value {}: TU files hold integer labels only ({})",
                  column.name, excerpt(value), kInstead);
    }
  }
}

void check_finite(const FloatTable& table, const char* what) {
  const bool finite = std::all_of(table.values.begin(), table.values.end(), [](float v) { return std::isfinite(v); });
  DOTIN_CHECK(finite, "{} hold NaN or infinity, which TU files cannot (replace them by numbers)", what);
}

/// graph_labels hold integers, one for each graph; graph_attributes any number of numbers.
void check_target(const Target& target) {
  DOTIN_CHECK(target.names.empty(), "target '{}' has class names, which TU files cannot hold ({})", target.name,
              kInstead);
  for (const double value : target.values) {
    DOTIN_CHECK(std::isfinite(value), "target '{}' has missing values, which TU files cannot hold ({})", target.name,
                kInstead);
    DOTIN_CHECK(is_attributes(target) || (std::trunc(value) == value && std::abs(value) <= 9007199254740992.0),
                "target '{}' has the value {}: the graph labels of TU files are integers ({})", target.name, value,
                kInstead);
  }
  DOTIN_CHECK(is_attributes(target) || target.width == 1,
              "target '{}' has {} columns: a graph label of TU files has one ({})", target.name, target.width,
              kInstead);
}

void check_name(const std::string& name) {
  DOTIN_CHECK(!name.empty() && trim(name).size() == name.size() && name.find('\n') == std::string::npos,
              "target {}: TU files cannot hold a name that is empty, has a line break or blanks at its ends",
              excerpt(name));
}

class TuWriter {
 public:
  TuWriter(const Records& records, const std::string& path) : records_(records), path_(path) {
    const std::filesystem::path folder = std::filesystem::path(path).lexically_normal();
    name_ = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    for (const Target& target : records.targets) {
      if (!is_attributes(target)) labels_.push_back(&target);
    }
  }

  /// Whatever the layout cannot say, before anything is written.
  void check() const {
    DOTIN_CHECK(!name_.empty() && name_ != "..", "{}: the last part of the path names the dataset (give one)", path_);
    DOTIN_CHECK(records_.graphs() > 0, "{}: no graphs to write", path_);
    DOTIN_CHECK(!records_.edge_from.empty(), "{}: no edges to write, and TU files without any count as damaged ({})",
                path_, kInstead);
    for (std::size_t g = 0; g + 1 < records_.node_offsets.size(); ++g) {
      DOTIN_CHECK(records_.node_offsets[g] < records_.node_offsets[g + 1],
                  "graph {} has no nodes, which TU files cannot say (leave it out)", g);
    }
    check_label_columns(records_.node_labels);
    check_label_columns(records_.edge_labels);
    check_finite(records_.node_attributes, "node attributes");
    check_finite(records_.edge_attributes, "edge attributes");
    for (const Target& target : records_.targets) check_target(target);
    for (const Target* label : labels_) check_name(label->name);
    for (const RelevantNodes& relevant : records_.relevant) check_name(relevant.target);
  }

  void write() const {
    write_graph_indicator();
    const std::vector<std::size_t> nodes = all_rows(static_cast<std::size_t>(records_.nodes()));
    write_label_columns("node_labels", records_.node_labels, nodes);
    write_numbers("node_attributes", records_.node_attributes.values, records_.node_attributes.columns, nodes);
    const std::vector<Entry> entries = both_directions();
    std::vector<std::size_t> edges;
    for (const Entry& entry : entries) edges.push_back(entry.edge);
    write_label_columns("edge_labels", records_.edge_labels, edges);
    write_numbers("edge_attributes", records_.edge_attributes.values, records_.edge_attributes.columns, edges);
    write_targets();
    write_relevant();
    // Last: a folder without it is no dataset yet.
    TextWriter file = open("A");
    for (const Entry& entry : entries) {
      const int64_t from = records_.edge_from[entry.edge] + int64_t{1}, to = records_.edge_to[entry.edge] + int64_t{1};
      file.print("{}, {}\n", entry.turned ? to : from, entry.turned ? from : to);
    }
    file.commit();
  }

 private:
  /// A line of NAME_A.txt: an edge as it is stored, or turned round.
  struct Entry {
    std::size_t edge;
    bool turned;
  };

  /// TU files list each edge in both directions, and readers take one direction for a directed graph.
  std::vector<Entry> both_directions() const {
    const auto pair_of = [this](std::size_t i) { return std::make_pair(records_.edge_from[i], records_.edge_to[i]); };
    std::set<std::pair<int32_t, int32_t>> listed;
    for (std::size_t i = 0; i < records_.edge_from.size(); ++i) listed.insert(pair_of(i));
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < records_.edge_from.size(); ++i) {
      const auto [from, to] = pair_of(i);
      entries.push_back({i, false});
      if (listed.count({to, from}) == 0) entries.push_back({i, true});
    }
    return entries;
  }

  static std::vector<std::size_t> all_rows(std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  TextWriter open(const std::string& kind) const {
    return TextWriter((std::filesystem::path(path_) / (name_ + "_" + kind + ".txt")).string());
  }

  void write_graph_indicator() const {
    TextWriter file = open("graph_indicator");
    for (int64_t g = 0; g < records_.graphs(); ++g) {
      const auto i = static_cast<std::size_t>(g);
      for (int64_t n = records_.node_offsets[i]; n < records_.node_offsets[i + 1]; ++n) file.print("{}\n", g + 1);
    }
    file.commit();
  }

  /// cell(row, column) prints one; nothing is written where there are no columns.
  template <class Cell>
  void write_table(const std::string& kind, std::size_t rows, std::size_t columns, Cell cell) const {
    if (columns == 0) return;
    TextWriter file = open(kind);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (column > 0) file.print(", ");
        cell(file, row, column);
      }
      file.print("\n");
    }
    file.commit();
  }

  void write_label_columns(const std::string& kind, const std::vector<LabelColumn>& columns,
                           const std::vector<std::size_t>& rows) const {
    write_table(kind, rows.size(), columns.size(), [&](TextWriter& file, std::size_t row, std::size_t column) {
      const LabelColumn& labels = columns[column];
      file.print("{}", labels.values[static_cast<std::size_t>(labels.codes[rows[row]])]);
    });
  }

  template <class Values>
  void write_numbers(const std::string& kind, const Values& values, int64_t columns,
                     const std::vector<std::size_t>& rows) const {
    const auto width = static_cast<std::size_t>(columns);
    write_table(kind, rows.size(), width, [&](TextWriter& file, std::size_t row, std::size_t column) {
      file.print("{}", values[rows[row] * width + column]);
    });
  }

  void write_names(const std::string& kind, const std::vector<std::string>& names) const {
    TextWriter file = open(kind);
    for (const std::string& name : names) file.print("{}\n", name);
    file.commit();
  }

  void write_targets() const {
    write_table("graph_labels", static_cast<std::size_t>(records_.graphs()), labels_.size(),
                [&](TextWriter& file, std::size_t row, std::size_t column) {
                  file.print("{}", static_cast<int64_t>(labels_[column]->values[row]));
                });
    std::vector<std::string> names;
    bool usual = true;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      names.push_back(labels_[i]->name);
      usual = usual && names[i] == label_name(i, labels_.size());
    }
    if (!usual) write_names("graph_label_targets", names);
    for (const Target& target : records_.targets) {
      if (is_attributes(target)) {
        write_numbers("graph_attributes", target.values, target.width,
                      all_rows(static_cast<std::size_t>(records_.graphs())));
      }
    }
  }

  void write_relevant() const {
    if (records_.relevant.empty()) return;
    std::vector<std::string> names;
    for (const RelevantNodes& relevant : records_.relevant) names.push_back(relevant.target);
    write_names("relevant_targets", names);
    write_table("relevant_nodes", static_cast<std::size_t>(records_.nodes()), names.size(),
                [&](TextWriter& file, std::size_t row, std::size_t column) {
                  file.print("{}", records_.relevant[column].nodes[row] != 0 ? 1 : 0);
                });
  }

  const Records& records_;
  std::string path_;
  std::string name_;
  std::vector<const Target*> labels_;
};

}  // namespace

void write_tu(const Records& records, const std::string& path) {
  const TuWriter writer(records, path);
  writer.check();
  writer.write();
}

}  // namespace dotin::io
