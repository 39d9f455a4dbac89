#include "dotin/batch/batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "batch/random_dataset.h"
#include "dotin/core/error.h"

namespace dotin::batch {
namespace {

using testing::random_dataset;

std::vector<int32_t> slice(const std::vector<int32_t>& values, int64_t begin, int64_t end) {
  return {values.begin() + begin, values.begin() + end};
}

std::vector<int32_t> plus(std::vector<int32_t> values, int32_t offset) {
  for (int32_t& value : values) value += offset;
  return values;
}

data::FeatureEncoder encoder_for(const std::shared_ptr<const data::Dataset>& dataset,
                                 data::FeatureOptions options = {}) {
  return {data::fit_features(data::View(dataset), options), *dataset, data::UnknownLabels::error};
}

RC_GTEST_PROP(BuildBatch, IsItsGraphsSideBySide, ()) {
  const auto dataset = random_dataset(*rc::gen::arbitrary<uint64_t>(), 6,
                                      *rc::gen::element(data::DuplicatePolicy::merge, data::DuplicatePolicy::keep));
  data::FeatureOptions features;
  features.degree = data::DegreeFeature::log;
  const data::FeatureEncoder encoder = encoder_for(dataset, features);
  const auto chosen = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 6));
  BuildOptions options;
  options.targets = {"energy", "label"};
  options.triplets = *rc::gen::arbitrary<bool>();
  options.epoch = *rc::gen::inRange(0, 3);
  const Batch batch = build_batch(*dataset, encoder, chosen, options);

  const auto anchors = static_cast<int32_t>(chosen.size());
  RC_ASSERT(batch.anchors == anchors);
  RC_ASSERT(batch.graphs() == anchors * (options.triplets ? 3 : 1));
  RC_ASSERT(batch.has_triplets() == (options.triplets && anchors > 0));
  RC_ASSERT(static_cast<int32_t>(batch.row_offsets.size()) == batch.nodes() + 1);
  RC_ASSERT(batch.row_offsets.back() == batch.directed_edges());
  for (int32_t g = 0; g < batch.graphs(); ++g) {
    const int64_t index = chosen[static_cast<std::size_t>(g % anchors)];
    RC_ASSERT(batch.graph_index[static_cast<std::size_t>(g)] == index);
    const std::vector<int64_t> only{index};
    const Batch alone = build_batch(*dataset, encoder, only, options);
    const int32_t part = g / anchors;  // anchor, positive or negative
    const int32_t from = alone.node_offsets[static_cast<std::size_t>(part)];
    const int32_t to = alone.node_offsets[static_cast<std::size_t>(part) + 1];
    const int32_t first = batch.node_offsets[static_cast<std::size_t>(g)];
    const int32_t end = batch.node_offsets[static_cast<std::size_t>(g) + 1];
    RC_ASSERT(end - first == to - from);
    const int32_t alone_entry = alone.row_offsets[static_cast<std::size_t>(from)];
    const int32_t entry = batch.row_offsets[static_cast<std::size_t>(first)];
    const int32_t entries = alone.row_offsets[static_cast<std::size_t>(to)] - alone_entry;
    RC_ASSERT(slice(batch.row_offsets, first, end + 1) ==
              plus(slice(alone.row_offsets, from, to + 1), entry - alone_entry));
    RC_ASSERT(slice(batch.neighbours, entry, entry + entries) ==
              plus(slice(alone.neighbours, alone_entry, alone_entry + entries), first - from));
    RC_ASSERT(slice(batch.reverse, entry, entry + entries) ==
              plus(slice(alone.reverse, alone_entry, alone_entry + entries), entry - alone_entry));
    RC_ASSERT(slice(batch.codes, int64_t{first} * batch.codes_per_node, int64_t{end} * batch.codes_per_node) ==
              slice(alone.codes, int64_t{from} * batch.codes_per_node, int64_t{to} * batch.codes_per_node));
    RC_ASSERT(std::equal(batch.dense.begin() + first * batch.dense_width, batch.dense.begin() + end * batch.dense_width,
                         alone.dense.begin() + from * batch.dense_width));
    if (part > 0) continue;
    // An anchor is the graph as it lies in the dataset.
    const data::GraphView graph = dataset->graph(index);
    RC_ASSERT(graph.nodes == end - first);
    for (int32_t i = 0; i < graph.nodes; ++i) {
      const auto row = graph.neighbours(i);
      const std::vector<int32_t> expected(row.begin(), row.end());
      RC_ASSERT(slice(batch.neighbours, batch.row_offsets[static_cast<std::size_t>(first + i)],
                      batch.row_offsets[static_cast<std::size_t>(first + i) + 1]) == plus(expected, first));
    }
    RC_ASSERT(batch.targets[0][static_cast<std::size_t>(g)] ==
              dataset->target("energy").values[static_cast<std::size_t>(index)]);
    RC_ASSERT(batch.targets[1][static_cast<std::size_t>(g)] ==
              dataset->target("label").values[static_cast<std::size_t>(index)]);
  }
}

