#include "support/graphs.h"

#include <algorithm>
#include <set>

#include "dotin/core/random.h"

namespace dotin::testing {

batch::Batch batch_of(const std::vector<SmallGraph>& graphs, int32_t width) {
  batch::Batch batch;
  batch.dense_width = width;
  batch.anchors = static_cast<int32_t>(graphs.size());
  batch.node_offsets = {0};
  batch.row_offsets = {0};
  for (const SmallGraph& graph : graphs) {
    const int32_t first = batch.node_offsets.back();
    std::vector<std::vector<int32_t>> neighbours(static_cast<std::size_t>(graph.nodes));
    for (const auto& [u, v] : graph.edges) {
      neighbours[u].push_back(first + v);
      neighbours[v].push_back(first + u);
    }
    for (auto& row : neighbours) {
      std::sort(row.begin(), row.end());
      batch.neighbours.insert(batch.neighbours.end(), row.begin(), row.end());
      batch.row_offsets.push_back(static_cast<int32_t>(batch.neighbours.size()));
    }
    batch.node_offsets.push_back(first + graph.nodes);
    batch.graph_index.push_back(graph.index);
    batch.dense.insert(batch.dense.end(), graph.features.begin(), graph.features.end());
  }
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    for (int32_t e = batch.row_offsets[i]; e < batch.row_offsets[i + 1]; ++e) {
      const int32_t j = batch.neighbours[e];
      const auto begin = batch.neighbours.begin() + batch.row_offsets[j];
      const auto end = batch.neighbours.begin() + batch.row_offsets[j + 1];
      batch.reverse.push_back(static_cast<int32_t>(std::lower_bound(begin, end, i) - batch.neighbours.begin()));
    }
  }
  return batch;
}

SmallGraph renamed(const SmallGraph& graph, const std::vector<int32_t>& new_of_old, int32_t width) {
  SmallGraph result = graph;
  for (auto& [u, v] : result.edges) {
    u = new_of_old[u];
    v = new_of_old[v];
  }
  for (int32_t i = 0; i < graph.nodes; ++i) {
    std::copy_n(graph.features.begin() + i * width, width, result.features.begin() + new_of_old[i] * width);
  }
  return result;
}

namespace {

std::vector<float> normal_features(int32_t nodes, int32_t width, uint64_t seed) {
  core::Rng rng(seed);
  std::vector<float> features(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(width));
  for (float& value : features) value = static_cast<float>(rng.normal());
  return features;
}

}  // namespace

rc::Gen<std::vector<SmallGraph>> any_graphs(int32_t width) {
  return rc::gen::exec([width] {
    std::vector<SmallGraph> graphs(static_cast<std::size_t>(*rc::gen::inRange(1, 5)));
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      SmallGraph& graph = graphs[g];
      graph.nodes = *rc::gen::inRange(1, 13);
      const auto ends = rc::gen::pair(rc::gen::inRange(0, graph.nodes), rc::gen::inRange(0, graph.nodes));
      std::set<std::pair<int32_t, int32_t>> edges;
      for (const auto& [u, v] : *rc::gen::container<std::vector<std::pair<int32_t, int32_t>>>(ends)) {
        if (u != v) edges.insert(std::minmax(u, v));
      }
      graph.edges.assign(edges.begin(), edges.end());
      graph.features = normal_features(graph.nodes, width, *rc::gen::arbitrary<uint64_t>());
      graph.index = static_cast<int64_t>(g) + *rc::gen::inRange(0, 1000);
    }
    return graphs;
  });
}

std::vector<SmallGraph> ragged_graphs(int32_t width) {
  std::vector<SmallGraph> graphs = {
      {6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}, {1, 4}}, {}, 7},
      {1, {}, {}, 3},
      {4, {}, {}, 12},
      {5, {{0, 1}, {1, 2}, {0, 2}, {2, 4}}, {}, 0},
  };
  for (SmallGraph& graph : graphs) {
    graph.features = normal_features(graph.nodes, width, 100 + static_cast<uint64_t>(graph.index));
  }
  return graphs;
}

}  // namespace dotin::testing
