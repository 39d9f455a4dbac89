// The graph between two layers, written out plainly: every edge, virtual nodes and self-loops included, as one CSR
// matrix of weights.
//
// This is the readable definition of steps 2, 5 and 6 of the method (docs/method.md). Nothing here has a gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/kernels/level.h"

namespace dotin::ops::reference {

/// Rows are all virtual nodes first (graph by graph, K each), then all raw nodes (graph by graph). Columns of a row are
/// sorted.
struct Structure {
  int64_t graphs = 0;
  int64_t tasks = 0;                 // K
  std::vector<int64_t> raw_offsets;  // graphs + 1: raw nodes of graph g are [raw_offsets[g], raw_offsets[g + 1])
  std::vector<int64_t> row_offsets;  // rows + 1
  std::vector<int64_t> columns;
  std::vector<double> weights;

  int64_t virtual_rows() const { return graphs * tasks; }
  int64_t raw_nodes() const { return raw_offsets.back(); }
  int64_t rows() const { return virtual_rows() + raw_nodes(); }
  int64_t edges() const { return static_cast<int64_t>(columns.size()); }
  std::vector<int64_t> graph_of_row() const;
};

/// Raw edges, a self-loop on every node, each virtual node joined with every raw node of its graph; all weights 1.
Structure structure_of(const batch::Batch& batch, int64_t tasks);

/// How weights of edges to a merged node are formed (docs/method.md).
using kernels::EdgeWeights;

/// What a drop does to the rows. `source` tells each new row where it comes from: an old row, or old rows + m for the
/// m-th merged node.
struct Coarsening {
  Structure structure;
  std::vector<int64_t> source;          // per new row
  std::vector<int64_t> dropped_rows;    // old rows that left
  std::vector<int64_t> merged_into;     // per dropped row: its merged node m, or -1 without merging
  int64_t merged_nodes = 0;             // at most one per graph
  std::vector<int64_t> new_raw_of_raw;  // old raw node -> the new raw node that is or holds it, -1 if it is gone
};

/// Drops the raw nodes with keep[i] == 0. A graph that drops nothing gets no merged node; its merged node comes after
/// its kept ones.
Coarsening coarsen(const Structure& structure, const std::vector<uint8_t>& keep, bool merge, EdgeWeights edge_weights);

}  // namespace dotin::ops::reference
