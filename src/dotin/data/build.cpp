// Records -> dataset in linear time: counting sorts only, and each array of the records is freed once it is used.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "dotin/core/error.h"
#include "dotin/data/dataset.h"

namespace dotin::data {

namespace {

/// Listed edges by row. entry[i] is the place in the list that neighbour[i] came from; it is kept only where labels or
/// attributes hang on the edges. Every step is stable, so equal neighbours stay in the order they were listed.
struct Rows {
  std::vector<int64_t> offsets;
  std::vector<int32_t> neighbour;
  std::vector<uint32_t> entry;
};

std::vector<int64_t> offsets_of(const std::vector<int32_t>& rows, int64_t nodes) {
  std::vector<int64_t> offsets(static_cast<std::size_t>(nodes) + 1, 0);
  for (const int32_t row : rows) ++offsets[static_cast<std::size_t>(row) + 1];
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

/// Filling rows leaves offsets[i] at the end of row i: shift them back by one.
void rewind(std::vector<int64_t>& offsets) {
  std::copy_backward(offsets.begin(), offsets.end() - 1, offsets.end());
  offsets.front() = 0;
}

Rows rows_of_list(std::vector<int32_t> from, std::vector<int32_t> to, int64_t nodes, bool with_entries) {
  Rows rows;
  rows.offsets = offsets_of(from, nodes);
  if (std::is_sorted(from.begin(), from.end())) {  // as most files are: the list is the rows already
    rows.neighbour = std::move(to);
    if (with_entries) rows.entry.resize(from.size());
    std::iota(rows.entry.begin(), rows.entry.end(), uint32_t{0});
    return rows;
  }
  rows.neighbour.resize(from.size());
  if (with_entries) rows.entry.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto place = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(from[i])]++);
    rows.neighbour[place] = to[i];
    if (with_entries) rows.entry[place] = static_cast<uint32_t>(i);
  }
  rewind(rows.offsets);
  return rows;
}

/// Rows are visited in order, so those of the result come out sorted.
Rows transpose(const Rows& rows) {
  const bool with_entries = !rows.entry.empty();
  Rows result;
  result.offsets = offsets_of(rows.neighbour, static_cast<int64_t>(rows.offsets.size()) - 1);
  result.neighbour.resize(rows.neighbour.size());
  if (with_entries) result.entry.resize(rows.entry.size());
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    for (auto i = static_cast<std::size_t>(rows.offsets[row]); i < static_cast<std::size_t>(rows.offsets[row + 1]);
         ++i) {
      const auto place = static_cast<std::size_t>(result.offsets[static_cast<std::size_t>(rows.neighbour[i])]++);
      result.neighbour[place] = static_cast<int32_t>(row);
      if (with_entries) result.entry[place] = rows.entry[i];
    }
  }
  rewind(result.offsets);
  return result;
}

bool is_sorted(const Rows& rows) {
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    if (!std::is_sorted(rows.neighbour.begin() + rows.offsets[row], rows.neighbour.begin() + rows.offsets[row + 1]))
      return false;
  }
  return true;
}

/// True where sorted rows list every neighbour once and no node as its own.
bool is_simple(const Rows& rows) {
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    int32_t previous = -1;
    for (int64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const int32_t neighbour = rows.neighbour[static_cast<std::size_t>(i)];
      if (neighbour == previous || neighbour == static_cast<int32_t>(row)) return false;
      previous = neighbour;
    }
  }
  return true;
}

/// One row's neighbours, each with the number of times it is listed outwards and inwards.
template <class Visit>
void merge_row(const Rows& out, const Rows& in, std::size_t row, Visit visit) {
  auto o = static_cast<std::size_t>(out.offsets[row]);
  auto i = static_cast<std::size_t>(in.offsets[row]);
  const auto o_end = static_cast<std::size_t>(out.offsets[row + 1]);
  const auto i_end = static_cast<std::size_t>(in.offsets[row + 1]);
  while (o < o_end || i < i_end) {
    const int32_t neighbour = i == i_end   ? out.neighbour[o]
                              : o == o_end ? in.neighbour[i]
                                           : std::min(out.neighbour[o], in.neighbour[i]);
    const std::size_t o_first = o, i_first = i;
    while (o < o_end && out.neighbour[o] == neighbour) ++o;
    while (i < i_end && in.neighbour[i] == neighbour) ++i;
    visit(neighbour, o_first, o - o_first, i_first, i - i_first);
  }
}

