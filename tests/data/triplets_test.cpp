#include "dotin/data/triplets.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace dotin::data {
namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;

Dataset one_graph(int32_t nodes, const Edges& edges, DuplicatePolicy duplicates = DuplicatePolicy::merge) {
  io::Records records;
  records.node_offsets = {0, nodes};
  for (const auto& [u, v] : edges) {
    records.edge_from.push_back(u);
    records.edge_to.push_back(v);
  }
  return build_dataset(std::move(records), duplicates);
}

Edges all_pairs(int32_t nodes) {
  Edges pairs;
  for (int32_t u = 0; u < nodes; ++u) {
    for (int32_t v = u + 1; v < nodes; ++v) pairs.emplace_back(u, v);
  }
  return pairs;
}

template <class Offsets, class Neighbours>
std::multiset<std::pair<int32_t, int32_t>> entries(int32_t nodes, const Offsets& offsets,
                                                   const Neighbours& neighbours) {
  std::multiset<std::pair<int32_t, int32_t>> result;
  for (int32_t u = 0; u < nodes; ++u) {
    for (auto e = offsets[static_cast<std::size_t>(u)]; e < offsets[static_cast<std::size_t>(u) + 1]; ++e) {
      result.emplace(u, neighbours[static_cast<std::size_t>(e)]);
    }
  }
  return result;
}

RC_GTEST_PROP(Triplets, ExactlyTheAskedNumberOfEdgesIsSubstituted, ()) {
  const auto nodes = *rc::gen::inRange<int32_t>(1, 14);
  const auto share = *rc::gen::inRange(0, 101);
  core::Rng choice(*rc::gen::arbitrary<uint64_t>());
  Edges edges;
  for (const auto& pair : all_pairs(nodes)) {
    if (choice.below(100) < share) edges.push_back(pair);
  }
  const Dataset dataset = one_graph(nodes, edges);
  const GraphView graph = dataset.graph(0);
  const auto k = *rc::gen::inRange<int32_t>(0, 40);
  const auto seed = *rc::gen::arbitrary<uint64_t>();

  core::Rng rng(seed), again(seed);
  const EditedGraph edited = substitute_edges(graph, k, rng);
  const EditedGraph repeated = substitute_edges(graph, k, again);
  RC_ASSERT(edited.row_offsets == repeated.row_offsets);
  RC_ASSERT(edited.neighbours == repeated.neighbours);

  RC_ASSERT(edited.row_offsets.size() == static_cast<std::size_t>(nodes) + 1);
  RC_ASSERT(edited.row_offsets.front() == 0);
  RC_ASSERT(edited.row_offsets.back() == static_cast<int64_t>(edited.neighbours.size()));
  const auto before = entries(nodes, dataset.row_offsets, dataset.neighbours);
  const auto after = entries(nodes, edited.row_offsets, edited.neighbours);
  RC_ASSERT(before.size() == after.size());
  for (int32_t u = 0; u < nodes; ++u) {
    RC_ASSERT(std::is_sorted(edited.neighbours.begin() + edited.row_offsets[static_cast<std::size_t>(u)],
                             edited.neighbours.begin() + edited.row_offsets[static_cast<std::size_t>(u) + 1]));
  }
  Edges removed, added;
  for (const auto& [u, v] : after) {
    RC_ASSERT(u != v);
    RC_ASSERT(after.count({u, v}) == 1u);
    RC_ASSERT(after.count({v, u}) == 1u);
    if (u < v && before.count({u, v}) == 0) added.emplace_back(u, v);
  }
  for (const auto& [u, v] : before) {
    if (u < v && after.count({u, v}) == 0) removed.emplace_back(u, v);
  }
  const auto present = static_cast<int64_t>(edges.size());
  const int64_t free = static_cast<int64_t>(all_pairs(nodes).size()) - present;
  const auto expected = static_cast<std::size_t>(std::min({int64_t{k}, present, free}));
  RC_ASSERT(removed.size() == expected);
  RC_ASSERT(added.size() == expected);
}

TEST(Triplets, EveryEdgeAndEveryFreePairGetsItsTurn) {
  // A path of four nodes has three edges and three free pairs; a path of 30 takes the other way of drawing.
  for (const int32_t nodes : {4, 30}) {
    Edges path;
    for (int32_t i = 0; i + 1 < nodes; ++i) path.emplace_back(i, i + 1);
    const Dataset dataset = one_graph(nodes, path);
    const auto before = entries(nodes, dataset.row_offsets, dataset.neighbours);
    std::set<std::pair<int32_t, int32_t>> removed, added;
    core::Rng rng(1);
    for (int i = 0; i < 6000; ++i) {
      const EditedGraph edited = substitute_edges(dataset.graph(0), 1, rng);
      const auto after = entries(nodes, edited.row_offsets, edited.neighbours);
      for (const auto& entry : before) {
        if (after.count(entry) == 0) removed.insert(entry);
      }
      for (const auto& entry : after) {
        if (before.count(entry) == 0) added.insert(entry);
      }
    }
    EXPECT_EQ(removed.size(), before.size());
    EXPECT_EQ(added.size(), static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes - 1) - before.size());
  }
}

TEST(Triplets, AGraphWithoutEdgesOrWithAllComesBackUnchanged) {
  core::Rng rng(1);
  const Dataset full = one_graph(5, all_pairs(5));
  const EditedGraph same = substitute_edges(full.graph(0), 3, rng);
  EXPECT_TRUE(
      std::equal(same.neighbours.begin(), same.neighbours.end(), full.neighbours.begin(), full.neighbours.end()));
  const Dataset bare = one_graph(3, {});
  const EditedGraph still_bare = substitute_edges(bare.graph(0), 3, rng);
  EXPECT_EQ(still_bare.row_offsets, (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_TRUE(still_bare.neighbours.empty());
}

TEST(Triplets, KeptDuplicatesStaySymmetricAndAreRemovedOneByOne) {
  const Dataset dataset = one_graph(6, {{0, 1}, {0, 1}, {0, 1}, {2, 3}}, DuplicatePolicy::keep);
  ASSERT_EQ(dataset.directed_edges(), 8);
  core::Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const EditedGraph edited = substitute_edges(dataset.graph(0), 2, rng);
    const auto after = entries(6, edited.row_offsets, edited.neighbours);
    EXPECT_EQ(after.size(), 8u);
    EXPECT_GE(after.count({0, 1}), 1u);
    for (const auto& [u, v] : after) EXPECT_EQ(after.count({u, v}), after.count({v, u}));
  }
}

TEST(Triplets, TheSecondGraphOfADatasetIsEditedInItsOwnNumbers) {
  io::Records records;
  records.node_offsets = {0, 3, 7};
  records.edge_from = {0, 3, 4, 5};
  records.edge_to = {1, 4, 5, 6};
  const Dataset dataset = build_dataset(std::move(records), DuplicatePolicy::merge);
  core::Rng rng(2);
  const EditedGraph edited = substitute_edges(dataset.graph(1), 0, rng);
  EXPECT_EQ(edited.row_offsets, (std::vector<int64_t>{0, 1, 3, 5, 6}));
  EXPECT_EQ(edited.neighbours, (std::vector<int32_t>{1, 0, 2, 1, 3, 2}));
}

}  // namespace
}  // namespace dotin::data
