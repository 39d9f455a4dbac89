#include "dotin/batch/loader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "batch/random_dataset.h"
#include "dotin/core/error.h"

namespace dotin::batch {
namespace {

using testing::random_dataset;

std::shared_ptr<const data::FeatureEncoder> encoder_for(const data::View& view) {
  return std::make_shared<const data::FeatureEncoder>(data::fit_features(view, {}), view.dataset(),
                                                      data::UnknownLabels::error);
}

std::vector<Batch> epoch_of(Loader& loader, int64_t epoch, int64_t skip = 0) {
  loader.start_epoch(epoch, skip);
  std::vector<Batch> batches;
  while (std::optional<Batch> batch = loader.next()) batches.push_back(std::move(*batch));
  return batches;
}

bool same(const Batch& a, const Batch& b) {
  return a.graph_index == b.graph_index && a.node_offsets == b.node_offsets && a.row_offsets == b.row_offsets &&
         a.neighbours == b.neighbours && a.reverse == b.reverse && a.codes == b.codes && a.dense == b.dense &&
         a.anchors == b.anchors && a.targets == b.targets;
}

RC_GTEST_PROP(PlanEpoch, CoversEveryPositionOnceWithinItsLimits, ()) {
  const auto graphs = *rc::gen::inRange<int64_t>(1, 40);
  const auto dataset = random_dataset(*rc::gen::arbitrary<uint64_t>(), graphs, data::DuplicatePolicy::merge);
  std::vector<int64_t> odd;
  for (int64_t g = 1; g < graphs; g += 2) odd.push_back(g);
  const data::View view(dataset, odd);
  LoaderOptions options;
  options.batch_graphs = *rc::gen::inRange<int64_t>(0, 10);
  options.node_edge_budget = *rc::gen::inRange<int64_t>(0, 120);
  options.shuffle = *rc::gen::arbitrary<bool>();
  options.build.triplets = *rc::gen::arbitrary<bool>();
  RC_PRE(options.batch_graphs > 0 || options.node_edge_budget > 0);
  const auto plan = plan_epoch(view, options, *rc::gen::inRange<int64_t>(0, 5));

  const auto cost = [&](int64_t position) {
    const data::GraphView graph = view.get(position);
    return (options.build.triplets ? 3 : 1) * (graph.nodes + graph.directed_edges());
  };
  std::vector<int64_t> covered;
  for (std::size_t b = 0; b < plan.size(); ++b) {
    RC_ASSERT(!plan[b].empty());
    const auto size = static_cast<int64_t>(plan[b].size());
    int64_t used = 0;
    for (const int64_t position : plan[b]) used += cost(position);
    const bool fits_graphs = options.batch_graphs == 0 || size <= options.batch_graphs;
    const bool fits_budget = options.node_edge_budget == 0 || used <= options.node_edge_budget || size == 1;
    RC_ASSERT(fits_graphs);
    RC_ASSERT(fits_budget);
    if (b + 1 < plan.size()) {
      // As full as can be: the next graph would not have fitted.
      const bool full = size == options.batch_graphs ||
                        (options.node_edge_budget > 0 && used + cost(plan[b + 1][0]) > options.node_edge_budget);
      RC_ASSERT(full);
    }
    covered.insert(covered.end(), plan[b].begin(), plan[b].end());
  }
  if (options.shuffle) std::sort(covered.begin(), covered.end());
  std::vector<int64_t> all(static_cast<std::size_t>(view.size()));
  std::iota(all.begin(), all.end(), int64_t{0});
  RC_ASSERT(covered == all);
}

TEST(PlanEpoch, OrderDependsOnSeedAndEpoch) {
  const data::View view(random_dataset(1, 30, data::DuplicatePolicy::merge));
  LoaderOptions options;
  const auto plan = plan_epoch(view, options, 0);
  EXPECT_EQ(plan_epoch(view, options, 0), plan);
  EXPECT_NE(plan_epoch(view, options, 1), plan);
  options.build.seed = 1;
  EXPECT_NE(plan_epoch(view, options, 0), plan);
}

TEST(PlanEpoch, ABatchWithoutASizeIsAnError) {
  const data::View view(random_dataset(1, 3, data::DuplicatePolicy::merge));
  LoaderOptions options;
  options.batch_graphs = 0;
  EXPECT_THROW(plan_epoch(view, options, 0), core::Error);
}

RC_GTEST_PROP(Loader, GivesTheSameBatchesWithAndWithoutPrefetch, ()) {
  const data::View view(
      random_dataset(*rc::gen::arbitrary<uint64_t>(), *rc::gen::inRange<int64_t>(1, 30), data::DuplicatePolicy::merge));
  LoaderOptions options;
  options.batch_graphs = *rc::gen::inRange<int64_t>(1, 8);
  options.build.triplets = *rc::gen::arbitrary<bool>();
  options.build.targets = {"label"};
  options.prefetch = true;
  Loader ahead(view, encoder_for(view), options);
  options.prefetch = false;
  Loader plain(view, encoder_for(view), options);
  for (const int64_t epoch : {0, 1, 0}) {
    const std::vector<Batch> a = epoch_of(ahead, epoch), b = epoch_of(plain, epoch);
    RC_ASSERT(static_cast<int64_t>(a.size()) == ahead.batches_per_epoch());
    RC_ASSERT(std::equal(a.begin(), a.end(), b.begin(), b.end(), same));
    const auto plan = plan_epoch(view, options, epoch);
    RC_ASSERT(plan.size() == a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      RC_ASSERT(std::equal(plan[i].begin(), plan[i].end(), a[i].graph_index.begin()));
    }
  }
}

TEST(Loader, SkipsBatchesAndEndsQuietlyBeyondTheLast) {
  const data::View view(random_dataset(2, 20, data::DuplicatePolicy::merge));
  for (const bool prefetch : {false, true}) {
    LoaderOptions options;
    options.batch_graphs = 3;
    options.prefetch = prefetch;
    Loader loader(view, encoder_for(view), options);
    EXPECT_EQ(loader.batches_per_epoch(), 7);
    const std::vector<Batch> whole = epoch_of(loader, 4);
    const std::vector<Batch> rest = epoch_of(loader, 4, 5);
    ASSERT_EQ(whole.size(), 7u);
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + 5, whole.end(), same));
    EXPECT_TRUE(epoch_of(loader, 4, 100).empty());
    EXPECT_FALSE(loader.next().has_value());
    EXPECT_THROW(loader.start_epoch(0, -1), core::Error);
  }
}