void check_columns(const io::Records& records) {
  const auto nodes = static_cast<std::size_t>(records.nodes());
  const std::size_t edges = records.edge_from.size();
  const auto graphs = static_cast<std::size_t>(records.graphs());
  DOTIN_ASSERT(records.node_offsets.front() == 0);
  DOTIN_ASSERT(std::is_sorted(records.node_offsets.begin(), records.node_offsets.end()));
  DOTIN_CHECK(records.nodes() < std::numeric_limits<int32_t>::max(), "{}: {} nodes; at most {} are supported",
              records.name, records.nodes(), std::numeric_limits<int32_t>::max() - 1);
  DOTIN_ASSERT(records.edge_to.size() == edges);
  for (const io::LabelColumn& column : records.node_labels) DOTIN_ASSERT(column.codes.size() == nodes);
  for (const io::LabelColumn& column : records.edge_labels) DOTIN_ASSERT(column.codes.size() == edges);
  DOTIN_ASSERT(records.node_attributes.values.size() ==
               nodes * static_cast<std::size_t>(records.node_attributes.columns));
  DOTIN_ASSERT(records.edge_attributes.values.size() ==
               edges * static_cast<std::size_t>(records.edge_attributes.columns));
  for (const io::Target& target : records.targets) {
    DOTIN_ASSERT(target.values.size() == graphs * static_cast<std::size_t>(target.width));
  }
  for (const io::RelevantNodes& relevant : records.relevant) DOTIN_ASSERT(relevant.nodes.size() == nodes);
  DOTIN_ASSERT(records.graph_ids.empty() || records.graph_ids.size() == graphs);

  // Readers promise it, but a broken promise here would write outside the arrays.
  bool in_range = true;
  for (std::size_t e = 0; e < edges; ++e) {
    in_range &=
        static_cast<uint32_t>(records.edge_from[e]) < nodes && static_cast<uint32_t>(records.edge_to[e]) < nodes;
  }
  DOTIN_ASSERT(in_range);
}

/// The structure, and for each stored neighbour the listed edge whose label and attributes it takes.
class Structure {
 public:
  Structure(io::Records& records, DuplicatePolicy policy, bool with_entries)
      : name_(records.name), policy_(policy), node_offsets_(records.node_offsets), with_entries_(with_entries) {
    const int64_t nodes = records.nodes();
    Rows listed =
        rows_of_list(std::exchange(records.edge_from, {}), std::exchange(records.edge_to, {}), nodes, with_entries);
    in_ = transpose(listed);
    if (is_sorted(listed)) {
      out_ = std::move(listed);
    } else {
      listed = Rows();
      out_ = transpose(in_);
    }
    // Most files list every edge once in each direction: then the sorted list is the result, and nothing is merged.
    if (out_.offsets == in_.offsets && out_.neighbour == in_.neighbour && is_simple(out_)) {
      adopt();
    } else {
      count();
      fill();
    }
    out_ = Rows();
    in_ = Rows();
  }

  std::vector<int64_t> row_offsets;
  std::vector<int32_t> neighbours;
  std::vector<uint32_t> entries;
  int64_t self_loops = 0;
  int64_t duplicate_edges = 0;

 private:
  /// Copies of an edge that are stored.
  std::size_t copies(std::size_t outwards, std::size_t inwards) const {
    return policy_ == DuplicatePolicy::keep ? std::max(outwards, inwards) : 1;
  }

  void adopt() {
    for (std::size_t graph = 0; graph + 1 < node_offsets_.size(); ++graph) {
      const int64_t first = node_offsets_[graph], end = node_offsets_[graph + 1];
      const int64_t last_entry = out_.offsets[static_cast<std::size_t>(end)];
      for (int64_t i = out_.offsets[static_cast<std::size_t>(first)]; i < last_entry; ++i) {
        int32_t& neighbour = out_.neighbour[static_cast<std::size_t>(i)];
        DOTIN_ASSERT(neighbour >= first && neighbour < end);
        neighbour -= static_cast<int32_t>(first);
      }
    }
    for (std::size_t i = 0; i < out_.entry.size(); ++i) out_.entry[i] = std::min(out_.entry[i], in_.entry[i]);
    row_offsets = std::move(out_.offsets);
    neighbours = std::move(out_.neighbour);
    entries = std::move(out_.entry);
  }

