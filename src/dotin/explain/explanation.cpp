#include "dotin/explain/explanation.h"

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"

namespace dotin::explain {

namespace {

/// Softmax of one task's logits over a graph's raw nodes [first, last).
std::vector<double> softmax_column(const network::LayerTrace& trace, int64_t first, int64_t last, int64_t tasks,
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

/// A node or merged node that is still in the graph, and which raw row of the layer it is.
struct Present {
  int32_t name;  // original index, or the layer that made it
  int64_t row;
};

/// Follows one graph of a batch through the layers.
class Walk {
 public:
  Walk(const batch::Batch& batch, int32_t g, int32_t layers, int64_t tasks) : g_(g), layers_(layers), tasks_(tasks) {
    explanation_.graph = batch.graph_index[g];
    const int32_t nodes = batch.node_offsets[g + 1] - batch.node_offsets[g];
    explanation_.departure.assign(static_cast<std::size_t>(nodes), layers);
    for (int32_t i = 0; i < nodes; ++i) nodes_.push_back({i, batch.node_offsets[g] + i});
  }

  void pass(int32_t l, const network::LayerTrace& trace) {
    LayerExplanation layer;
    for (const Present& node : nodes_) layer.entered.push_back(node.name);
    for (const Present& node : merged_) layer.merged.push_back(node.name);
    share_attentiveness(trace, layer);
    if (!trace.logits.empty()) {
      for (const Present& node : nodes_) layer.score.push_back(trace.logits[static_cast<std::size_t>(node.row)]);
    }

    int64_t merged_row = -1;
    MergedNode made{l, layers_, {}};
    const auto leaves = [&](const Present& node) {
      if (trace.keep[static_cast<std::size_t>(node.row)]) return false;
      merged_row = trace.new_raw_of_raw[static_cast<std::size_t>(node.row)];
      return true;
    };
    std::vector<Present> still;
    for (const Present& node : nodes_) {
      if (leaves(node)) {
        layer.dropped.push_back(node.name);
        made.stands_for.push_back(node.name);
        explanation_.departure[static_cast<std::size_t>(node.name)] = l;
      } else {
        layer.kept.push_back(node.name);
        still.push_back({node.name, trace.new_raw_of_raw[static_cast<std::size_t>(node.row)]});
      }
    }
    nodes_ = std::move(still);
    std::vector<Present> still_merged;
    for (const Present& node : merged_) {
      if (leaves(node)) {
        MergedNode& old = merged_of_layer(node.name);
        old.departure = l;
        made.stands_for.insert(made.stands_for.end(), old.stands_for.begin(), old.stands_for.end());
      } else {
        still_merged.push_back({node.name, trace.new_raw_of_raw[static_cast<std::size_t>(node.row)]});
      }
    }
    merged_ = std::move(still_merged);
    if (merged_row >= 0) {
      std::sort(made.stands_for.begin(), made.stands_for.end());
      explanation_.merged.push_back(std::move(made));
      merged_.push_back({l, merged_row});
    }
    explanation_.layers.push_back(std::move(layer));
  }

  GraphExplanation take() { return std::move(explanation_); }

 private:
  void share_attentiveness(const network::LayerTrace& trace, LayerExplanation& layer) const {
    if (trace.logits_by_task.empty()) return;
    const int64_t first = trace.raw_offsets[g_];
    for (int64_t k = 0; k < tasks_; ++k) {
      const std::vector<double> all = softmax_column(trace, first, trace.raw_offsets[g_ + 1], tasks_, k);
      const auto shares_of = [&](const std::vector<Present>& present) {
        std::vector<double> shares;
        for (const Present& node : present) shares.push_back(all[static_cast<std::size_t>(node.row - first)]);
        return shares;
      };
      layer.attentiveness.push_back(shares_of(nodes_));
      layer.merged_attentiveness.push_back(shares_of(merged_));
    }
  }

  MergedNode& merged_of_layer(int32_t layer) {
    return *std::find_if(explanation_.merged.begin(), explanation_.merged.end(),
                         [layer](const MergedNode& node) { return node.layer == layer; });
  }

  int32_t g_;
  int32_t layers_;
  int64_t tasks_;
  GraphExplanation explanation_;
  std::vector<Present> nodes_, merged_;
};

}  // namespace

std::vector<GraphExplanation> explain_batch(const batch::Batch& batch, const std::vector<network::LayerTrace>& trace,
                                            int64_t tasks) {
  DOTIN_ASSERT(!trace.empty());
  const auto layers = static_cast<int32_t>(trace.size());
  std::vector<GraphExplanation> result;
  for (int32_t g = 0; g < batch.anchors; ++g) {
    Walk walk(batch, g, layers, tasks);
    for (int32_t l = 0; l < layers; ++l) walk.pass(l, trace[static_cast<std::size_t>(l)]);
    result.push_back(walk.take());
  }
  return result;
}

}  // namespace dotin::explain
