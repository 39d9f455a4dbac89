#include "dotin/data/subgraphs.h"

#include <gtest/gtest.h>

#include "dotin/core/error.h"

namespace dotin::data {
namespace {

/// A square 0-1-2-3 with the diagonal 0-2, and a pair.
std::shared_ptr<const Dataset> two_graphs() {
  io::Records records;
  records.node_offsets = {0, 4, 6};
  records.edge_from = {0, 1, 2, 3, 0, 4};
  records.edge_to = {1, 2, 3, 0, 2, 5};
  records.node_labels = {{"atom", std::vector<int32_t>{0, 1, 0, 1, 1, 0}, {"C", "N"}}};
  records.node_attributes = {2, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  return std::make_shared<const Dataset>(build_dataset(std::move(records), DuplicatePolicy::merge));
}

std::vector<int32_t> row(const GraphView& graph, int32_t node) {
  const auto neighbours = graph.neighbours(node);
  return {neighbours.begin(), neighbours.end()};
}

TEST(InducedSubgraphs, KeepEdgesLabelsAndAttributesOfTheNodesThatStay) {
  const auto dataset = two_graphs();
  const Dataset part = induced_subgraphs(View(dataset), {{1, 0, 1, 1}, {0, 1}});
  ASSERT_EQ(part.graphs(), 2);
  const GraphView first = part.graph(0);
  ASSERT_EQ(first.nodes, 3);
  EXPECT_EQ(row(first, 0), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(row(first, 1), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(row(first, 2), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(part.graph(1).nodes, 1);
  EXPECT_EQ(part.graph(1).directed_edges(), 0);
  EXPECT_EQ(std::vector<int32_t>(part.node_labels[0].codes.begin(), part.node_labels[0].codes.end()),
            (std::vector<int32_t>{0, 0, 1, 0}));
  EXPECT_EQ(std::vector<float>(part.node_attributes.values.begin(), part.node_attributes.values.end()),
            (std::vector<float>{0, 1, 4, 5, 6, 7, 10, 11}));
  for (int64_t g = 0; g < 2; ++g) EXPECT_NO_THROW(validate_graph(part, g));
}

TEST(InducedSubgraphs, FollowTheViewAndKeepAllWhereAllStay) {
  const auto dataset = two_graphs();
  const Dataset part = induced_subgraphs(View(dataset, {1, 0}), {{1, 1}, {1, 1, 1, 1}});
  EXPECT_EQ(part.graph(0).nodes, 2);
  EXPECT_EQ(part.graph(1).directed_edges(), dataset->graph(0).directed_edges());
}

TEST(InducedSubgraphs, AGraphNeedsANode) {
  EXPECT_THROW(induced_subgraphs(View(two_graphs(), {1}), {{0, 0}}), core::Error);
}

}  // namespace
}  // namespace dotin::data
