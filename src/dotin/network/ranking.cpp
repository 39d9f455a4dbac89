#include "dotin/network/ranking.h"

#include <algorithm>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/kernels/select.h"

namespace dotin::network {

namespace {

double mean_of(const double* scores, int64_t tasks) {
  return std::accumulate(scores, scores + tasks, 0.0) / static_cast<double>(tasks);
}

/// Appends to `next` the scores of the nodes of one graph that are left after `keep`.
void keep_scores(const LayerTrace& layer, int64_t first, int64_t last, int64_t tasks, bool merge,
                 std::vector<double>& next) {
  int64_t best = -1;  // of those that leave
  for (int64_t i = first; i < last; ++i) {
    const double* const own = layer.logits_by_task.data() + i * tasks;
    if (layer.keep[i] != 0) {
      next.insert(next.end(), own, own + tasks);
    } else if (best < 0 || layer.logits[i] > layer.logits[best]) {
      best = i;
    }
  }
  if (best < 0 || !merge) return;
  const double* const merged = layer.logits_by_task.data() + best * tasks;
  next.insert(next.end(), merged, merged + tasks);
}

}  // namespace

std::vector<LayerTrace> choices_by_rank(const std::vector<double>& scores, int64_t tasks, const batch::Batch& batch,
                                        const ModelOptions& options, double drop_factor) {
  DOTIN_ASSERT(static_cast<int64_t>(scores.size()) == batch.nodes() * tasks);
  std::vector<LayerTrace> layers(static_cast<std::size_t>(options.layers));
  layers[0].raw_offsets.assign(batch.node_offsets.begin(), batch.node_offsets.end());
  layers[0].logits_by_task = scores;
  for (int64_t l = 0; l < options.layers; ++l) {
    LayerTrace& layer = layers[static_cast<std::size_t>(l)];
    const int64_t nodes = layer.raw_offsets.back();
    layer.keep.assign(static_cast<std::size_t>(nodes), 1);
    if (l == options.layers - 1) break;  // nothing is chosen after the last layer
    for (int64_t i = 0; i < nodes; ++i) layer.logits.push_back(mean_of(layer.logits_by_task.data() + i * tasks, tasks));
    LayerTrace& next = layers[static_cast<std::size_t>(l) + 1];
    next.raw_offsets.push_back(0);
    for (int32_t g = 0; g < batch.graphs(); ++g) {
      const int64_t first = layer.raw_offsets[g], last = layer.raw_offsets[g + 1];
      const int64_t drops = kernels::drop_count(last - first, options.drop_ratio_of(l) * drop_factor);
      kernels::select_nodes(layer.logits.data() + first, last - first, drops, layer.keep.data() + first);
      keep_scores(layer, first, last, tasks, options.merge, next.logits_by_task);
      next.raw_offsets.push_back(static_cast<int64_t>(next.logits_by_task.size()) / tasks);
    }
  }
  return layers;
}

}  // namespace dotin::network
