// Graphs without some of their nodes.
#pragma once

#include <vector>

#include "dotin/data/dataset.h"

namespace dotin::data {

/// Each graph of the view with only the nodes whose flag is 1, and the edges between them: keep[i][v] is of node v of
/// view.get(i). Nodes keep their order, labels and attributes; edge labels, targets, planted nodes and ids stay behind.
/// core::Error where a graph would have no node left.
Dataset induced_subgraphs(const View& view, const std::vector<std::vector<uint8_t>>& keep);

}  // namespace dotin::data
