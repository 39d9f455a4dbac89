#include "dotin/batch/part.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "batch/random_dataset.h"

namespace dotin::batch {
namespace {

Batch three_graphs(uint64_t seed, const data::FeatureOptions& features) {
  const auto dataset = dotin::testing::random_dataset(seed, 3, data::DuplicatePolicy::merge);
  const data::FeatureEncoder encoder(data::fit_features(data::View(dataset), features), *dataset,
                                     data::UnknownLabels::error);
  const std::vector<int64_t> all = {0, 1, 2};
  return build_batch(*dataset, encoder, all, {});
}

RC_GTEST_PROP(PartOf, HasTheKeptNodesAndTheEdgesBetweenThem, ()) {
  const Batch batch = three_graphs(*rc::gen::arbitrary<uint64_t>(), {});
  const auto keep = *rc::gen::container<std::vector<uint8_t>>(static_cast<std::size_t>(batch.nodes()),
                                                              rc::gen::element<uint8_t>(0, 1));
  const Batch part = part_of(batch, keep);
  std::vector<int32_t> old_of_new;
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    if (keep[i] != 0) old_of_new.push_back(i);
  }
  RC_ASSERT(part.nodes() == static_cast<int32_t>(old_of_new.size()));
  RC_ASSERT(part.graphs() == batch.graphs());
  for (int32_t g = 0; g < part.graphs(); ++g) {
    for (int32_t i = part.node_offsets[g]; i < part.node_offsets[g + 1]; ++i) {
      RC_ASSERT(old_of_new[i] >= batch.node_offsets[g] && old_of_new[i] < batch.node_offsets[g + 1]);
    }
  }
  for (int32_t i = 0; i < part.nodes(); ++i) {
    const int32_t old = old_of_new[i];
    std::vector<int32_t> expected, found;
    for (int32_t e = batch.row_offsets[old]; e < batch.row_offsets[old + 1]; ++e) {
      if (keep[batch.neighbours[e]] != 0) expected.push_back(batch.neighbours[e]);
    }
    for (int32_t e = part.row_offsets[i]; e < part.row_offsets[i + 1]; ++e) {
      found.push_back(old_of_new[part.neighbours[e]]);
      RC_ASSERT(part.neighbours[part.reverse[e]] == i);
      RC_ASSERT(part.reverse[part.reverse[e]] == e);
    }
    RC_ASSERT(found == expected);
    RC_ASSERT(std::equal(part.codes.begin() + i * part.codes_per_node,
                         part.codes.begin() + (i + 1) * part.codes_per_node,
                         batch.codes.begin() + old * batch.codes_per_node));
    RC_ASSERT(std::equal(part.dense.begin() + i * part.dense_width, part.dense.begin() + (i + 1) * part.dense_width,
                         batch.dense.begin() + old * batch.dense_width));
  }
}

TEST(OwnColumns, AreThoseOfABatchWithoutFeaturesOfNeighbours) {
  data::FeatureOptions plain, with_neighbours;
  with_neighbours.neighbours = data::NeighbourFeature::always;
  with_neighbours.neighbour_counts = data::NeighbourCounts::always;
  const auto dataset = dotin::testing::random_dataset(3, 3, data::DuplicatePolicy::merge);
  const OwnColumns columns = own_columns(data::fit_features(data::View(dataset), with_neighbours));
  const Batch expected = three_graphs(3, plain), all = three_graphs(3, with_neighbours);
  ASSERT_GT(all.dense_width, expected.dense_width);
  ASSERT_GT(all.codes_per_node, expected.codes_per_node);
  const Batch own = with_own_columns(all, columns);
  EXPECT_EQ(own.dense, expected.dense);
  EXPECT_EQ(own.codes, expected.codes);
  EXPECT_EQ(own.dense_width, expected.dense_width);
  EXPECT_EQ(own.codes_per_node, expected.codes_per_node);
  EXPECT_EQ(columns.width, data::fit_features(data::View(dataset), plain).width());
}

}  // namespace
}  // namespace dotin::batch
