#include "dotin/kernels/level.h"

#include <algorithm>
#include <cmath>

namespace dotin::kernels {

namespace {

double weight_or_one(const std::vector<double>& weights, std::size_t i) { return weights.empty() ? 1.0 : weights[i]; }

/// Softmaxes the weights of all rows of one graph: the raw rows, and the row of its virtual nodes (the same for every
/// task).
void softmax_graph(Level& level, int32_t g, int32_t tasks) {
  const int32_t first = level.node_offsets[g], last = level.node_offsets[g + 1];
  for (int32_t i = first; i < last; ++i) {
    double* const edges = level.edge_weight.data() + level.row_offsets[i];
    const int32_t count = level.row_offsets[i + 1] - level.row_offsets[i];
    double largest = std::max(level.self_weight[i], level.row_to_virtual[i]);
    for (int32_t e = 0; e < count; ++e) largest = std::max(largest, edges[e]);
    level.self_weight[i] = std::exp(level.self_weight[i] - largest);
    level.row_to_virtual[i] = std::exp(level.row_to_virtual[i] - largest);
    double sum = level.self_weight[i] + tasks * level.row_to_virtual[i];
    for (int32_t e = 0; e < count; ++e) sum += edges[e] = std::exp(edges[e] - largest);
    level.self_weight[i] /= sum;
    level.row_to_virtual[i] /= sum;
    for (int32_t e = 0; e < count; ++e) edges[e] /= sum;
  }
  double largest = level.virtual_self[g];
  for (int32_t i = first; i < last; ++i) largest = std::max(largest, level.virtual_to_row[i]);
  double sum = level.virtual_self[g] = std::exp(level.virtual_self[g] - largest);
  for (int32_t i = first; i < last; ++i) sum += level.virtual_to_row[i] = std::exp(level.virtual_to_row[i] - largest);
  level.virtual_self[g] /= sum;
  for (int32_t i = first; i < last; ++i) level.virtual_to_row[i] /= sum;
}

}  // namespace

void Level::clear() {
  for (std::vector<int32_t>* const numbers : {&node_offsets, &row_offsets, &columns}) numbers->clear();
  for (std::vector<double>* const weights :
       {&edge_weight, &self_weight, &row_to_virtual, &virtual_to_row, &virtual_self}) {
    weights->clear();
  }
  weighted = false;
}

void coarsen(const Level& old, const uint8_t* keep, bool merge, EdgeWeights edge_weights, int32_t tasks, Level& level,
             DropMap& map) {
  const int32_t graphs = old.graphs();
  level.clear();
  level.weighted = edge_weights != EdgeWeights::none && (merge || old.weighted);
  level.node_offsets.push_back(0);
  map.source.clear();
  map.new_of_old.assign(static_cast<std::size_t>(old.nodes()), -1);
  map.merged.assign(static_cast<std::size_t>(graphs), -1);
  for (int32_t g = 0; g < graphs; ++g) {
    bool drops = false;
    for (int32_t i = old.node_offsets[g]; i < old.node_offsets[g + 1]; ++i) {
      if (keep[i]) {
        map.new_of_old[i] = static_cast<int32_t>(map.source.size());
        map.source.push_back(i);
      } else {
        drops = true;
      }
    }
    if (drops && merge) {
      map.merged[g] = static_cast<int32_t>(map.source.size());
      map.source.push_back(-1);
      for (int32_t i = old.node_offsets[g]; i < old.node_offsets[g + 1]; ++i) {
        if (!keep[i]) map.new_of_old[i] = map.merged[g];
      }
    }
    level.node_offsets.push_back(static_cast<int32_t>(map.source.size()));
  }

  const auto add_edge = [&level](int32_t column, double weight) {
    level.columns.push_back(column);
    if (level.weighted) level.edge_weight.push_back(weight);
  };
  const auto end_row = [&level](double self, double to_virtual, double from_virtual) {
    level.row_offsets.push_back(level.edges());
    if (!level.weighted) return;
    level.self_weight.push_back(self);
    level.row_to_virtual.push_back(to_virtual);
    level.virtual_to_row.push_back(from_virtual);
  };
  level.row_offsets.push_back(0);
  std::vector<std::pair<int32_t, double>> to_merged;  // of one graph: kept node, sum of its weights to dropped ones
  for (int32_t g = 0; g < graphs; ++g) {
    const int32_t first = old.node_offsets[g], last = old.node_offsets[g + 1];
    to_merged.clear();
    double virtual_sum = 0;
    for (int32_t i = first; i < last; ++i) {
      if (!keep[i]) {
        virtual_sum += weight_or_one(old.virtual_to_row, i);
        continue;
      }
      double sum = 0;
      bool any = false;
      for (int32_t e = old.row_offsets[i]; e < old.row_offsets[i + 1]; ++e) {
        const int32_t j = old.columns[e];
        if (keep[j]) {
          add_edge(map.new_of_old[j], weight_or_one(old.edge_weight, e));
        } else {
          sum += weight_or_one(old.edge_weight, e);
          any = true;
        }
      }
      if (any && merge) {
        add_edge(map.merged[g], sum);
        to_merged.emplace_back(map.new_of_old[i], sum);
      }
      end_row(weight_or_one(old.self_weight, i), weight_or_one(old.row_to_virtual, i),
              weight_or_one(old.virtual_to_row, i));
    }
    if (map.merged[g] >= 0) {
      for (const auto& [node, weight] : to_merged) add_edge(node, weight);
      end_row(1, virtual_sum, virtual_sum);
    }
    if (level.weighted) level.virtual_self.push_back(weight_or_one(old.virtual_self, g));
  }
  if (level.weighted && edge_weights == EdgeWeights::softmax) {
    for (int32_t g = 0; g < graphs; ++g) {
      if (map.merged[g] >= 0) softmax_graph(level, g, tasks);
    }
  }
}

}  // namespace dotin::kernels
