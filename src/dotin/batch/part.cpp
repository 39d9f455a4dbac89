#include "dotin/batch/part.h"

#include <algorithm>

#include "dotin/core/error.h"

namespace dotin::batch {

namespace {

template <class Value>
std::vector<Value> rows_of(const std::vector<Value>& rows, int64_t width, const std::vector<uint8_t>& keep) {
  std::vector<Value> result;
  for (std::size_t i = 0; i < keep.size() && width > 0; ++i) {
    const auto first = rows.begin() + static_cast<int64_t>(i) * width;
    if (keep[i] != 0) result.insert(result.end(), first, first + width);
  }
  return result;
}

/// The first columns of rows that have `width`.
template <class Value>
std::vector<Value> columns_of(const std::vector<Value>& rows, int64_t width, int64_t wanted) {
  std::vector<Value> result;
  for (std::size_t at = 0; at < rows.size() && wanted > 0; at += static_cast<std::size_t>(width)) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(at);
    result.insert(result.end(), first, first + wanted);
  }
  return result;
}

}  // namespace

Batch part_of(const Batch& batch, const std::vector<uint8_t>& keep) {
  DOTIN_ASSERT(static_cast<int64_t>(keep.size()) == batch.nodes());
  Batch part;
  part.graph_index = batch.graph_index;
  part.anchors = batch.anchors;
  part.targets = batch.targets;
  part.codes_per_node = batch.codes_per_node;
  part.dense_width = batch.dense_width;
  part.codes = rows_of(batch.codes, batch.codes_per_node, keep);
  part.dense = rows_of(batch.dense, batch.dense_width, keep);

  std::vector<int32_t> number(keep.size(), -1);
  part.node_offsets.push_back(0);
  int32_t nodes = 0;
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    for (int32_t i = batch.node_offsets[g]; i < batch.node_offsets[g + 1]; ++i) {
      if (keep[i] != 0) number[i] = nodes++;
    }
    part.node_offsets.push_back(nodes);
  }
  std::vector<int32_t> new_entry(batch.neighbours.size(), -1);
  part.row_offsets.push_back(0);
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    if (keep[i] == 0) continue;
    for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) {
      const int32_t neighbour = number[batch.neighbours[e]];
      if (neighbour < 0) continue;
      new_entry[e] = part.directed_edges();
      part.neighbours.push_back(neighbour);
    }
    part.row_offsets.push_back(part.directed_edges());
  }
  for (std::size_t e = 0; e < new_entry.size(); ++e) {
    if (new_entry[e] >= 0) part.reverse.push_back(new_entry[static_cast<std::size_t>(batch.reverse[e])]);
  }
  return part;
}

OwnColumns own_columns(const data::FeatureMap& features) {
  OwnColumns columns;
  columns.skipped = features.neighbour_counts ? static_cast<int32_t>(features.label_values()) : 0;
  columns.dense = static_cast<int32_t>(features.dense_width()) - columns.skipped;
  columns.width = columns.dense;
  for (const data::FeatureMap::Block& block : features.blocks) {
    if (block.kind == data::BlockKind::neighbours) break;  // the last, where there are any
    columns.width += static_cast<int32_t>(block.width());
    ++columns.blocks;
  }
  return columns;
}

Batch with_own_columns(const Batch& batch, const OwnColumns& columns) {
  Batch own = batch;
  if (columns.dense < batch.dense_width) own.dense = columns_of(batch.dense, batch.dense_width, columns.dense);
  if (columns.blocks < batch.codes_per_node) own.codes = columns_of(batch.codes, batch.codes_per_node, columns.blocks);
  own.dense_width = columns.dense;
  own.codes_per_node = columns.blocks;
  for (int32_t& code : own.codes) {
    if (code >= 0) code -= columns.skipped;
  }
  return own;
}

}  // namespace dotin::batch
