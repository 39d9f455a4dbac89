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
  int64_t nodes = 0;   // average, or 0 for what the kind has by default; each graph draws its own from [nodes/2,
                       // 3 nodes/2], narrower where that is too few
  double degree = 4;   // average degree of the irrelevant part
  int32_t labels = 8;  // labels of irrelevant nodes: 0 .. labels-1; a rare label is the next one
  int32_t tasks = 1;   // 1 or 2 (motif): the second target, "label2", depends on other nodes
  int32_t radius = 0;  // hops round the centre (surroundings): 1 to 3, or 0 to draw it from the seed
  uint64_t seed = 0;
};

/// One kind, in a line each.
struct GeneratedKind {
  std::string name;
  std::string decides;  // the class: what is so in class 0, and what in class 1
  std::string truth;    // the nodes stored as records.relevant; empty where every node counts a little
  std::string same;     // what does not tell the classes apart
  int64_t nodes;        // average, by default
};

/// The kinds that generate() knows.
std::vector<std::string> generated_kinds();
std::vector<GeneratedKind> described_kinds();

/// Graphs with the target "label", 0 or 1, with as many graphs of each (one more where the number is odd). Node order
/// is shuffled. Graph g depends on the kind, the options and g alone, so the first graphs of a larger dataset are those
/// of a smaller one. Takes time linear in nodes and edges (times the logarithm, for a sort). What decides the class in
/// each kind, described_kinds() says; the nodes that do are stored as records.relevant, one entry per target.
///
/// Of a planted pattern all nodes play a part, and nothing else tells the class: there is no other place to read it
/// from. Where the classes differ in the edges among planted nodes, other edges make up for it. The irrelevant part is
/// a connected random graph with labels drawn uniformly (degree >= 2.5), except in
/// - random: uniformly drawn edges (Erdos-Renyi), whose average degree lies between degree/2 and 3 degree/2;
/// - grid: a w x h grid of at least 4 x 4 nodes; line and T lie anywhere, turned any way;
/// - house: a tree grown by preferential attachment (Barabasi-Albert) with up to two triangles, in either class;
/// - surroundings: as molecules are: chains that branch and a few rings, at most four edges a node, each label half as
///   frequent as the one before. The two trees depend on the seed, radius and labels. The centre has four edges, and
///   only the tree's outermost nodes are tied to the rest, in which neither tree is to be found round any node.
///
/// product has a node attribute besides the label: +-1 times a number from [0.5, 1.5]. edges has edge labels. house has
/// neither labels nor attributes.
/// Unknown kinds, impossible options and options that the kind does not have: core::UsageError.
io::Records generate(const std::string& kind, const GenerateOptions& options, core::Progress& progress);

}  // namespace dotin::data
