#include <ATen/ATen.h>

#include <cmath>

#include "dotin/drop/pools.h"
#include "dotin/layers/normalise.h"

namespace dotin::drop {

namespace ref = ops::reference;

namespace {

constexpr double kTiny = 1e-12;

/// The identity over the root of its size is the S^T S of balanced, disjoint clusters.
at::Tensor orthogonality_loss(const at::Tensor& s) {
  const at::Tensor products = s.t().mm(s);
  const int64_t clusters = s.size(1);
  const at::Tensor ideal = at::eye(clusters, s.options()) / std::sqrt(static_cast<double>(clusters));
  return (products / products.norm() - ideal).square().sum().clamp_min(kTiny).sqrt();
}

/// Without its diagonal, D^-1/2 A D^-1/2.
at::Tensor normalised(const at::Tensor& adjacency) {
  const at::Tensor hollow = adjacency - at::diag(adjacency.diag());
  const at::Tensor scale = layers::inverse_root(hollow.sum(1));
  return scale.unsqueeze(1) * hollow * scale.unsqueeze(0);
}

}  // namespace

at::Tensor MinCut::logits(const Graph& graph, const layers::LayerParameters& parameters) const {
  return at::addmm(parameters.get("assign.bias"), graph.x, parameters.get("assign.weight").t());
}

ClusterPool::Clustered MinCut::cluster(const Graph& graph, const at::Tensor& s) const {
  const at::Tensor a = layers::normalised_weights(adjacency_weights(graph.edges), graph.edges);
  const at::Tensor adjacency = s.t().mm(ref::aggregate(a, s, graph.edges));
  const at::Tensor degrees = ref::segment_sum(a, graph.edges.row, graph.edges.rows);
  const at::Tensor inside = (degrees.unsqueeze(1) * s.square()).sum();  // tr(S^T D S)
  Clustered result;
  result.loss = orthogonality_loss(s) - adjacency.trace() / inside.clamp_min(kTiny);
  result.adjacency = normalised(adjacency);
  return result;
}

}  // namespace dotin::drop