TEST(Loader, TripletsChangeFromEpochToEpoch) {
  const data::View view(random_dataset(2, 4, data::DuplicatePolicy::merge, 12));
  LoaderOptions options;
  options.shuffle = false;
  options.build.triplets = true;
  Loader loader(view, encoder_for(view), options);
  EXPECT_NE(epoch_of(loader, 0).at(0).neighbours, epoch_of(loader, 1).at(0).neighbours);
}

TEST(Loader, CanBeDroppedOrRestartedAtAnyTime) {
  const data::View view(random_dataset(3, 40, data::DuplicatePolicy::merge));
  LoaderOptions options;
  options.batch_graphs = 2;
  const auto encoder = encoder_for(view);
  for (int used = 0; used < 20; ++used) {
    Loader loader(view, encoder, options);
    loader.start_epoch(0);
    for (int i = 0; i < used; ++i) ASSERT_TRUE(loader.next().has_value());
    if (used % 2 == 0) continue;
    EXPECT_EQ(epoch_of(loader, 1).size(), 20u);
    loader.start_epoch(2);
    loader.start_epoch(3);
  }
}

TEST(Loader, ANeverStartedLoaderHasNoBatches) {
  const data::View view(random_dataset(3, 4, data::DuplicatePolicy::merge));
  Loader loader(view, encoder_for(view), {});
  EXPECT_THROW(loader.next(), core::Error);
}

TEST(Loader, CarriesAnErrorOverFromTheWorkerAfterTheSoundBatches) {
  data::Dataset damaged = *random_dataset(4, 10, data::DuplicatePolicy::merge, 12);
  std::vector<int32_t> neighbours(damaged.neighbours.begin(), damaged.neighbours.end());
  neighbours[static_cast<std::size_t>(damaged.graph(7).row_offsets[0])] = 99;
  const data::View sound(random_dataset(4, 10, data::DuplicatePolicy::merge, 12));
  const auto encoder = encoder_for(sound);
  damaged.neighbours = neighbours;
  const data::View view(std::make_shared<const data::Dataset>(std::move(damaged)));
  for (const bool prefetch : {false, true}) {
    LoaderOptions options;
    options.batch_graphs = 1;
    options.shuffle = false;
    options.prefetch = prefetch;
    Loader loader(view, encoder, options);
    loader.start_epoch(0);
    for (int i = 0; i < 7; ++i) EXPECT_TRUE(loader.next().has_value());
    EXPECT_THROW(loader.next(), core::Error);
    EXPECT_THROW(loader.next(), core::Error);  // the epoch cannot go on
    loader.start_epoch(0, 8);
    EXPECT_TRUE(loader.next().has_value());
    EXPECT_TRUE(loader.next().has_value());
    EXPECT_FALSE(loader.next().has_value());
  }
}

}  // namespace
}  // namespace dotin::batch
