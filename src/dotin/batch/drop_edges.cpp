#include "dotin/batch/drop_edges.h"

#include <cmath>

#include "dotin/core/random.h"

namespace dotin::batch {

namespace {

/// 1 for the entries that stay, both directions of an edge alike.
std::vector<uint8_t> draw(const Batch& batch, double share, uint64_t key) {
  std::vector<uint8_t> stays(batch.neighbours.size(), 1);
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    const int32_t begin = batch.row_offsets[batch.node_offsets[g]], end = batch.row_offsets[batch.node_offsets[g + 1]];
    std::vector<int32_t> edges;  // one entry of each
    for (int32_t e = begin; e < end; ++e) {
      if (e < batch.reverse[e]) edges.push_back(e);
    }
    core::Rng({key, static_cast<uint64_t>(batch.graph_index[g])}).shuffle(edges);
    // The share is decimal, the product is not: 100 * 0.29 is 28.999...96 and means 29.
    const auto leaving = static_cast<std::size_t>(std::floor(static_cast<double>(edges.size()) * share + 1e-9));
    for (std::size_t i = 0; i < leaving; ++i) stays[edges[i]] = stays[batch.reverse[edges[i]]] = 0;
  }
  return stays;
}

}  // namespace

Batch drop_edges(const Batch& batch, double share, uint64_t key) {
  const std::vector<uint8_t> stays = draw(batch, share, key);
  Batch result = batch;
  result.row_offsets.assign(1, 0);
  result.neighbours.clear();
  std::vector<int32_t> new_entry(stays.size(), -1);
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) {
      if (!stays[e]) continue;
      new_entry[e] = result.directed_edges();
      result.neighbours.push_back(batch.neighbours[e]);
    }
    result.row_offsets.push_back(result.directed_edges());
  }
  result.reverse.clear();
  for (std::size_t e = 0; e < stays.size(); ++e) {
    if (stays[e]) result.reverse.push_back(new_entry[static_cast<std::size_t>(batch.reverse[e])]);
  }
  return result;
}

}  // namespace dotin::batch
