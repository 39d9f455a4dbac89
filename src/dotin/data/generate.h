// Seeded generated datasets whose truth is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/progress.h"
#include "dotin/io/records.h"

namespace dotin::data {

struct GenerateOptions {
  int64_t graphs = 1000;
  int64_t nodes = 60;  // average; each graph draws its own from [nodes/2, 3 nodes/2], narrower where that is too few
  double degree = 4;   // average degree of the irrelevant part (grid: ignored)
  int32_t labels = 8;  // labels of irrelevant nodes: 0 .. labels-1
  int32_t tasks = 1;   // 1 or 2 (motif): the second target, "label2", depends on other nodes
  uint64_t seed = 0;
};

/// The kinds that generate() knows.
std::vector<std::string> generated_kinds();

/// Graphs with one node label and the target "label", 0 or 1, with as many graphs of each (one more where the number is
/// odd). Node order is shuffled. Graph g depends on the kind, the options and g alone, so the first graphs of a larger
/// dataset are those of a smaller one. Takes time linear in nodes and edges (times the logarithm, for a sort).
///
/// motif: a connected random graph of irrelevant nodes. Hidden in it are four nodes with the rare label `labels`, each
/// also tied to the rest by one or two edges. The class is how the four are joined: in a ring (0) or in two pairs (1).
/// Labels, the number of edges and the ties to the rest do not tell the classes apart, and the four play the same
/// part: there is no other place to read the class from, and no reason to keep some of them and drop others. With two
/// tasks another four with the label labels + 1 decide the target "label2", independently. Needs degree >= 2.5.
///
/// random: graphs with uniformly drawn edges (Erdos-Renyi) whose average degree lies between degree/2 and 3 degree/2;
/// the class is 1 where it is above `degree`. No single node matters, so there is no truth to store.
///
/// grid: a w x h grid of at least 4 x 4 nodes, four of which carry the rare label `labels`: in a straight line (0) or
/// in the shape of a T (1), anywhere and turned any way. Either way the marked nodes are joined by three edges.
///
/// The planted nodes of motif and grid are stored as records.relevant, one entry per target.
/// Unknown kinds and impossible options: core::UsageError.
io::Records generate(const std::string& kind, const GenerateOptions& options, core::Progress& progress);

}  // namespace dotin::data
