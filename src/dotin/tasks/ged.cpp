#include <cmath>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/tasks/kinds.h"
#include "dotin/tasks/metrics.h"

namespace dotin::tasks {

namespace {

at::Tensor nodes_of_anchors(const batch::Batch& batch, const at::Tensor& like) {
  const at::Tensor nodes = at::empty({batch.anchors}, like.options().device(at::kCPU).dtype(at::kDouble));
  for (int32_t g = 0; g < batch.anchors; ++g) {
    nodes.data_ptr<double>()[g] = batch.node_offsets[g + 1] - batch.node_offsets[g];
  }
  return nodes.to(like.device(), like.scalar_type());
}

}  // namespace

at::Tensor Ged::distances(const at::Tensor& output, const batch::Batch& batch) const {
  DOTIN_ASSERT(batch.graphs() == 3 * batch.anchors);
  const at::Tensor anchors = output.narrow(0, 0, batch.anchors);
  const at::Tensor edited = output.narrow(0, batch.anchors, 2 * batch.anchors).reshape({2, batch.anchors, -1});
  // Graphs that cannot be edited differ from their copies by rounding, if at all: nothing to learn from.
  at::Tensor d = at::linalg_vector_norm(edited - anchors, 2, at::IntArrayRef{2}).clamp_min(1e-6);
  // An embedding averages over nodes, so an edit moves it by 1/nodes; edited graphs have as many nodes as their anchor.
  if (by_nodes_) d = d * nodes_of_anchors(batch, output);
  return squared_ ? d.square() : d;
}

void Ged::fit(const data::View& train, const LossOptions& options) {
  squared_ = options.ged_squared;
  margin_ = options.ged_margin;
  by_nodes_ = options.ged_by_nodes;
  for (int64_t i = 0; i < train.size(); ++i) {
    if (train.get(i).directed_edges() > 0) return;
  }
  core::fail("task '{}': no training graph has an edge to substitute", name());
}

nlohmann::json Ged::to_json() const {
  return {
      {"distance", squared_ ? "squared" : "euclidean"}, {"margin", margin_}, {"scale", by_nodes_ ? "nodes" : "none"}};
}

void Ged::from_json(const nlohmann::json& json) {
  squared_ = json.at("distance").get<std::string>() == "squared";
  margin_ = json.at("margin").get<double>();
  by_nodes_ = json.at("scale").get<std::string>() == "nodes";
}

at::Tensor Ged::loss(const at::Tensor& output, const batch::Batch& batch, const BoundTargets&) const {
  const at::Tensor d = distances(output, batch);
  return (d[0] - d[1] + margin_).clamp_min(0).mean();
}

void Ged::collect(const at::Tensor& output, const batch::Batch& batch, const BoundTargets&,
                  Collected& collected) const {
  const auto append = [](std::vector<double>& values, const at::Tensor& tensor) {
    const at::Tensor rows = tensor.to(at::kCPU, at::kDouble).contiguous();
    values.insert(values.end(), rows.data_ptr<double>(), rows.data_ptr<double>() + rows.numel());
  };
  const at::Tensor d = distances(output.detach(), batch);
  append(collected.d_pos, d[0]);
  append(collected.d_neg, d[1]);
}

std::vector<Metric> Ged::metrics(const Collected& collected) const {
  return {{"triplet_accuracy", triplet_accuracy(collected.d_pos, collected.d_neg), true},
          {"pair_auc", pair_auc(collected.d_pos, collected.d_neg), true}};
}

nlohmann::json Ged::prediction(const double* output, int64_t width) const {
  return {{"embedding", std::vector<double>(output, output + width)}};
}

double Ged::change(const double* before, const double* after, int64_t width) const {
  double apart = 0, length = 0;
  for (int64_t c = 0; c < width; ++c) {
    apart += (after[c] - before[c]) * (after[c] - before[c]);
    length += before[c] * before[c];
  }
  return apart > 0 ? std::sqrt(apart / length) : 0;
}

}  // namespace dotin::tasks
