#include "dotin/network/layer_settings.h"

#include "dotin/core/error.h"
#include "dotin/network/backbones.h"

namespace dotin::network {

namespace {

kernels::Attentiveness attentiveness_of(const std::string& name) {
  if (name == "own") return kernels::Attentiveness::own;
  return name == "smoothed" ? kernels::Attentiveness::smoothed : kernels::Attentiveness::both;
}

}  // namespace

kernels::EdgeWeights edge_weights(const ModelOptions& options) {
  if (options.edge_weights == "softmax") return kernels::EdgeWeights::softmax;
  if (options.edge_weights == "multiplicity") return kernels::EdgeWeights::multiplicity;
  DOTIN_ASSERT(options.edge_weights == "none");
  return kernels::EdgeWeights::none;
}

kernels::LayerSettings layer_settings(const ModelOptions& options, int64_t tasks) {
  kernels::LayerSettings settings;
  settings.backbone = backbone(options.backbone).kernel.value();
  settings.hidden = options.hidden;
  settings.attention = options.attention_width();
  settings.tau = options.tau();
  settings.residual = options.residual;
  if (tasks == 0) return settings;
  settings.tasks = static_cast<int32_t>(tasks);
  settings.edge_weights = edge_weights(options);
  settings.attentiveness = attentiveness_of(options.attentiveness);
  settings.gate = options.gate;
  settings.merge = options.merge;
  settings.softmax_merge_weights = options.merge_weights == "softmax";
  return settings;
}

}  // namespace dotin::network
