// One's own data as three CSV files in a folder: edges.csv, nodes.csv, graphs.csv (docs/formats.md).
#pragma once

#include <string>

#include "dotin/io/limits.h"
#include "dotin/io/problem.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// Reads a folder with edges.csv (header: graph,source,target and optionally label, label:NAME or attr:NAME columns),
/// optional nodes.csv (graph,node and optionally label..., attr:NAME columns, relevant:TARGET) and optional graphs.csv
/// (graph, and one column per target; text becomes class names; an empty cell is a missing value). graph and node ids
/// are any text, unique per graph; their order is that of first appearance in graphs.csv, nodes.csv, edges.csv. RFC
/// 4180 quoting, CRLF and blanks round fields accepted. A target column called y or label is the target "label".
Records read_csv(const std::string& folder, const Limits& limits, ProblemSink& problems);

/// True for a folder that holds an edges.csv.
bool is_csv_folder(const std::string& path);

}  // namespace dotin::io
