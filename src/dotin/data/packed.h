// The packed form of a dataset: one safetensors file, memory-mapped, open in milliseconds whatever its size
// (docs/formats.md).
#pragma once

#include <memory>
#include <string>

#include "dotin/data/dataset.h"

namespace dotin::data {

/// Tensors (N nodes, E stored neighbours, G graphs): node_offsets I64 [G+1], row_offsets I64 [N+1], neighbours I32 [E],
/// and where the dataset has them node_labels.<i> I32 [N], edge_labels.<i> I32 [E], node_attributes F32 [N,A],
/// edge_attributes F32 [E,A], targets.<i> F64 [G,width], relevant.<i> U8 [N], graph_ids U8 (all ids in one) with
/// graph_id_offsets I64 [G+1]. The metadata key dotin_data is a JSON object: version, name, node_labels and edge_labels
/// (name, values), targets (name, width, class_names), relevant (target names), self_loops, duplicate_edges. Written
/// atomically; core::Error where a name is not UTF-8.
void write_packed(const Dataset& dataset, const std::string& path);

/// Maps the file; checks names, types, shapes and that offsets rise from graph to graph, but leaves what is inside the
/// graphs unread: build_batch checks it as it goes, everybody else calls validate_graph. core::Error that says what is
/// damaged, or that the file is of a newer version.
Dataset open_packed(const std::string& path);

}  // namespace dotin::data
