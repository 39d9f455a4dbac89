// What the nodes of a batch have of themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::batch {

/// The feature columns that tell of a node itself. Colours and counts of neighbours tell of other nodes, too.
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
