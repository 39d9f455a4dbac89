// A batch: some graphs as one disjoint union, ready for a model.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/data/dataset.h"
#include "dotin/data/features.h"
#include "dotin/data/triplets.h"

namespace dotin::batch {

/// Disjoint union of graphs. Neither self-loops nor virtual nodes are stored: every node has a self-loop, and each of
/// the K virtual nodes of a graph sees all its nodes, so their edges would only repeat node_offsets.
///
/// With GED triplets the graphs are [anchors | positives | negatives], each third in the same order; otherwise all are
/// anchors.
struct Batch {
  std::vector<int64_t> graph_index;   // per graph: index in the dataset (of its anchor, for edited graphs)
  std::vector<int32_t> node_offsets;  // graphs + 1
  std::vector<int32_t> row_offsets;   // nodes + 1: CSR
  std::vector<int32_t> neighbours;    // sorted within a row, batch-wide node numbers
  /// The transpose, as a permutation: the entry (i, j) at e has its mirror (j, i) at reverse[e]. Structure is
  /// symmetric, values need not be.
  std::vector<int32_t> reverse;
  std::vector<int32_t> codes;  // nodes x codes_per_node, feature columns that are 1 (-1: none)
  std::vector<float> dense;    // nodes x dense_width
  int32_t codes_per_node = 0;
  int32_t dense_width = 0;
  int32_t anchors = 0;
  std::vector<std::vector<double>> targets;  // per requested target: anchors x width, NaN where missing

  int32_t graphs() const { return static_cast<int32_t>(node_offsets.size()) - 1; }
  int32_t nodes() const { return node_offsets.back(); }
  int32_t directed_edges() const { return static_cast<int32_t>(neighbours.size()); }
  bool has_triplets() const { return anchors < graphs(); }
};

struct BuildOptions {
  std::vector<std::string> targets;  // names of the dataset's targets to copy, in this order
  bool triplets = false;
  data::GedOptions ged;
  uint64_t seed = 0;
  /// Triplets depend on (seed, epoch, graph index) alone, not on the batch they are in.
  int64_t epoch = 0;
};

/// Builds the batch of the graphs with these dataset indices. Throws core::Error where a packed dataset turns out
/// damaged (a neighbour out of range, an edge without its mirror).
Batch build_batch(const data::Dataset& dataset, const data::FeatureEncoder& encoder, core::Span<const int64_t> graphs,
                  const BuildOptions& options);

}  // namespace dotin::batch