  void count() {
    row_offsets.assign(out_.offsets.size(), 0);
    for (std::size_t graph = 0; graph + 1 < node_offsets_.size(); ++graph) {
      const int64_t first = node_offsets_[graph], end = node_offsets_[graph + 1];
      for (int64_t node = first; node < end; ++node) {
        std::size_t stored = 0;
        const auto row = static_cast<std::size_t>(node);
        merge_row(out_, in_, row,
                  [&](int32_t other, std::size_t, std::size_t outwards, std::size_t, std::size_t inwards) {
                    DOTIN_ASSERT(other >= first && other < end);
                    if (other == node) {
                      self_loops += static_cast<int64_t>(outwards);
                      return;
                    }
                    const std::size_t listed = std::max(outwards, inwards);
                    if (listed > 1 && other > node) note_duplicate(graph, node - first, other - first, listed);
                    stored += copies(outwards, inwards);
                  });
        row_offsets[row + 1] = row_offsets[row] + static_cast<int64_t>(stored);
      }
    }
  }

  void note_duplicate(std::size_t graph, int64_t a, int64_t b, std::size_t listed) {
    DOTIN_CHECK(policy_ != DuplicatePolicy::error,
                "{}: graph {}: the edge between nodes {} and {} (counted from 0 within the graph) is listed {} times; "
                "remove the copies, or let duplicates be merged or kept",
                name_, graph, a, b, listed);
    if (policy_ == DuplicatePolicy::merge) duplicate_edges += static_cast<int64_t>(listed) - 1;
  }

  void fill() {
    const auto stored = static_cast<std::size_t>(row_offsets.back());
    neighbours.resize(stored);
    if (with_entries_) entries.resize(stored);
    std::size_t next = 0;
    for (std::size_t graph = 0; graph + 1 < node_offsets_.size(); ++graph) {
      const int64_t first = node_offsets_[graph];
      for (int64_t node = first; node < node_offsets_[graph + 1]; ++node) {
        merge_row(out_, in_, static_cast<std::size_t>(node),
                  [&](int32_t other, std::size_t o, std::size_t outwards, std::size_t i, std::size_t inwards) {
                    if (other == node) return;
                    for (std::size_t copy = 0; copy < copies(outwards, inwards); ++copy, ++next) {
                      neighbours[next] = static_cast<int32_t>(other - first);
                      if (with_entries_) entries[next] = first_listed(o, outwards, i, inwards, copy);
                    }
                  });
      }
    }
    DOTIN_ASSERT(next == stored);
  }

  /// The copy-th listing in either direction, whichever came first: the same seen from both ends.
  uint32_t first_listed(std::size_t o, std::size_t outwards, std::size_t i, std::size_t inwards,
                        std::size_t copy) const {
    uint32_t entry = std::numeric_limits<uint32_t>::max();
    if (copy < outwards) entry = std::min(entry, out_.entry[o + copy]);
    if (copy < inwards) entry = std::min(entry, in_.entry[i + copy]);
    return entry;
  }

  const std::string& name_;
  DuplicatePolicy policy_;
  const std::vector<int64_t>& node_offsets_;
  bool with_entries_;
  Rows out_, in_;
};

template <class T>
core::Array<T> gather(const core::Array<T>& values, int64_t columns, const std::vector<uint32_t>& entries) {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<T> result(entries.size() * width);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    std::copy_n(values.data() + entries[e] * width, width, result.data() + e * width);
  }
  return result;
}

}  // namespace

Dataset build_dataset(io::Records records, DuplicatePolicy duplicates) {
  check_columns(records);
  const bool with_entries = !records.edge_labels.empty() || records.edge_attributes.columns > 0;
  DOTIN_CHECK(!with_entries || records.edge_from.size() < std::numeric_limits<uint32_t>::max(),
              "{}: {} edges with labels or attributes; at most {} are supported", records.name,
              records.edge_from.size(), std::numeric_limits<uint32_t>::max() - 1);

  Structure structure(records, duplicates, with_entries);
  Dataset dataset;
  dataset.self_loops = structure.self_loops;
  dataset.duplicate_edges = structure.duplicate_edges;
  dataset.row_offsets = std::move(structure.row_offsets);
  dataset.neighbours = std::move(structure.neighbours);
  for (io::LabelColumn& column : records.edge_labels) column.codes = gather(column.codes, 1, structure.entries);
  io::FloatTable& attributes = records.edge_attributes;
  attributes.values = gather(attributes.values, attributes.columns, structure.entries);
  dataset.edge_labels = std::move(records.edge_labels);
  dataset.edge_attributes = std::move(records.edge_attributes);
  dataset.name = std::move(records.name);
  dataset.node_offsets = std::move(records.node_offsets);
  dataset.node_labels = std::move(records.node_labels);
  dataset.node_attributes = std::move(records.node_attributes);
  dataset.targets = std::move(records.targets);
  dataset.relevant = std::move(records.relevant);
  dataset.graph_ids = std::move(records.graph_ids);
  return dataset;
}

}  // namespace dotin::data
