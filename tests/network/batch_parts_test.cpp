#include "dotin/network/batch_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/graphs.h"

namespace dotin::network {
namespace {

/// A path of so many nodes.
testing::SmallGraph path(int32_t nodes) {
  testing::SmallGraph graph;
  graph.nodes = nodes;
  for (int32_t i = 0; i + 1 < nodes; ++i) graph.edges.emplace_back(i, i + 1);
  for (int32_t i = 0; i < nodes; ++i) graph.features.push_back(static_cast<float>(100 * nodes + i));
  return graph;
}

TEST(SplitBatch, EveryGraphIsInOnePartWithItsEdgesAndFeatures) {
  const batch::Batch batch = testing::batch_of({path(4), path(9), path(1), path(3)}, 1);
  const SplitBatch split = split_batch(batch, 2);
  const std::vector<BatchPart>& parts = split.parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].graphs, (std::vector<int32_t>{1}));
  EXPECT_EQ(parts[1].graphs, (std::vector<int32_t>{0, 2, 3}));
  EXPECT_EQ(parts[1].level.node_offsets, (std::vector<int32_t>{0, 4, 5, 8}));
  EXPECT_EQ(parts[1].level.row_offsets, (std::vector<int32_t>{0, 1, 3, 5, 6, 6, 7, 9, 10}));
  EXPECT_EQ(parts[1].level.columns, (std::vector<int32_t>{1, 0, 2, 1, 3, 2, 6, 5, 7, 6}));
  EXPECT_EQ(split.dense, (std::vector<float>{900, 901, 902, 903, 904, 905, 906, 907, 908,  // of the first part
                                             400, 401, 402, 403, 100, 300, 301, 302}));
}

TEST(SplitBatch, NoMorePartsThanGraphs) {
  const batch::Batch batch = testing::batch_of({path(4), path(9), path(1)}, 1);
  EXPECT_EQ(split_batch(batch, 8).parts.size(), 3u);
  const std::vector<BatchPart> one = split_batch(batch, 1).parts;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].graphs, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(split_batch(batch, 0).parts.size(), 1u);
}

}  // namespace
}  // namespace dotin::network
