// Small datasets with a bit of everything, for the tests of this folder.
#pragma once

#include <cstdint>
#include <memory>

#include "dotin/data/dataset.h"

namespace dotin::testing {

/// Graphs of least_nodes to least_nodes + 8 nodes with two label columns, one attribute, the targets "label" and
/// "energy", and edges listed up to three times.
std::shared_ptr<const data::Dataset> random_dataset(uint64_t seed, int64_t graphs, data::DuplicatePolicy duplicates,
                                                    int64_t least_nodes = 1);

}  // namespace dotin::testing
