// DropEdge (Rong et al. 2020): graphs that lose some edges, to train on.
#pragma once

#include "dotin/batch/batch.h"

namespace dotin::batch {

/// The batch without floor(share E) of each graph's E edges, drawn by (key, graph). Nodes, features and targets stay.
Batch drop_edges(const Batch& batch, double share, uint64_t key);

}  // namespace dotin::batch
