#include "dotin/batch/own_columns.h"

#include <gtest/gtest.h>

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
