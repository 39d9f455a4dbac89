#include <ATen/ATen.h>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"
#include "dotin/drop/level_sums.h"
#include "dotin/drop/pools.h"

namespace dotin::drop {

int64_t cluster_bytes(int64_t nodes, int64_t edges, int64_t clusters, int64_t scalar_bytes) {
  // Where all pairs are edges, A S is a product of matrices; otherwise rows of S are gathered along the edges.
  const bool all_pairs = edges == nodes * nodes;
  const int64_t along_edges = all_pairs ? 6 * edges : 2 * edges * clusters;
  // S, its logits, A S, their like in the losses, and gradients; A' and its gradient.
  return scalar_bytes * (along_edges + clusters * (8 * nodes + 4 * clusters));
}

void check_cluster_bytes(int64_t nodes, int64_t edges, int64_t clusters, int64_t scalar_bytes, int64_t limit) {
  const int64_t bytes = cluster_bytes(nodes, edges, clusters, scalar_bytes);
  DOTIN_CHECK(bytes <= limit,
              "putting a graph of {} nodes into {} clusters takes about {}, more than the {} of `dense_limit`: lower "
              "`clusters`, raise `drop_ratio` or `dense_limit`, or use a method that stays sparse, e.g. `drop` sagpool",
              nodes, clusters, core::format_bytes(bytes), core::format_bytes(limit));
}

void ClusterPool::add_parameters(layers::ParameterSet& parameters, int64_t layer) const {
  const int64_t clusters = options_.clusters[static_cast<std::size_t>(layer)];
  layers::add_linear(parameters, "layers." + std::to_string(layer) + ".assign", clusters, options_.hidden);
}

namespace {

/// Edges of each graph, self-loops included.
std::vector<int64_t> edge_counts(const PoolLevel& level) {
  const int64_t complete = level.edges.complete;
  if (complete > 0) return std::vector<int64_t>(static_cast<std::size_t>(level.graphs()), complete * complete);
  std::vector<int64_t> counts;
  if (level.sparse == nullptr) {
    const std::vector<int64_t> offsets = edge_offsets(level.edges, level.offsets);
    for (std::size_t g = 1; g < offsets.size(); ++g) counts.push_back(offsets[g] - offsets[g - 1]);
    return counts;
  }
  const std::vector<int32_t>& row_offsets = level.sparse->row_offsets;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], last = level.offsets[g + 1];
    counts.push_back(row_offsets[last] - row_offsets[first] + last - first);
  }
  return counts;
}

ops::SoftClusters clusters_of(const PoolLevel& level, ops::Mixing mixing, const at::Tensor& logits) {
  if (level.sparse != nullptr) return ops::soft_clusters(logits, level.x, {mixing, level.sparse, {}}, level.offsets);
  if (level.fused && level.edges.complete > 0) {
    const std::vector<int64_t> shape = {level.graphs(), level.edges.complete, level.edges.complete};
    const at::Tensor dense = mixing_weights(level, mixing).view(shape);
    return ops::soft_clusters(logits, level.x, {mixing, nullptr, dense}, level.offsets);
  }
  const at::Tensor share = logits.softmax(1);
  return {share, -(share * logits.log_softmax(1)).sum(1), graph_products(level, share, level.x),
          graph_products(level, share, mixed(level, mixing, share)), graph_products(level, share, share)};
}

}  // namespace

Pooled ClusterPool::pool(const PoolInput& input) const {
  const PoolLevel& level = input.level;
  const int64_t graphs = level.graphs(), clusters = options_.clusters[static_cast<std::size_t>(input.layer)];
  const std::vector<int64_t> edges_of = edge_counts(level);
  for (int64_t g = 0; g < graphs; ++g) {
    check_cluster_bytes(level.offsets[g + 1] - level.offsets[g], edges_of[g], clusters, level.x.element_size(),
                        options_.dense_limit);
  }
  const ops::SoftClusters shared = clusters_of(level, mixing(), logits(input));
  const Clustered clustered = cluster(level, shared);
  Pooled result;
  result.loss = (clustered.loss * graph_sizes(level).clamp_max(1)).sum() / static_cast<double>(graphs);
  result.level.fused = level.fused;
  result.level.x = shared.x.view({graphs * clusters, level.x.size(1)});
  ops::reference::EdgeTensors& edges = result.level.edges;
  const at::Tensor index = at::arange(graphs * clusters, at::kLong);
  edges.row = index.unsqueeze(1).expand({-1, clusters}).flatten();
  edges.column = index.view({graphs, 1, clusters}).expand({-1, clusters, -1}).flatten();
  edges.weight = (clustered.adjacency + at::eye(clusters, level.x.options())).flatten();
  edges.graph_of = at::arange(graphs, at::kLong).repeat_interleave(clusters);
  edges.rows = graphs * clusters;
  edges.graphs = graphs;
  edges.complete = clusters;
  for (int64_t g = 0; g <= graphs; ++g) result.level.offsets.push_back(g * clusters);
  return result;
}

}  // namespace dotin::drop
