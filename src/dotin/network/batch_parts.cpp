#include "dotin/network/batch_parts.h"

#include <algorithm>
#include <numeric>

namespace dotin::network {

namespace {

/// Nodes and entries of the adjacency.
int64_t work_of(const batch::Batch& batch, int32_t graph) {
  const int32_t first = batch.node_offsets[graph], last = batch.node_offsets[graph + 1];
  return last - first + batch.row_offsets[last] - batch.row_offsets[first];
}

/// The largest graph first, each to the part that has least so far.
std::vector<std::vector<int32_t>> share_graphs(const batch::Batch& batch, int64_t parts) {
  std::vector<int32_t> order(static_cast<std::size_t>(batch.graphs()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return work_of(batch, a) > work_of(batch, b); });
  std::vector<std::vector<int32_t>> shares(static_cast<std::size_t>(parts));
  std::vector<int64_t> load(shares.size(), 0);
  for (const int32_t graph : order) {
    const auto least = std::min_element(load.begin(), load.end()) - load.begin();
    shares[least].push_back(graph);
    load[least] += work_of(batch, graph);
  }
  for (std::vector<int32_t>& share : shares) std::sort(share.begin(), share.end());
  return shares;
}

/// Numbers first to last (not included) of from, shifted, behind those of to.
void append_shifted(const std::vector<int32_t>& from, int32_t first, int32_t last, int32_t shift,
                    std::vector<int32_t>& to) {
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(last - first));
  std::transform(from.begin() + first, from.begin() + last, to.begin() + static_cast<std::ptrdiff_t>(before),
                 [shift](int32_t number) { return number + shift; });
}

BatchPart part_of(const batch::Batch& batch, std::vector<int32_t> graphs) {
  BatchPart part;
  part.level.node_offsets.push_back(0);
  part.level.row_offsets.push_back(0);
  for (const int32_t graph : graphs) {
    const int32_t first = batch.node_offsets[graph], last = batch.node_offsets[graph + 1];
    const int32_t first_entry = batch.row_offsets[first], last_entry = batch.row_offsets[last];
    const int32_t node_shift = part.level.node_offsets.back() - first;
    const int32_t entry_shift = part.level.row_offsets.back() - first_entry;
    append_shifted(batch.row_offsets, first + 1, last + 1, entry_shift, part.level.row_offsets);
    append_shifted(batch.neighbours, first_entry, last_entry, node_shift, part.level.columns);
    part.level.node_offsets.push_back(last + node_shift);
  }
  part.graphs = std::move(graphs);
  return part;
}

void append_features(const batch::Batch& batch, int32_t graph, SplitBatch& split) {
  const int64_t first = batch.node_offsets[graph], last = batch.node_offsets[graph + 1];
  split.codes.insert(split.codes.end(), batch.codes.begin() + first * batch.codes_per_node,
                     batch.codes.begin() + last * batch.codes_per_node);
  split.dense.insert(split.dense.end(), batch.dense.begin() + first * batch.dense_width,
                     batch.dense.begin() + last * batch.dense_width);
}

}  // namespace

SplitBatch split_batch(const batch::Batch& batch, int64_t parts) {
  const int64_t count = std::max<int64_t>(1, std::min<int64_t>(parts, batch.graphs()));
  SplitBatch split;
  split.codes.reserve(batch.codes.size());
  split.dense.reserve(batch.dense.size());
  for (std::vector<int32_t>& graphs : share_graphs(batch, count)) {
    for (const int32_t graph : graphs) append_features(batch, graph, split);
    split.parts.push_back(part_of(batch, std::move(graphs)));
  }
  return split;
}

}  // namespace dotin::network
