// A batch cut into parts, one per thread: no graph needs another, so that threads meet only at the end of a pass.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/kernels/level.h"

namespace dotin::network {

/// Some graphs of a batch, numbered from 0 among themselves.
struct BatchPart {
  std::vector<int32_t> graphs;  // their numbers in the batch, ascending
  kernels::Level level;
};

/// Parts, and the features of their nodes, one part after the other.
struct SplitBatch {
  std::vector<BatchPart> parts;
  std::vector<int32_t> codes;
  std::vector<float> dense;
};

/// So many parts of about equal work, or one for each graph where there are fewer.
SplitBatch split_batch(const batch::Batch& batch, int64_t parts);

}  // namespace dotin::network
