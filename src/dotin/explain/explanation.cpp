#include "dotin/explain/explanation.h"

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"

namespace dotin::explain {

namespace {

/// Softmax of one task's logits over a graph's raw nodes [first, last).
std::vector<double> softmax_column(const models::LayerTrace& trace, int64_t first, int64_t last, int64_t tasks,
                                   int64_t task) {
  std::vector<double> values;
  for (int64_t i = first; i < last; ++i)
    values.push_back(trace.logits_by_task[static_cast<std::size_t>(i * tasks + task)]);
  const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
  return values;
}

}  // namespace

std::vector<GraphExplanation> explain_batch(const batch::Batch& batch, const models::Forward& forward, int64_t tasks) {
  DOTIN_ASSERT(!forward.trace.empty());
  const auto layers = static_cast<int32_t>(forward.trace.size());
  std::vector<GraphExplanation> result;
  for (int32_t g = 0; g < batch.anchors; ++g) {
    GraphExplanation explanation;
    explanation.graph = batch.graph_index[g];
    const int32_t nodes = batch.node_offsets[g + 1] - batch.node_offsets[g];
    explanation.departure.assign(static_cast<std::size_t>(nodes), layers);
    // Original nodes that are still nodes of their own, and which raw row of the layer each is.
    std::vector<std::pair<int32_t, int64_t>> alive;
    for (int32_t i = 0; i < nodes; ++i) alive.emplace_back(i, batch.node_offsets[g] + i);
    for (int32_t l = 0; l < layers; ++l) {
      const models::LayerTrace& trace = forward.trace[static_cast<std::size_t>(l)];
      const int64_t first = trace.raw_offsets[g];
      LayerExplanation layer;
      for (const auto& entry : alive) layer.entered.push_back(entry.first);
      for (int64_t k = 0; k < tasks; ++k) {
        const std::vector<double> all = softmax_column(trace, first, trace.raw_offsets[g + 1], tasks, k);
        std::vector<double>& mine = layer.attentiveness.emplace_back();
        for (const auto& entry : alive) mine.push_back(all[static_cast<std::size_t>(entry.second - first)]);
      }
      std::vector<std::pair<int32_t, int64_t>> still;
      for (const auto& [node, row] : alive) {
        if (trace.keep[static_cast<std::size_t>(row)]) {
          layer.kept.push_back(node);
          still.emplace_back(node, trace.new_raw_of_raw[static_cast<std::size_t>(row)]);
        } else {
          layer.dropped.push_back(node);
          explanation.departure[static_cast<std::size_t>(node)] = l;
        }
      }
      alive = std::move(still);
      explanation.layers.push_back(std::move(layer));
    }
    result.push_back(std::move(explanation));
  }
  return result;
}

}  // namespace dotin::explain
