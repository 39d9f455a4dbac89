#include "dotin/network/layer_settings.h"

#include "dotin/core/error.h"
#include "dotin/network/backbones.h"

namespace dotin::network {

namespace {

kernels::Attentiveness attentiveness_of(Attentiveness attentiveness) {
  switch (attentiveness) {
    case Attentiveness::own:
      return kernels::Attentiveness::own;
    case Attentiveness::smoothed:
      return kernels::Attentiveness::smoothed;
    case Attentiveness::both:
      return kernels::Attentiveness::both;
  }
  DOTIN_ASSERT(false);
}

}  // namespace

kernels::EdgeWeights edge_weights(const ModelOptions& options) {
  switch (options.edge_weights) {
    case EdgeWeights::softmax:
      return kernels::EdgeWeights::softmax;
    case EdgeWeights::multiplicity:
      return kernels::EdgeWeights::multiplicity;
    case EdgeWeights::none:
      return kernels::EdgeWeights::none;
  }
  DOTIN_ASSERT(false);
}

kernels::LayerSettings layer_settings(const ModelOptions& options, int64_t tasks) {
  kernels::LayerSettings settings;
  settings.backbone = about(options.backbone).kernel.value();
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
  settings.softmax_merge_weights = options.merge_weights == MergeWeights::softmax;
  return settings;
}

}  // namespace dotin::network