RC_GTEST_PROP(BuildBatch, ReverseLeadsToTheMirrorAndBack, ()) {
  const auto dataset = random_dataset(*rc::gen::arbitrary<uint64_t>(), 5,
                                      *rc::gen::element(data::DuplicatePolicy::merge, data::DuplicatePolicy::keep));
  BuildOptions options;
  options.triplets = *rc::gen::arbitrary<bool>();
  const std::vector<int64_t> graphs{0, 1, 2, 3, 4, 2};
  const Batch batch = build_batch(*dataset, encoder_for(dataset), graphs, options);
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    for (int32_t e = batch.row_offsets[static_cast<std::size_t>(i)];
         e < batch.row_offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto j = static_cast<std::size_t>(batch.neighbours[static_cast<std::size_t>(e)]);
      const int32_t mirror = batch.reverse[static_cast<std::size_t>(e)];
      RC_ASSERT(mirror >= batch.row_offsets[j]);
      RC_ASSERT(mirror < batch.row_offsets[j + 1]);
      RC_ASSERT(batch.neighbours[static_cast<std::size_t>(mirror)] == i);
      RC_ASSERT(batch.reverse[static_cast<std::size_t>(mirror)] == e);
    }
  }
}

TEST(BuildBatch, TripletsDependOnSeedEpochAndGraphAlone) {
  const auto dataset = random_dataset(11, 6, data::DuplicatePolicy::merge, 12);
  const data::FeatureEncoder encoder = encoder_for(dataset);
  BuildOptions options;
  options.triplets = true;
  const std::vector<int64_t> graphs{0, 1, 2, 3, 4, 5};
  const Batch batch = build_batch(*dataset, encoder, graphs, options);
  EXPECT_EQ(build_batch(*dataset, encoder, graphs, options).neighbours, batch.neighbours);
  options.epoch = 1;
  EXPECT_NE(build_batch(*dataset, encoder, graphs, options).neighbours, batch.neighbours);
  options.epoch = 0;
  options.seed = 1;
  EXPECT_NE(build_batch(*dataset, encoder, graphs, options).neighbours, batch.neighbours);
}

