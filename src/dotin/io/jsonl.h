// One's own data as JSON Lines: one graph a line (docs/formats.md).
#pragma once

#include <string>

#include "dotin/io/limits.h"
#include "dotin/io/problem.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// Reads a .jsonl file, a graph a line:
///   {"edges": [[0,1],[1,2]], "nodes": 3, "x": [[0.1],[0.2],[0.3]], "node_labels": [6,6,8], "edge_attr": [[1.0],[2.0]],
///    "edge_labels": [1,2], "y": 1, "targets": {"logp": 0.3, "tox": [0,1,null]}, "relevant": {"label": [0,2]}, "id":
///    "aspirin"}
/// Only "edges" must be there. Node count: "nodes", else the length of x or node_labels, else 1 + the largest id in
/// edges. node_labels: numbers or text, one per node, or a list of them per node for several columns. y becomes the
/// target "label" (a number, text, or a list of numbers); each entry of targets a target of its name; null or an absent
/// key is a missing value. Text values become class names. Unknown keys are reported. Blank lines are skipped. A field
/// must have the same width and kind in every graph that has it; x, node_labels, edge_attr and edge_labels must be in
/// all graphs or none. A graph with a problem is left out where the sink lets the reader go on. Targets come in
/// the order of first appearance; within a graph y comes first, the others by name.
Records read_jsonl(const std::string& path, const Limits& limits, ProblemSink& problems);

/// Writes what read_jsonl reads back. Atomic: a temporary name, then a rename.
void write_jsonl(const Records& records, const std::string& path);

}  // namespace dotin::io
