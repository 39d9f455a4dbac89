#include <ATen/ATen.h>

#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

at::Tensor DiffPool::logits(const PoolInput& input) const {
  const at::Tensor rows = mixed(input.level, ops::Mixing::normalised_with_loops, input.layer_input);
  return at::addmm(input.parameters.get("assign.bias"), rows, input.parameters.get("assign.weight").t());
}

ClusterPool::Clustered DiffPool::cluster(const PoolLevel& level, const at::Tensor& s) const {
  Clustered result;
  result.adjacency = graph_products(level, s, mixed(level, ops::Mixing::adjacency, s));
  // |A - S S^T|^2 = |A|^2 - 2 tr(S^T A S) + |S^T S|^2: no n x n matrix is needed.
  const at::Tensor traces = result.adjacency.diagonal(0, 1, 2).sum(1);
  const at::Tensor squared = squared_adjacency(level) - 2 * traces + graph_products(level, s, s).square().sum({1, 2});
  const at::Tensor link = squared.clamp_min(1e-12).sqrt();
  const at::Tensor entropy = -graph_sums(level, (s * s.clamp_min(1e-12).log()).sum(1));
  result.loss = (link + entropy) / graph_sizes(level).clamp_min(1);
  return result;
}

}  // namespace dotin::drop
