// Facts about a dataset that a user should know before trusting a score: sizes, and graphs that are copies of one
// another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/data/dataset.h"

namespace dotin::data {

struct Summary {
  std::string name;
  int64_t graphs = 0, nodes = 0, directed_edges = 0;
  double avg_nodes = 0, avg_edges = 0;  // undirected edges
  int64_t min_nodes = 0, max_nodes = 0, max_degree = 0;
  int64_t isolated_nodes = 0, graphs_without_edges = 0;
  int64_t self_loops = 0, duplicate_edges = 0;
  std::vector<std::string> class_names;  // of the target "label", where it has text or whole numbers
  std::vector<int64_t> class_sizes;
  std::vector<int64_t> label_values;  // distinct values per node label column
  int64_t attribute_columns = 0, edge_label_columns = 0, edge_attribute_columns = 0;
  int64_t node_features = 0;  // F with default feature options
  std::vector<std::string> targets;
};
Summary summarize(const Dataset& dataset);

/// A hash that is equal for isomorphic graphs with equal node labels and attributes (edge labels and attributes, which
/// no model sees, do not count), and hardly ever for others (Weisfeiler-Lehman, `rounds` rounds; graphs that 1-WL
/// cannot tell apart, such as regular ones of the same size, collide).
uint64_t weisfeiler_lehman_hash(const Dataset& dataset, const GraphView& graph, int rounds);

struct DuplicateReport {
  int64_t groups = 0;       // sets of equal graphs with at least two members
  int64_t graphs = 0;       // graphs in those sets
  int64_t conflicting = 0;  // graphs in sets whose members carry different labels
  int64_t straddling = 0;   // test graphs, summed over the folds, with an equal graph outside their fold
  int64_t folds = 0;        // as asked, or as many as there are graphs; 0 where that is below 2
  std::vector<std::vector<int64_t>> examples;  // the first few sets
};
/// Equal by Weisfeiler-Lehman hash. folds: of the seeded stratified split (classes of the target "label", or none).
/// Throws core::Error where a packed dataset turns out damaged.
DuplicateReport find_duplicates(const Dataset& dataset, int64_t folds, uint64_t seed);

}  // namespace dotin::data
