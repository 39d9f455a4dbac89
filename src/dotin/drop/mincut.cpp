#include <ATen/ATen.h>

#include <cmath>

#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"
#include "dotin/layers/normalise.h"

namespace dotin::drop {

namespace {

constexpr double kTiny = 1e-12;

/// Of each graph. The identity over the root of its size is the S^T S of balanced, disjoint clusters.
at::Tensor orthogonality_loss(const at::Tensor& overlap) {
  const at::Tensor norm = overlap.square().sum({1, 2}, true).clamp_min(kTiny).sqrt();
  const int64_t clusters = overlap.size(1);
  const at::Tensor ideal = at::eye(clusters, overlap.options()) / std::sqrt(static_cast<double>(clusters));
  return (overlap / norm - ideal).square().sum({1, 2}).clamp_min(kTiny).sqrt();
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

ops::Mixing MinCut::mixing() const { return ops::Mixing::normalised_adjacency; }

ClusterPool::Clustered MinCut::cluster(const PoolLevel& level, const ops::SoftClusters& clusters) const {
  const at::Tensor degrees = mixed(level, mixing(), at::ones({level.nodes()}, clusters.share.options()));
  const at::Tensor inside = graph_sums(level, degrees * clusters.share.square().sum(1));  // tr(S^T D S)
  const at::Tensor cut = clusters.adjacency.diagonal(0, 1, 2).sum(1) / inside.clamp_min(kTiny);
  return {normalised(clusters.adjacency), orthogonality_loss(clusters.overlap) - cut};
}

}  // namespace dotin::drop
