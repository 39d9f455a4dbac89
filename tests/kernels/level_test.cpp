// What a drop does to the structure, against a dense matrix of weights. Nothing here has a gradient.
#include "dotin/kernels/level.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "dotin/core/random.h"
#include "kernels/gradient_check.h"
#include "kernels/level_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

using Kept = std::vector<uint8_t>;

/// Where nodes go: those that stay in their order, then the one that stands for the others of its graph.
DropMap plain_map(const Level& old, const Kept& keep, bool merge) {
  DropMap map;
  map.new_of_old.assign(keep.size(), -1);
  for (int32_t g = 0; g < old.graphs(); ++g) {
    std::vector<int32_t> dropped;
    for (int32_t i = old.node_offsets[g]; i < old.node_offsets[g + 1]; ++i) {
      if (keep[i] == 0) {
        dropped.push_back(i);
        continue;
      }
      map.new_of_old[i] = static_cast<int32_t>(map.source.size());
      map.source.push_back(i);
    }
    const bool merges = merge && !dropped.empty();
    map.merged.push_back(merges ? static_cast<int32_t>(map.source.size()) : -1);
    for (const int32_t i : dropped) map.new_of_old[i] = map.merged.back();
    if (merges) map.source.push_back(-1);
  }
  return map;
}

/// Graph of every row of a dense matrix, virtual nodes first.
std::vector<int64_t> graphs_of(const Level& level, int64_t tasks) {
  std::vector<int64_t> graph;
  for (int64_t v = 0; v < level.graphs() * tasks; ++v) graph.push_back(v / tasks);
  for (int64_t g = 0; g < level.graphs(); ++g) {
    for (int32_t i = level.node_offsets[g]; i < level.node_offsets[g + 1]; ++i) graph.push_back(g);
  }
  return graph;
}

/// The weights after a drop, by the words of docs/method.md.
DenseMatrix plain_weights(const Level& old, const DropMap& map, const Kept& keep, EdgeWeights mode, int64_t tasks) {
  const DenseMatrix before = dense_weights(old, tasks);
  const int64_t v = old.graphs() * tasks, rows = v + static_cast<int64_t>(map.source.size());
  const std::vector<int64_t> graph = graphs_of(old, tasks);
  DenseMatrix after(rows, rows);
  std::vector<bool> softmaxed(static_cast<std::size_t>(rows));
  for (int64_t i = 0; i < before.rows; ++i) {
    const auto new_row = [&](int64_t row) { return row < v ? row : v + map.new_of_old[row - v]; };
    const auto stays = [&](int64_t row) { return row < v || keep[row - v] != 0; };
    if (new_row(i) < v && i >= v) continue;  // gone
    softmaxed[new_row(i)] = mode == EdgeWeights::softmax && map.merged[graph[i]] >= 0;
    if (!stays(i)) {
      after(new_row(i), new_row(i)) = 1;
      continue;
    }
    for (int64_t j = 0; j < before.rows; ++j) {
      if (new_row(j) < v && j >= v) continue;
      after(new_row(i), new_row(j)) += before(i, j);
      if (!stays(j)) after(new_row(j), new_row(i)) += before(i, j);
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < rows; ++j) {
      if (after(i, j) == 0) continue;
      if (mode == EdgeWeights::none) after(i, j) = 1;
      if (softmaxed[i]) sum += after(i, j) = std::exp(after(i, j));
    }
    for (int64_t j = 0; j < rows && softmaxed[i]; ++j) after(i, j) /= sum;
  }
  return after;
}

