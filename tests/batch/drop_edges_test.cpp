#include "dotin/batch/drop_edges.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "batch/random_dataset.h"

namespace dotin::batch {
namespace {

Batch batch_of_three(uint64_t seed, data::DuplicatePolicy duplicates) {
  const auto dataset = dotin::testing::random_dataset(seed, 3, duplicates);
  const data::FeatureEncoder encoder(data::fit_features(data::View(dataset), {}), *dataset, data::UnknownLabels::error);
  const std::vector<int64_t> all = {0, 1, 2};
  return build_batch(*dataset, encoder, all, {});
}

int32_t edges_of(const Batch& batch, int32_t graph) {
  return (batch.row_offsets[batch.node_offsets[graph + 1]] - batch.row_offsets[batch.node_offsets[graph]]) / 2;
}

RC_GTEST_PROP(DropEdges, TakesTheShareOfEachGraphAndLeavesTheRestInOrder, ()) {
  const Batch batch = batch_of_three(*rc::gen::arbitrary<uint64_t>(),
                                     *rc::gen::element(data::DuplicatePolicy::merge, data::DuplicatePolicy::keep));
  const int32_t percent = *rc::gen::element(0, 29, 50, 90);
  const Batch fewer = drop_edges(batch, percent / 100.0, *rc::gen::arbitrary<uint64_t>());
  RC_ASSERT(fewer.node_offsets == batch.node_offsets);
  RC_ASSERT(fewer.codes == batch.codes);
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    RC_ASSERT(edges_of(fewer, g) == edges_of(batch, g) - edges_of(batch, g) * percent / 100);
  }
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    const auto begin = fewer.neighbours.begin() + fewer.row_offsets[i];
    const auto end = fewer.neighbours.begin() + fewer.row_offsets[i + 1];
    RC_ASSERT(std::includes(batch.neighbours.begin() + batch.row_offsets[i],
                            batch.neighbours.begin() + batch.row_offsets[i + 1], begin, end));
    for (int32_t e = fewer.row_offsets[i]; e < fewer.row_offsets[i + 1]; ++e) {
      RC_ASSERT(fewer.reverse[fewer.reverse[e]] == e);
      RC_ASSERT(fewer.neighbours[fewer.reverse[e]] == i);
    }
  }
}

TEST(DropEdges, AGraphLosesTheSameEdgesAloneAndInABatch) {
  const auto dataset = dotin::testing::random_dataset(3, 3, data::DuplicatePolicy::merge);
  const data::FeatureEncoder encoder(data::fit_features(data::View(dataset), {}), *dataset, data::UnknownLabels::error);
  const std::vector<int64_t> all = {0, 1, 2};
  const Batch together = drop_edges(build_batch(*dataset, encoder, all, {}), 0.5, 7);
  for (int64_t g = 0; g < 3; ++g) {
    const std::vector<int64_t> one = {g};
    const Batch alone = drop_edges(build_batch(*dataset, encoder, one, {}), 0.5, 7);
    const int32_t first_node = together.node_offsets[g], first = together.row_offsets[first_node];
    ASSERT_EQ(alone.nodes(), together.node_offsets[g + 1] - first_node);
    for (std::size_t e = 0; e < alone.neighbours.size(); ++e)
      EXPECT_EQ(alone.neighbours[e] + first_node, together.neighbours[first + e]);
    EXPECT_EQ(static_cast<int32_t>(alone.neighbours.size()),
              together.row_offsets[together.node_offsets[g + 1]] - first);
  }
}

TEST(DropEdges, DependsOnItsKey) {
  const Batch batch = batch_of_three(1, data::DuplicatePolicy::merge);
  EXPECT_EQ(drop_edges(batch, 0.5, 1).neighbours, drop_edges(batch, 0.5, 1).neighbours);
  std::set<std::vector<int32_t>> draws;
  for (uint64_t key = 0; key < 20; ++key) draws.insert(drop_edges(batch, 0.5, key).neighbours);
  EXPECT_GT(draws.size(), 10U);
}

}  // namespace
}  // namespace dotin::batch