TEST(BuildBatch, PositivesHaveFewerEdgesSubstitutedThanNegativesEachByADrawOfItsOwn) {
  const auto dataset = random_dataset(7, 6, data::DuplicatePolicy::merge, 12);
  BuildOptions options;
  options.triplets = true;
  options.ged = {1, 3};
  options.seed = 9;
  options.epoch = 2;
  const std::vector<int64_t> graphs{4, 1};
  const Batch batch = build_batch(*dataset, encoder_for(dataset), graphs, options);
  ASSERT_EQ(batch.graphs(), 6);
  for (const int32_t part : {1, 2}) {
    for (int32_t g = 0; g < 2; ++g) {
      const auto index = static_cast<uint64_t>(graphs[static_cast<std::size_t>(g)]);
      core::Rng rng({9, 2, index, static_cast<uint64_t>(part - 1)});
      const data::EditedGraph expected =
          data::substitute_edges(dataset->graph(static_cast<int64_t>(index)), part == 1 ? 1 : 3, rng);
      const int32_t first = batch.node_offsets[static_cast<std::size_t>(2 * part + g)];
      const int32_t end = batch.node_offsets[static_cast<std::size_t>(2 * part + g) + 1];
      EXPECT_EQ(slice(batch.neighbours, batch.row_offsets[static_cast<std::size_t>(first)],
                      batch.row_offsets[static_cast<std::size_t>(end)]),
                plus(expected.neighbours, first));
    }
  }
}

TEST(BuildBatch, EditedGraphsGetTheirOwnDegreesAsFeatures) {
  const auto dataset = random_dataset(5, 6, data::DuplicatePolicy::merge, 12);
  data::FeatureOptions features;
  features.labels = features.attributes = false;
  features.degree = data::DegreeFeature::onehot;
  BuildOptions options;
  options.triplets = true;
  options.ged = {2, 4};
  const std::vector<int64_t> graphs{0, 1, 2, 3, 4, 5};
  const Batch batch = build_batch(*dataset, encoder_for(dataset, features), graphs, options);
  ASSERT_EQ(batch.codes_per_node, 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.nodes()); ++i) {
    EXPECT_EQ(batch.codes[i], batch.dense_width + batch.row_offsets[i + 1] - batch.row_offsets[i]);
  }
}

TEST(BuildBatch, TargetsOfEveryWidthAreCopiedWithMissingValues) {
  io::Records records;
  records.node_offsets = {0, 1, 2};
  const double missing = std::numeric_limits<double>::quiet_NaN();
  records.targets.push_back({"tests", 2, std::vector<double>{1, missing, 3, 4}, {}});
  const auto dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
  BuildOptions options;
  options.targets = {"tests"};
  const std::vector<int64_t> graphs{1, 0};
  const Batch batch = build_batch(*dataset, encoder_for(dataset), graphs, options);
  ASSERT_EQ(batch.targets.at(0).size(), 4u);
  EXPECT_EQ(batch.targets[0][0], 3);
  EXPECT_EQ(batch.targets[0][1], 4);
  EXPECT_EQ(batch.targets[0][2], 1);
  EXPECT_TRUE(std::isnan(batch.targets[0][3]));
  EXPECT_EQ(batch.nodes(), 2);
  EXPECT_EQ(batch.directed_edges(), 0);
  options.targets = {"test"};
  EXPECT_THROW(build_batch(*dataset, encoder_for(dataset), graphs, options), core::Error);
}

TEST(BuildBatch, NoGraphsMakeAnEmptyBatch) {
  const auto dataset = random_dataset(1, 2, data::DuplicatePolicy::merge);
  const Batch batch = build_batch(*dataset, encoder_for(dataset), {}, {});
  EXPECT_EQ(batch.graphs(), 0);
  EXPECT_EQ(batch.nodes(), 0);
  EXPECT_EQ(batch.row_offsets, std::vector<int32_t>{0});
}

/// Two triangles; the second is graph 1.
data::Dataset triangles() {
  io::Records records;
  records.name = "triangles";
  records.node_offsets = {0, 3, 6};
  records.edge_from = {0, 1, 2, 3, 4, 5};
  records.edge_to = {1, 2, 0, 4, 5, 3};
  return data::build_dataset(std::move(records), data::DuplicatePolicy::merge);
}

