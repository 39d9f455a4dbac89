// The TU collection's layout: NAME_A.txt, NAME_graph_indicator.txt and up to six more, in a folder or a zip.
#pragma once

#include <string>

#include "dotin/io/limits.h"
#include "dotin/io/problem.h"
#include "dotin/io/records.h"

namespace dotin::io {

/// Reads a TU folder or zip. Files are streamed: the text is never in memory as a whole.
///
/// Read: A and graph_indicator, which must be there, and graph_labels, graph_attributes, node_labels, node_attributes,
/// edge_labels and edge_attributes where they are. They stand beside the one *_A.txt, which may be some folders down.
///
/// Accepted: entries such as NAME//NAME_A.txt or deeper in the zip, CRLF, blanks round commas, blank lines at the end,
/// no last newline, a UTF-8 byte order mark, other files beside the wanted ones, any integer labels (also as 1.0),
/// several label columns. Node labels, edge labels and graph labels
/// keep their original values. A graph without edges and isolated nodes are fine. Reported to the sink: everything else
/// (see tests/io/tu_bad_input_test.cpp for the list), with file:line. Throws core::Error where going on makes no sense
/// (no *_A.txt, unreadable zip), whatever the sink.
Records read_tu(const std::string& path, const Limits& limits, ProblemSink& problems);

/// Whether a dataset is there and its bytes are whole, without a look at what they say: core::Error for what is no zip
/// or folder of one dataset, is beyond the limits, or has a file that is damaged.
void check_tu(const std::string& path, const Limits& limits);

/// Writes a TU folder: path/NAME_A.txt and so on, NAME being the last part of path. Edges are listed in both
/// directions, as other readers expect: behind one whose mirror is not in the records comes the mirror. Integer targets
/// become columns of graph_labels (with NAME_graph_label_targets.txt, a name a line, where they have other names than
/// read_tu gives), the target "attributes" becomes graph_attributes. Planted truth goes to NAME_relevant_nodes.txt (one
/// 0/1 column per target, in the order of relevant; the names to NAME_relevant_targets.txt). read_tu reads all of it
/// back. Names of label columns and graph ids have no place in the layout and are left out; for anything else it has no
/// place for (text labels, class names, missing values, no edges at all) a core::Error says so and nothing is written.
void write_tu(const Records& records, const std::string& path);

}  // namespace dotin::io
