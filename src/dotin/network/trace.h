// What happened in a layer.
#pragma once

#include <cstdint>
#include <vector>

namespace dotin::network {

/// What happened in one layer, for explanations and tests. Indices are raw nodes of the batch as they entered the
/// layer.
struct LayerTrace {
  std::vector<int64_t> raw_offsets;     // graphs + 1
  std::vector<double> logits;           // what decided the drop, if anything did
  std::vector<double> logits_by_task;   // raw nodes x K, before smoothing; empty without virtual nodes
  std::vector<uint8_t> keep;            // all 1 where nothing was dropped
  std::vector<int64_t> new_raw_of_raw;  // raw node after the layer that is or holds it; -1: gone
};

}  // namespace dotin::network
