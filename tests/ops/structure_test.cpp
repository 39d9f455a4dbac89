// Edges between two layers: the start, and what a drop does to them.
#include "dotin/ops/reference/structure.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "dotin/core/random.h"
#include "dotin/kernels/select.h"
#include "support/graphs.h"

namespace dotin::ops::reference {
namespace {

using dotin::testing::any_graphs;
using dotin::testing::batch_of;

using Matrix = std::map<std::pair<int64_t, int64_t>, double>;  // an entry for every edge

Matrix matrix_of(const Structure& s) {
  Matrix matrix;
  for (int64_t row = 0; row < s.rows(); ++row) {
    for (int64_t e = s.row_offsets[row]; e < s.row_offsets[row + 1]; ++e) {
      EXPECT_TRUE(matrix.emplace(std::pair{row, s.columns[e]}, s.weights[e]).second) << "an edge listed twice";
    }
  }
  return matrix;
}

double row_sum(const Structure& s, int64_t row) {
  return std::accumulate(s.weights.begin() + s.row_offsets[row], s.weights.begin() + s.row_offsets[row + 1], 0.0);
}

void expect_sound(const Structure& s) {
  RC_ASSERT(static_cast<int64_t>(s.row_offsets.size()) == s.rows() + 1);
  RC_ASSERT(s.weights.size() == s.columns.size());
  const Matrix matrix = matrix_of(s);
  const std::vector<int64_t> graph = s.graph_of_row();
  for (const auto& entry : matrix) {
    const auto [i, j] = entry.first;
    RC_ASSERT(j >= 0 && j < s.rows());
    RC_ASSERT(graph[i] == graph[j]);
    RC_ASSERT(matrix.count({j, i}) == 1);                                 // symmetric structure
    RC_ASSERT(i == j || i >= s.virtual_rows() || j >= s.virtual_rows());  // no edge between two virtual nodes
  }
  for (int64_t i = 0; i < s.rows(); ++i) {
    RC_ASSERT(matrix.count({i, i}) == 1);  // a self-loop on every node
    RC_ASSERT(std::is_sorted(s.columns.begin() + s.row_offsets[i], s.columns.begin() + s.row_offsets[i + 1]));
    for (int64_t g = 0; g < s.virtual_rows(); ++g) {
      // Each virtual node sees every raw node of its graph.
      if (i >= s.virtual_rows()) RC_ASSERT(matrix.count({g, i}) == (graph[g] == graph[i] ? 1U : 0U));
    }
  }
}

/// Keeps all but floor(n a) nodes of each graph, drawn at random.
std::vector<uint8_t> any_keep(const Structure& s, double drop_ratio) {
  core::Rng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<uint8_t> keep;
  for (int64_t g = 0; g < s.graphs; ++g) {
    const int64_t nodes = s.raw_offsets[g + 1] - s.raw_offsets[g];
    std::vector<uint8_t> draw(static_cast<std::size_t>(nodes), 1);
    std::fill_n(draw.begin(), kernels::drop_count(nodes, drop_ratio), uint8_t{0});
    rng.shuffle(draw);
    keep.insert(keep.end(), draw.begin(), draw.end());
  }
  return keep;
}

/// Step 6 of the method on a dense matrix, without the softmax: node by node, for every pair.
Matrix naive_weights(const Structure& old, const std::vector<uint8_t>& keep, const Coarsening& result) {
  const Matrix before = matrix_of(old);
  const int64_t first_raw = old.virtual_rows();
  const std::vector<int64_t> graph = old.graph_of_row();
  Matrix after;
  const auto weight = [&](int64_t i, int64_t j) -> std::optional<double> {
    const auto found = before.find({i, j});
    return found == before.end() ? std::nullopt : std::optional<double>(found->second);
  };
  const auto rows = static_cast<int64_t>(result.source.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < rows; ++j) {
      const int64_t from = result.source[i], to = result.source[j];
      const bool from_merged = from >= old.rows(), to_merged = to >= old.rows();
      if (from_merged && to_merged) {
        if (i == j) after[{i, j}] = 1;
      } else if (!from_merged && !to_merged) {
        if (const auto w = weight(from, to)) after[{i, j}] = *w;
      } else {
        const int64_t other = from_merged ? to : from;
        const int64_t merged = (from_merged ? from : to) - old.rows();
        for (std::size_t d = 0; d < result.dropped_rows.size(); ++d) {
          const int64_t dropped = result.dropped_rows[d];
          RC_ASSERT(!keep[dropped - first_raw]);
          if (result.merged_into[d] != merged) continue;
          if (const auto w = weight(other, dropped)) after[{i, j}] += *w;
        }
      }
    }
  }
  return after;
}

struct Case {
  Structure structure;
  std::vector<uint8_t> keep;
};

/// A random structure, in half of the cases one that has been through a drop already.
Case any_case(EdgeWeights edge_weights) {
  const auto tasks = *rc::gen::inRange<int64_t>(1, 4);
  const auto graphs = *any_graphs(1);
  Structure s = structure_of(batch_of(graphs, 1), tasks);
  const double drop_ratio = *rc::gen::element(0.0, 0.1, 0.5, 0.9);
  if (*rc::gen::arbitrary<bool>()) {
    const std::vector<uint8_t> keep = any_keep(s, drop_ratio);
    s = coarsen(s, keep, true, edge_weights).structure;
  }
  std::vector<uint8_t> keep = any_keep(s, drop_ratio);
  return {std::move(s), std::move(keep)};
}

TEST(StructureOf, ListsVirtualNodesFirstAndGivesEveryEdgeTheWeightOne) {
  // Graph 0: 0 - 1, graph 1: one node; two tasks. Rows: g0 tasks, g1 tasks, raw nodes 4, 5 and 6.
  const Structure s = structure_of(batch_of({{2, {{0, 1}}, {0, 0}, 0}, {1, {}, {0}, 1}}, 1), 2);
  EXPECT_EQ(s.rows(), 7);
  EXPECT_EQ(s.raw_nodes(), 3);
  EXPECT_EQ(s.columns, (std::vector<int64_t>{0, 4, 5, 1, 4, 5, 2, 6, 3, 6, 0, 1, 4, 5, 0, 1, 4, 5, 2, 3, 6}));
  EXPECT_EQ(s.row_offsets, (std::vector<int64_t>{0, 3, 6, 8, 10, 14, 18, 21}));
  EXPECT_EQ(s.weights, std::vector<double>(21, 1.0));
}

RC_GTEST_PROP(StructureOf, IsSymmetricWithSelfLoopsAndVirtualEdges, ()) {
  const auto graphs = *any_graphs(1);
  expect_sound(structure_of(batch_of(graphs, 1), *rc::gen::inRange<int64_t>(1, 4)));
}

TEST(Coarsen, SumsWeightsTwiceOverForAMergedNodeThatIsMergedAgain) {
  // A path 0 - 1 - 2 - 3; 2 and 3 merge, then 1 and the merged node: what is left is 0 and one node for three.
  const Structure path = structure_of(batch_of({{4, {{0, 1}, {1, 2}, {2, 3}}, std::vector<float>(4), 0}}, 1), 1);
  const Coarsening first = coarsen(path, {1, 1, 0, 0}, true, EdgeWeights::multiplicity);
  // Rows: virtual 0, nodes 1 and 2, merged 3. Virtual - merged weighs 2, node 2 (once 1) - merged 1.
  EXPECT_EQ(first.structure.columns, (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 0, 2, 3}));
  EXPECT_EQ(first.structure.weights, (std::vector<double>{1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1}));
  EXPECT_EQ(first.new_raw_of_raw, (std::vector<int64_t>{0, 1, 2, 2}));
  const Coarsening second = coarsen(first.structure, {1, 0, 0}, true, EdgeWeights::multiplicity);
  EXPECT_EQ(second.structure.columns, (std::vector<int64_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(second.structure.weights, (std::vector<double>{1, 1, 3, 1, 1, 1, 3, 1, 1}));
  EXPECT_EQ(second.new_raw_of_raw, (std::vector<int64_t>{0, 1, 1}));
}

TEST(Coarsen, TakesTheKeptNodesOwnRowOnceSoftmaxHasMadeWeightsAsymmetric) {
  // w_{new,i} = w_{i,new} = sum over dropped j of w_ij: the row of the node that stays, not the dropped one's.
  Structure pair = structure_of(batch_of({{3, {{0, 1}, {1, 2}}, std::vector<float>(3), 0}}, 1), 1);
  for (std::size_t e = 0; e < pair.weights.size(); ++e) pair.weights[e] = 0.1 * static_cast<double>(e + 1);
  // Rows of weights: virtual .1 .2 .3 .4 | 0: (v) .5 (0) .6 (1) .7 | 1: (v) .8 (0) .9 (1) 1.0 (2) 1.1 | 2: 1.2 1.3 1.4
  const Matrix after = matrix_of(coarsen(pair, {1, 0, 1}, true, EdgeWeights::multiplicity).structure);
  EXPECT_NEAR(after.at({0, 3}), 0.3, 1e-15);
  EXPECT_NEAR(after.at({3, 0}), 0.3, 1e-15);
  EXPECT_NEAR(after.at({1, 3}), 0.7, 1e-15);
  EXPECT_NEAR(after.at({3, 1}), 0.7, 1e-15);
  EXPECT_NEAR(after.at({2, 3}), 1.3, 1e-15);
  EXPECT_NEAR(after.at({3, 2}), 1.3, 1e-15);
  EXPECT_NEAR(after.at({3, 3}), 1, 1e-15);
}

TEST(Coarsen, RefusesAChoiceOfAnotherLength) {
  const Structure s = structure_of(batch_of({{3, {}, std::vector<float>(3), 0}}, 1), 1);
  EXPECT_ANY_THROW(coarsen(s, {1, 0}, true, EdgeWeights::none));
}

RC_GTEST_PROP(Coarsen, KeepsEdgesAndAddsUpThoseOfTheDropped, ()) {
  const Case c = any_case(EdgeWeights::multiplicity);
  const Coarsening result = coarsen(c.structure, c.keep, true, EdgeWeights::multiplicity);
  expect_sound(result.structure);
  const Matrix expected = naive_weights(c.structure, c.keep, result), found = matrix_of(result.structure);
  RC_ASSERT(found == expected);  // counts: exact in double
}

RC_GTEST_PROP(Coarsen, SoftmaxesTheRowsOfGraphsThatMerge, ()) {
  const Case c = any_case(EdgeWeights::softmax);
  const Structure after = coarsen(c.structure, c.keep, true, EdgeWeights::softmax).structure;
  const Coarsening plain = coarsen(c.structure, c.keep, true, EdgeWeights::multiplicity);
  expect_sound(after);
  RC_ASSERT(after.columns == plain.structure.columns);
  const std::vector<int64_t> graph = after.graph_of_row(), old_graph = c.structure.graph_of_row();
  for (int64_t row = 0; row < after.rows(); ++row) {
    const bool merges = std::any_of(plain.dropped_rows.begin(), plain.dropped_rows.end(),
                                    [&](int64_t dropped) { return old_graph[dropped] == graph[row]; });
    double sum = 0;
    for (int64_t e = after.row_offsets[row]; e < after.row_offsets[row + 1]; ++e) {
      sum += std::exp(plain.structure.weights[e]);
    }
    for (int64_t e = after.row_offsets[row]; e < after.row_offsets[row + 1]; ++e) {
      const double expected = merges ? std::exp(plain.structure.weights[e]) / sum : plain.structure.weights[e];
      RC_ASSERT(std::abs(after.weights[e] - expected) < 1e-14);
    }
  }
}

RC_GTEST_PROP(Coarsen, GivesMergedNodesASelfLoopOfOneBeforeTheSoftmax, ()) {
  const Case c = any_case(EdgeWeights::multiplicity);
  const Coarsening result = coarsen(c.structure, c.keep, true, EdgeWeights::multiplicity);
  const Matrix matrix = matrix_of(result.structure);
  for (int64_t row = 0; row < result.structure.rows(); ++row) {
    if (result.source[row] >= c.structure.rows()) RC_ASSERT(matrix.at({row, row}) == 1.0);
  }
}

RC_GTEST_PROP(Coarsen, LetsAVirtualNodeCountTheOriginalNodesUnderMultiplicity, ()) {
  const auto graphs = *any_graphs(1);
  const auto tasks = *rc::gen::inRange<int64_t>(1, 4);
  Structure s = structure_of(batch_of(graphs, 1), tasks);
  for (int layer = 0; layer < 3; ++layer) {
    for (int64_t row = 0; row < s.virtual_rows(); ++row) {
      RC_ASSERT(row_sum(s, row) == static_cast<double>(graphs[row / tasks].nodes + 1));
    }
    s = coarsen(s, any_keep(s, 0.5), true, EdgeWeights::multiplicity).structure;
  }
}

RC_GTEST_PROP(Coarsen, GivesEveryEdgeTheWeightOneWithoutWeights, ()) {
  const Case c = any_case(EdgeWeights::none);
  const Coarsening result = coarsen(c.structure, c.keep, true, EdgeWeights::none);
  expect_sound(result.structure);
  RC_ASSERT(result.structure.columns ==
            coarsen(c.structure, c.keep, true, EdgeWeights::multiplicity).structure.columns);
  RC_ASSERT(result.structure.weights == std::vector<double>(result.structure.columns.size(), 1.0));
}

RC_GTEST_PROP(Coarsen, WithoutMergingLeavesTheInducedSubgraph, ()) {
  const EdgeWeights edge_weights =
      *rc::gen::element(EdgeWeights::softmax, EdgeWeights::multiplicity, EdgeWeights::none);
  const Case c = any_case(edge_weights);
  const Coarsening result = coarsen(c.structure, c.keep, false, edge_weights);
  expect_sound(result.structure);
  RC_ASSERT(result.merged_nodes == 0);
  const Matrix before = matrix_of(c.structure), after = matrix_of(result.structure);
  std::size_t expected_edges = 0;
  for (const auto& entry : before) {
    const auto stays = [&](int64_t row) {
      return row < c.structure.virtual_rows() || c.keep[row - c.structure.virtual_rows()];
    };
    expected_edges += stays(entry.first.first) && stays(entry.first.second) ? 1 : 0;
  }
  RC_ASSERT(after.size() == expected_edges);
  for (const auto& entry : after) {
    const auto [i, j] = entry.first;
    RC_ASSERT(before.at({result.source[i], result.source[j]}) == entry.second);
  }
}

RC_GTEST_PROP(Coarsen, TellsWhereEveryNodeWent, ()) {
  const Case c = any_case(EdgeWeights::multiplicity);
  const bool merge = *rc::gen::arbitrary<bool>();
  const Coarsening result = coarsen(c.structure, c.keep, merge, EdgeWeights::multiplicity);
  const int64_t first_raw = c.structure.virtual_rows();
  for (int64_t row = 0; row < first_raw; ++row) RC_ASSERT(result.source[row] == row);
  for (int64_t g = 0; g < c.structure.graphs; ++g) {
    int64_t kept = 0, dropped = 0;
    for (int64_t i = c.structure.raw_offsets[g]; i < c.structure.raw_offsets[g + 1]; ++i) {
      const int64_t now = result.new_raw_of_raw[i];
      const int64_t begin = result.structure.raw_offsets[g], end = result.structure.raw_offsets[g + 1];
      if (c.keep[i]) {
        RC_ASSERT(now == begin + kept++);  // kept ones keep their order
        RC_ASSERT(result.source[first_raw + now] == first_raw + i);
      } else if (merge) {
        RC_ASSERT(now == end - 1);  // the merged node comes after them
        RC_ASSERT(result.source[first_raw + now] >= c.structure.rows());
        ++dropped;
      } else {
        RC_ASSERT(now == -1);
      }
    }
    RC_ASSERT(result.structure.raw_offsets[g + 1] - result.structure.raw_offsets[g] == kept + (dropped > 0 ? 1 : 0));
  }
}

}  // namespace
}  // namespace dotin::ops::reference
