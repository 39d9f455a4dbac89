// The TU collection's layout: NAME_A.txt, NAME_graph_indicator.txt and up to six more, in a folder or a zip.
#pragma once

#include <string>

#include "dotin/io/limits.h"
#include "dotin/io/problem.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// Reads a TU folder or zip. Files are streamed: the text is never in memory as a whole.
///
/// Accepted: entries such as NAME//NAME_A.txt or deeper in the zip, CRLF, blanks round commas, no last newline, other
/// files beside the wanted ones, any integer labels, several label columns. Node labels, edge labels and graph labels
/// keep their original values. A graph without edges and isolated nodes are fine. Reported to the sink: everything else
/// (see tests/io/tu_bad_input_test.cpp for the list), with file:line. Throws core::Error where going on makes no sense
/// (no *_A.txt, unreadable zip), whatever the sink.
Records read_tu(const std::string& path, const Limits& limits, ProblemSink& problems);

/// Writes a TU folder: path/NAME_A.txt and so on, NAME being the last part of path. Planted truth goes to
/// NAME_relevant_nodes.txt (one 0/1 column per target, in the order of relevant; the names to
/// NAME_relevant_targets.txt), which read_tu reads back.
void write_tu(const Records& records, const std::string& path);

}  // namespace dotin::io
