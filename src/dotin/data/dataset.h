// A dataset: many graphs in a few flat arrays, owned or mapped from a packed file, and cheap views of some of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dotin/core/array.h"
#include "dotin/io/records.h"
#include "dotin/options.h"

namespace dotin::data {

/// One graph, seen where it lies in the dataset. Neighbours are sorted, stored in both directions and numbered from 0
/// within the graph; self-loops are not stored (the method gives every node one).
struct GraphView {
  int64_t index = 0;                      // in the dataset
  int64_t first_node = 0;                 // of the dataset's numbering
  int32_t nodes = 0;                      // raw nodes: virtual nodes are never stored
  core::Span<const int64_t> row_offsets;  // nodes + 1, into the dataset's neighbours
  const int32_t* all_neighbours = nullptr;

  core::Span<const int32_t> neighbours(int32_t node) const {
    return {all_neighbours + row_offsets[node], static_cast<std::size_t>(row_offsets[node + 1] - row_offsets[node])};
  }
  int32_t degree(int32_t node) const { return static_cast<int32_t>(row_offsets[node + 1] - row_offsets[node]); }
  /// Stored entries: twice the undirected edges.
  int64_t directed_edges() const { return row_offsets[nodes] - row_offsets[0]; }
};

/// Number of raw nodes of a graph.
inline int64_t node_count(const GraphView& graph) { return graph.nodes; }

struct Dataset {
  std::string name;
  std::string source;                 // the path that it was opened from; empty if it is of no file
  core::Array<int64_t> node_offsets;  // graphs + 1
  core::Array<int64_t> row_offsets;   // nodes + 1
  core::Array<int32_t> neighbours;    // local to the graph, sorted within a row
  std::vector<io::LabelColumn> node_labels;
  io::FloatTable node_attributes;
  std::vector<io::LabelColumn> edge_labels;  // aligned with neighbours
  io::FloatTable edge_attributes;            // aligned with neighbours
  std::vector<io::Target> targets;
  std::vector<io::RelevantNodes> relevant;
  std::vector<std::string> graph_ids;

  int64_t self_loops = 0;       // in the source, left out here
  int64_t duplicate_edges = 0;  // in the source, merged here

  int64_t graphs() const { return static_cast<int64_t>(node_offsets.size()) - 1; }
  int64_t nodes() const { return node_offsets.empty() ? 0 : node_offsets.back(); }
  int64_t directed_edges() const { return static_cast<int64_t>(neighbours.size()); }
  GraphView graph(int64_t index) const;
  /// What messages about it begin with.
  const std::string& place() const { return source.empty() ? name : source; }

  /// The target of that name, or an error that lists those there are.
  const io::Target& target(const std::string& name) const;
};

/// Throws core::Error unless the graph is as build_dataset makes them: row offsets that rise, neighbours in range,
/// sorted, no self-loops, every edge in both directions, label codes that have a value. A packed file is mapped, not
/// read, when it is opened: whatever walks the graphs of a dataset that may come from one calls this first. Linear.
void validate_graph(const Dataset& dataset, int64_t graph);

/// The distinct values of a single-column target, sorted, and each graph's index among them (-1 where missing).
struct Classes {
  std::vector<std::string> names;  // original values: "-1", "1", or text
  std::vector<int32_t> of_graph;
  int64_t count() const { return static_cast<int64_t>(names.size()); }
};
Classes classes_of(const io::Target& target);

/// Some graphs of a dataset, in an order.
class View {
 public:
  explicit View(std::shared_ptr<const Dataset> dataset);  // all graphs
  View(std::shared_ptr<const Dataset> dataset, std::vector<int64_t> indices);

  int64_t size() const { return static_cast<int64_t>(indices_.size()); }
  GraphView get(int64_t i) const { return dataset_->graph(indices_[static_cast<std::size_t>(i)]); }
  const std::vector<int64_t>& indices() const { return indices_; }
  const Dataset& dataset() const { return *dataset_; }
  const std::shared_ptr<const Dataset>& shared() const { return dataset_; }
  /// The graphs at these positions of this view.
  View subset(const std::vector<int64_t>& positions) const;

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::vector<int64_t> indices_;
};

using DuplicatePolicy = Duplicates;

/// Records -> dataset: both directions of every edge, rows sorted, self-loops taken out, duplicates by policy.
/// An edge listed once in each direction is one edge, no duplicate. Where the two directions or merged duplicates carry
/// different labels or attributes, the first listed wins. With `keep`, an edge listed m times in one direction is
/// stored m times in both. With `error`, a duplicate is a core::Error naming the two nodes. Consumes the records to
/// keep memory low.
Dataset build_dataset(io::Records records, DuplicatePolicy duplicates);

}  // namespace dotin::data
