#include <ATen/ATen.h>

#include <cmath>

#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"
#include "dotin/layers/normalise.h"

namespace dotin::drop {

namespace {

constexpr double kTiny = 1e-12;

/// Of each graph. The identity over the root of its size is the S^T S of balanced, disjoint clusters.
at::Tensor orthogonality_loss(const PoolLevel& level, const at::Tensor& s) {
  const at::Tensor products = graph_products(level, s, s);
  const at::Tensor norm = products.square().sum({1, 2}, true).clamp_min(kTiny).sqrt();
  const int64_t clusters = s.size(1);
  const at::Tensor ideal = at::eye(clusters, s.options()) / std::sqrt(static_cast<double>(clusters));
  return (products / norm - ideal).square().sum({1, 2}).clamp_min(kTiny).sqrt();
}

/// Without its diagonal, D^-1/2 A D^-1/2.
at::Tensor normalised(const at::Tensor& adjacency) {
  const at::Tensor hollow = adjacency - at::diag_embed(adjacency.diagonal(0, 1, 2));
  const at::Tensor scale = layers::inverse_root(hollow.sum(2));
  return scale.unsqueeze(2) * hollow * scale.unsqueeze(1);
}

}  // namespace

at::Tensor MinCut::logits(const PoolInput& input) const {
  return at::addmm(input.parameters.get("assign.bias"), input.level.x, input.parameters.get("assign.weight").t());
}

ClusterPool::Clustered MinCut::cluster(const PoolLevel& level, const at::Tensor& s) const {
  constexpr auto kMixing = ops::Mixing::normalised_adjacency;
  const at::Tensor adjacency = graph_products(level, s, mixed(level, kMixing, s));
  const at::Tensor degrees = mixed(level, kMixing, at::ones({level.nodes()}, s.options()));
  const at::Tensor inside = graph_sums(level, degrees * s.square().sum(1));  // tr(S^T D S)
  Clustered result;
  result.loss = orthogonality_loss(level, s) - adjacency.diagonal(0, 1, 2).sum(1) / inside.clamp_min(kTiny);
  result.adjacency = normalised(adjacency);
  return result;
}

}  // namespace dotin::drop
