// Soft clusters: values against plain torch, gradients against central differences.
#include "dotin/ops/soft_clusters.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::ops {
namespace {

using dotin::testing::gradients_match;
using dotin::testing::random_tensor;

constexpr int64_t kClusters = 3;

/// M of each graph as one matrix over all nodes.
void expect_definition(const SoftClusters& clusters, const at::Tensor& logits, const at::Tensor& x, const at::Tensor& m,
                       const std::vector<int64_t>& offsets) {
  const at::Tensor share = logits.softmax(1);
  EXPECT_TRUE(at::allclose(clusters.share, share, 0, 1e-14));
  EXPECT_TRUE(at::allclose(clusters.entropy, -(share * share.log()).sum(1), 0, 1e-13));
  ASSERT_EQ(clusters.x.size(0), static_cast<int64_t>(offsets.size()) - 1);
  for (int64_t g = 0; g < clusters.x.size(0); ++g) {
    const int64_t first = offsets[g], nodes = offsets[g + 1] - first;
    const at::Tensor s = share.narrow(0, first, nodes), own = m.narrow(0, first, nodes).narrow(1, first, nodes);
    EXPECT_TRUE(at::allclose(clusters.x[g], s.t().mm(x.narrow(0, first, nodes)), 0, 1e-13)) << "graph " << g;
    EXPECT_TRUE(at::allclose(clusters.adjacency[g], s.t().mm(own).mm(s), 0, 1e-13)) << "graph " << g;
    EXPECT_TRUE(at::allclose(clusters.overlap[g], s.t().mm(s), 0, 1e-13)) << "graph " << g;
  }
}

at::Tensor all_of(const SoftClusters& clusters) {
  return at::cat({clusters.share.flatten(), clusters.entropy, clusters.x.flatten(), clusters.adjacency.flatten(),
                  clusters.overlap.flatten()});
}

TEST(SoftClusters, AreThoseOfTheDefinitionOnEdges) {
  const batch::Batch batch = dotin::testing::batch_of(dotin::testing::ragged_graphs(3), 3);
  const auto level = std::make_shared<kernels::Level>();
  level->node_offsets = batch.node_offsets;
  level->row_offsets = batch.row_offsets;
  level->columns = batch.neighbours;
  const std::vector<int64_t> offsets(batch.node_offsets.begin(), batch.node_offsets.end());
  const at::Tensor logits = random_tensor({batch.nodes(), kClusters}, 1), x = random_tensor({batch.nodes(), 2}, 2);
  for (const Mixing mixing : {Mixing::adjacency, Mixing::normalised_adjacency, Mixing::normalised_with_loops}) {
    const GraphMatrices matrices = {mixing, level, {}};
    const at::Tensor m = mix(mixing, level, at::eye(batch.nodes(), at::kDouble));
    expect_definition(soft_clusters(logits, x, matrices, offsets), logits, x, m, offsets);
    EXPECT_TRUE(gradients_match([&] { return all_of(soft_clusters(logits, x, matrices, offsets)); }, {logits, x}));
  }
}

TEST(SoftClusters, AreThoseOfTheDefinitionOnMatricesThatAreWrittenOut) {
  const std::vector<int64_t> offsets = {0, 4, 8};
  const at::Tensor any = random_tensor({2, 4, 4}, 3).detach();
  const at::Tensor dense = (any + any.transpose(1, 2)).requires_grad_();
  const at::Tensor logits = random_tensor({8, kClusters}, 1), x = random_tensor({8, 2}, 2);
  const auto clusters = [&] { return soft_clusters(logits, x, {Mixing::adjacency, nullptr, dense}, offsets); };
  expect_definition(clusters(), logits, x, at::block_diag({dense[0], dense[1]}), offsets);
  EXPECT_TRUE(gradients_match([&] { return all_of(clusters()); }, {logits, x, dense}));
}

TEST(SoftClusters, HaveGradientsWhereOneOfTheResultsAloneIsUsed) {
  const std::vector<int64_t> offsets = {0, 4, 8};
  const at::Tensor any = random_tensor({2, 4, 4}, 3).detach();
  const at::Tensor dense = any + any.transpose(1, 2);
  const at::Tensor logits = random_tensor({8, kClusters}, 1), x = random_tensor({8, 2}, 2);
  const auto clusters = [&] { return soft_clusters(logits, x, {Mixing::adjacency, nullptr, dense}, offsets); };
  EXPECT_TRUE(gradients_match([&] { return clusters().share; }, {logits}));
  EXPECT_TRUE(gradients_match([&] { return clusters().entropy; }, {logits}));
  EXPECT_TRUE(gradients_match([&] { return clusters().x; }, {logits, x}));
  EXPECT_TRUE(gradients_match([&] { return clusters().adjacency; }, {logits}));
  EXPECT_TRUE(gradients_match([&] { return clusters().overlap; }, {logits}));
}

}  // namespace
}  // namespace dotin::ops
