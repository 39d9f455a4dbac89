#include <cmath>

#include "dotin/core/error.h"
#include "dotin/network/metrics.h"
#include "dotin/tasks/kinds.h"

namespace dotin::tasks {

ops::TripletOptions Ged::triplet_options(const batch::Batch& batch) const {
  DOTIN_ASSERT(batch.graphs() == 3 * batch.anchors);
  ops::TripletOptions options;
  options.squared = meaning().squared;
  // An embedding averages over nodes, so an edit moves it by 1/nodes; edited graphs have as many nodes as their anchor.
  for (int32_t g = 0; meaning().by_nodes && g < batch.anchors; ++g)
    options.scale.push_back(batch.node_offsets[g + 1] - batch.node_offsets[g]);
  return options;
}

void Ged::fit(const data::View& train, const LossOptions& options) {
  meaning().squared = options.ged_squared;
  meaning().margin = options.ged_margin;
  meaning().by_nodes = options.ged_by_nodes;
  for (int64_t i = 0; i < train.size(); ++i) {
    if (train.get(i).directed_edges() > 0) return;
  }
  core::fail("task '{}': no training graph has an edge to substitute", name());
}

at::Tensor Ged::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets&) const {
  return ops::triplet_margin(output, triplet_options(batch), meaning().margin);
}

at::Tensor Ged::statements(const batch::Batch& batch, const BoundTargets&) const {
  return at::zeros({batch.anchors, 0}, at::kDouble);
}

void Ged::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets&,
                  Collected& collected) const {
  const ops::TripletDistances distances = ops::triplet_distances(output, triplet_options(batch));
  collected.d_pos.insert(collected.d_pos.end(), distances.positive.begin(), distances.positive.end());
  collected.d_neg.insert(collected.d_neg.end(), distances.negative.begin(), distances.negative.end());
}

std::vector<Metric> Ged::metrics(const Collected& collected) const {
  return {{"triplet_accuracy", network::triplet_accuracy(collected.d_pos, collected.d_neg), true},
          {"pair_auc", network::pair_auc(collected.d_pos, collected.d_neg), true}};
}

}  // namespace dotin::tasks
