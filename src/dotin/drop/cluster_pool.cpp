#include <ATen/ATen.h>

#include "dotin/core/error.h"
#include "dotin/core/memory.h"
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
              "putting a graph of {} nodes into {} clusters takes about {}, more than the {} of --dense-limit: lower "
              "--clusters, raise --drop-ratio or --dense-limit, or use a method that stays sparse, e.g. --drop sagpool",
              nodes, clusters, core::format_bytes(bytes), core::format_bytes(limit));
}

void ClusterPool::add_parameters(layers::ParameterSet& parameters, int64_t layer) const {
  const int64_t clusters = options_.clusters[static_cast<std::size_t>(layer)];
  layers::add_linear(parameters, "layers." + std::to_string(layer) + ".assign", clusters, options_.hidden);
}

Pooled ClusterPool::pool(const PoolInput& input) const {
  const PoolLevel& level = input.level;
  const int64_t clusters = options_.clusters[static_cast<std::size_t>(input.layer)];
  const ops::reference::EdgeTensors all_edges = edges_of(level);
  const std::vector<int64_t> edge_starts = edge_offsets(all_edges, level.offsets);
  std::vector<at::Tensor> rows, weights;
  Pooled result;
  result.loss = at::zeros({}, level.x.options());
  result.level.fused = level.fused;
  result.level.offsets.push_back(0);
  const at::Tensor self_loops = at::eye(clusters, level.x.options());
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], nodes = level.offsets[g + 1] - first;
    const int64_t first_edge = edge_starts[g], edges = edge_starts[g + 1] - first_edge;
    check_cluster_bytes(nodes, edges, clusters, level.x.element_size(), options_.dense_limit);
    Graph graph;
    graph.layer_input = input.layer_input.narrow(0, first, nodes);
    graph.x = level.x.narrow(0, first, nodes);
    graph.edges.row = all_edges.row.narrow(0, first_edge, edges) - first;
    graph.edges.column = all_edges.column.narrow(0, first_edge, edges) - first;
    graph.edges.weight = all_edges.weight.narrow(0, first_edge, edges);
    graph.edges.rows = nodes;
    graph.edges.graphs = 1;
    graph.edges.complete = all_edges.complete;
    const at::Tensor s = logits(graph, input.parameters).softmax(1);
    const Clustered clustered = cluster(graph, s);
    rows.push_back(s.t().mm(graph.x));
    weights.push_back((clustered.adjacency + self_loops).flatten());
    if (nodes > 0) result.loss = result.loss + clustered.loss / static_cast<double>(level.graphs());
    result.level.offsets.push_back((g + 1) * clusters);
  }
  result.level.x = at::cat(rows);
  ops::reference::EdgeTensors& edges = result.level.edges;
  const int64_t count = level.graphs() * clusters;
  const at::Tensor index = at::arange(count, at::kLong);
  edges.row = index.repeat_interleave(clusters);
  edges.column = index.view({level.graphs(), 1, clusters}).expand({-1, clusters, -1}).flatten();
  edges.weight = at::cat(weights);
  edges.graph_of = at::arange(level.graphs(), at::kLong).repeat_interleave(clusters);
  edges.rows = count;
  edges.graphs = level.graphs();
  edges.complete = clusters;
  return result;
}

}  // namespace dotin::drop
