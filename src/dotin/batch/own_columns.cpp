#include "dotin/batch/own_columns.h"

namespace dotin::batch {

namespace {

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