/// Tasks, how weights are formed, whether dropped nodes are merged.
class Coarsen : public ::testing::TestWithParam<std::tuple<int32_t, EdgeWeights, bool>> {
 protected:
  static void check(const Level& old, const Kept& keep) {
    const auto [tasks, mode, merge] = GetParam();
    Level level = old;  // of an earlier use
    DropMap map;
    map.source = {5};
    coarsen(old, keep.data(), merge, mode, tasks, level, map);

    const DropMap expected = plain_map(old, keep, merge);
    EXPECT_EQ(map.source, expected.source);
    EXPECT_EQ(map.new_of_old, expected.new_of_old);
    EXPECT_EQ(map.merged, expected.merged);
    ASSERT_EQ(level.graphs(), old.graphs());
    ASSERT_EQ(level.nodes(), static_cast<int32_t>(expected.source.size()));
    ASSERT_EQ(level.row_offsets.size(), expected.source.size() + 1);
    ASSERT_EQ(level.row_offsets.back(), level.edges());
    EXPECT_EQ(level.weighted, mode != EdgeWeights::none && (merge || old.weighted));
    EXPECT_EQ(level.edge_weight.size(), level.weighted ? level.columns.size() : 0);
    for (int32_t i = 0; i < level.nodes(); ++i) {
      for (int32_t e = level.row_offsets[i] + 1; e < level.row_offsets[i + 1]; ++e)
        EXPECT_LT(level.columns[e - 1], level.columns[e]) << "row " << i << " is not sorted";
    }
    const DenseMatrix actual = dense_weights(level, tasks), wanted = plain_weights(old, expected, keep, mode, tasks);
    expect_close(actual.values, wanted.values, "weights");
  }
};

TEST_P(Coarsen, GivesTheWeightsOfTheDefinitionWhateverStays) {
  for (const auto& [name, level] : all_levels()) {
    core::Rng rng(6);
    for (const double share : {0.0, 0.3, 0.5, 0.9, 1.0}) {
      SCOPED_TRACE(::testing::Message() << name << ", share that stays " << share);
      Kept keep;
      for (int32_t i = 0; i < level.nodes(); ++i) keep.push_back(rng.chance(share) ? 1 : 0);
      check(level, keep);
    }
  }
}

TEST_P(Coarsen, AddsUpWhatIsMergedAgainAndAgain) {
  const auto [tasks, mode, merge] = GetParam();
  core::Rng rng(7);
  Level level = level_of({9, 1, 8}, 0.4, rng), next;
  DropMap map;
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    Kept keep(static_cast<std::size_t>(level.nodes()), 1);
    for (int32_t g = 0; g < level.graphs(); ++g) {  // the first leave, and the last, which merged nodes are
      if (level.node_offsets[g + 1] - level.node_offsets[g] < 4) continue;
      keep[level.node_offsets[g]] = keep[level.node_offsets[g] + 1] = keep[level.node_offsets[g + 1] - 1] = 0;
    }
    check(level, keep);
    coarsen(level, keep.data(), merge, mode, tasks, next, map);
    std::swap(level, next);
  }
  if (mode == EdgeWeights::multiplicity && merge) {
    // A virtual node sees as many nodes as there were.
    double seen = 0;
    for (int32_t i = level.node_offsets[0]; i < level.node_offsets[1]; ++i) seen += level.virtual_to_row[i];
    EXPECT_EQ(seen, 9);
  }
}

std::string coarsen_name(const ::testing::TestParamInfo<Coarsen::ParamType>& test) {
  const auto [tasks, mode, merge] = test.param;
  const char* const modes[] = {"Softmax", "Multiplicity", "None"};
  return std::to_string(tasks) + modes[static_cast<int>(mode)] + (merge ? "Merged" : "");
}

INSTANTIATE_TEST_SUITE_P(OfTasks, Coarsen,
                         ::testing::Combine(::testing::Values(1, 3),
                                            ::testing::Values(EdgeWeights::softmax, EdgeWeights::multiplicity,
                                                              EdgeWeights::none),
                                            ::testing::Bool()),
                         coarsen_name);

TEST(Level, IsEmptyOnceCleared) {
  core::Rng rng(8);
  Level level = weighed(level_of({3}, 1, rng), rng);
  level.clear();
  EXPECT_FALSE(level.weighted);
  EXPECT_TRUE(level.node_offsets.empty() && level.row_offsets.empty() && level.columns.empty());
  EXPECT_TRUE(level.edge_weight.empty() && level.self_weight.empty() && level.row_to_virtual.empty());
  EXPECT_TRUE(level.virtual_to_row.empty() && level.virtual_self.empty());
}

}  // namespace
}  // namespace dotin::kernels
