#include <ATen/ATen.h>

#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

at::Tensor DiffPool::logits(const PoolInput& input) const {
  const at::Tensor rows = mixed(input.level, ops::Mixing::normalised_with_loops, input.layer_input);
  return at::addmm(input.parameters.get("assign.bias"), rows, input.parameters.get("assign.weight").t());
}

ops::Mixing DiffPool::mixing() const { return ops::Mixing::adjacency; }

ClusterPool::Clustered DiffPool::cluster(const PoolLevel& level, const ops::SoftClusters& clusters) const {
  // |A - S S^T|^2 = |A|^2 - 2 tr(S^T A S) + |S^T S|^2: no n x n matrix is needed.
  const at::Tensor traces = clusters.adjacency.diagonal(0, 1, 2).sum(1);
  const at::Tensor squared = squared_adjacency(level) - 2 * traces + clusters.overlap.square().sum({1, 2});
  const at::Tensor link = squared.clamp_min(1e-12).sqrt();
  const at::Tensor loss = (link + graph_sums(level, clusters.entropy)) / graph_sizes(level).clamp_min(1);
  return {clusters.adjacency, loss};
}

}  // namespace dotin::drop
