#include <ATen/ATen.h>

#include "dotin/drop/pools.h"
#include "dotin/layers/normalise.h"

namespace dotin::drop {

namespace ref = ops::reference;

at::Tensor DiffPool::logits(const Graph& graph, const layers::LayerParameters& parameters) const {
  const at::Tensor weights = layers::normalised_weights(graph.edges.weight, graph.edges);
  return at::addmm(parameters.get("assign.bias"), ref::aggregate(weights, graph.layer_input, graph.edges),
                   parameters.get("assign.weight").t());
}

ClusterPool::Clustered DiffPool::cluster(const Graph& graph, const at::Tensor& s) const {
  const at::Tensor a = adjacency_weights(graph.edges);
  Clustered result;
  result.adjacency = s.t().mm(ref::aggregate(a, s, graph.edges));
  // |A - S S^T|^2 = |A|^2 - 2 tr(S^T A S) + |S^T S|^2: no n x n matrix is needed.
  const at::Tensor squared = a.square().sum() - 2 * result.adjacency.trace() + s.t().mm(s).square().sum();
  const auto nodes = static_cast<double>(s.size(0));
  const at::Tensor link = squared.clamp_min(1e-12).sqrt() / nodes;
  const at::Tensor entropy = -(s * s.clamp_min(1e-12).log()).sum() / nodes;
  result.loss = link + entropy;
  return result;
}

}  // namespace dotin::drop
