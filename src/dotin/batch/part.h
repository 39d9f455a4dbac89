// Parts of a batch: some nodes of each graph, and what they have of themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::batch {

/// The subgraphs that the nodes with keep[i] != 0 induce, in the same order. A graph may be left without nodes.
Batch part_of(const Batch& batch, const std::vector<uint8_t>& keep);

/// The feature columns that tell of a node itself. Colours and counts of neighbours tell of nodes that a part may not
/// have.
struct OwnColumns {
  int32_t dense = 0;    // the first dense columns
  int32_t skipped = 0;  // dense columns after them
  int32_t blocks = 0;   // the first one-hot blocks
  int32_t width = 0;    // all of them
};

OwnColumns own_columns(const data::FeatureMap& features);

/// The batch with these columns alone, numbered from 0.
Batch with_own_columns(const Batch& batch, const OwnColumns& columns);

}  // namespace dotin::batch
