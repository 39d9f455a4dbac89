// A dataset for the tests of tasks, training and explanations: small, with targets of every kind.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dotin/data/dataset.h"
#include "support/expect.h"

namespace dotin::testing {

/// Graphs that differ in a way a small model learns: rings of 5 to 8 nodes (label -1) and paths of as many (label 1),
/// alternating, with node labels C, N and O and one attribute. Graph 3 is a single node. Targets: "label"; "kind" (the
/// same as text, "ring" and "path"); "attributes" (the number of nodes, of edges); "tox" (two columns of 0, 1 or
/// nothing); graph 4 has none of them.
io::Records small_records(int64_t graphs);
std::shared_ptr<const data::Dataset> small_dataset(int64_t graphs);

/// The same graphs without labels and attributes.
std::shared_ptr<const data::Dataset> featureless_dataset(int64_t graphs);

/// One node a graph and these targets.
std::shared_ptr<const data::Dataset> dataset_with(std::vector<io::Target> targets);

}  // namespace dotin::testing