std::string failure(const data::Dataset& damaged, bool triplets = false) {
  const auto sound = std::make_shared<const data::Dataset>(triangles());
  data::FeatureOptions features;
  features.constant_if_featureless = true;
  const data::FeatureEncoder encoder = encoder_for(sound, features);
  BuildOptions options;
  options.triplets = triplets;
  const std::vector<int64_t> graphs{0, 1};
  try {
    build_batch(damaged, encoder, graphs, options);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(BuildBatch, DamagedStructureIsAnErrorThatNamesTheGraph) {
  const std::vector<int32_t> sound{1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 0, 1};
  const auto with = [&sound](std::size_t entry, int32_t neighbour) {
    data::Dataset dataset = triangles();
    EXPECT_TRUE(std::equal(sound.begin(), sound.end(), dataset.neighbours.begin(), dataset.neighbours.end()));
    std::vector<int32_t> changed = sound;
    changed[entry] = neighbour;
    dataset.neighbours = changed;
    return dataset;
  };
  EXPECT_EQ(failure(triangles()), "no error");
  for (const bool triplets : {false, true}) {
    EXPECT_NE(failure(with(7, 3), triplets).find("triangles: graph 1: neighbour 3 of 3 nodes"), std::string::npos);
    EXPECT_NE(failure(with(7, -1), triplets).find("triangles: graph 1: neighbour -1"), std::string::npos);
    EXPECT_NE(failure(with(6, 2), triplets).find("triangles: graph 1: the edge from node"), std::string::npos);
    EXPECT_NE(failure(with(6, 0), triplets).find("triangles: graph 1: node 0 is its own"), std::string::npos);
  }
  data::Dataset unsorted = triangles();
  unsorted.neighbours = std::vector<int32_t>{1, 2, 0, 2, 0, 1, 2, 1, 0, 2, 0, 1};
  EXPECT_NE(failure(unsorted).find("graph 1"), std::string::npos);
}

TEST(BuildBatch, RowsThatDoNotRiseOrLeaveTheDatasetAreErrors) {
  for (const std::vector<int64_t>& rows :
       {std::vector<int64_t>{0, 2, 4, 6, 10, 8, 12}, {0, 2, 4, 6, 8, 10, 14}, {-2, 2, 4, 6, 8, 10, 12}}) {
    data::Dataset dataset = triangles();
    dataset.row_offsets = rows;
    EXPECT_NE(failure(dataset).find("its rows do not lie"), std::string::npos);
  }
  data::Dataset dataset = triangles();
  dataset.node_offsets = std::vector<int64_t>{0, 3, 7};
  EXPECT_NE(failure(dataset).find("graph 1: its nodes do not lie"), std::string::npos);
}

TEST(BuildBatch, AskingForAGraphThatIsNotThereOrForOddTripletsIsAnError) {
  const auto dataset = random_dataset(1, 2, data::DuplicatePolicy::merge);
  const data::FeatureEncoder encoder = encoder_for(dataset);
  const std::vector<int64_t> beyond{0, 2}, fine{0, 1};
  EXPECT_THROW(build_batch(*dataset, encoder, beyond, {}), core::Error);
  BuildOptions options;
  options.triplets = true;
  options.ged = {2, 2};
  EXPECT_THROW(build_batch(*dataset, encoder, fine, options), core::Error);
}

TEST(BuildBatch, MoreThanInt32CanCountIsAnErrorThatSaysMakeBatchesSmaller) {
  // One node that claims many edges, named twice: the sum is refused before anything is read or allocated.
  const auto sound = std::make_shared<const data::Dataset>(triangles());
  data::FeatureOptions features;
  features.constant_if_featureless = true;
  data::Dataset vast;
  vast.node_offsets = std::vector<int64_t>{0, 1};
  vast.row_offsets = std::vector<int64_t>{0, 1'500'000'000};
  const int32_t unread = 0;
  vast.neighbours = core::Array<int32_t>(&unread, 1'500'000'000, nullptr);
  const std::vector<int64_t> graphs{0, 0};
  try {
    build_batch(vast, encoder_for(sound, features), graphs, {});
    FAIL() << "no error";
  } catch (const core::Error& error) {
    EXPECT_NE(std::string(error.what()).find("make batches smaller"), std::string::npos);
  }
}

}  // namespace
}  // namespace dotin::batch
