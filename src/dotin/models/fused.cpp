// The model on the fused engine: ops/fused_network with this model's parameters and choices.
#include "dotin/models/fused.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "dotin/core/error.h"
#include "dotin/models/model.h"
#include "dotin/ops/fused_network.h"

namespace dotin::models {

namespace {

/// Numbers of rows and edges in all layers that are worth a thread. Measured with two, where 25,000, 50,000 and 100,000
/// were tried: with 50,000, batches of D&D at hidden 64 and 128, and of PROTEINS and NCI1 without drop at hidden 128
/// take 0.7 to 0.95 of the time of one thread; NCI1 with drop, and small graphs at hidden 64, take as long as on one.
constexpr double kNumbersPerThread = 40'000;

kernels::Attentiveness attentiveness_of(const std::string& name) {
  if (name == "own") return kernels::Attentiveness::own;
  return name == "smoothed" ? kernels::Attentiveness::smoothed : kernels::Attentiveness::both;
}

kernels::Backbone backbone_of(const std::string& name) {
  if (name == "gat") return kernels::Backbone::gat;
  if (name == "gcn") return kernels::Backbone::gcn;
  if (name == "gin") return kernels::Backbone::gin;
  DOTIN_ASSERT(name == "sage");
  return kernels::Backbone::sage;
}

}  // namespace

kernels::LayerSettings layer_settings(const ModelOptions& options) {
  kernels::LayerSettings settings;
  settings.backbone = backbone_of(options.backbone);
  settings.hidden = options.hidden;
  settings.attention = options.attention_width();
  settings.tau = options.tau();
  settings.residual = options.residual;
  return settings;
}

ops::FusedLayerParameters layer_parameters(const layers::LayerParameters& layer) {
  static const kernels::LayerParameters<const char*> names = {
      "query.weight", "key.weight",   "linear.weight", "linear.bias", "norm.weight",     "norm.bias",
      "self.weight",  "inner.weight", "inner.bias",    "eps",         "task_gate.weight"};
  ops::FusedLayerParameters parameters;
  kernels::for_each_parameter(
      [&layer](at::Tensor& parameter, const char* name) {
        if (layer.has(name)) parameter = layer.get(name);
      },
      parameters, names);
  return parameters;
}

int64_t Model::parts_of(const batch::Batch& batch, const ForwardOptions& options) const {
  if (options.parts > 0) return options.parts;
  // Rows and edges of the layers but the last, where only virtual nodes are computed; the first has its shared rows.
  double layers = 0.2, left = 1;
  for (int64_t l = 1; l < options_.layers - 1; ++l) {
    left *= 1 - options_.drop_ratio_of(l - 1) * options.drop_factor;
    layers += left;
  }
  const auto size = static_cast<double>(batch.nodes() + static_cast<int64_t>(batch.neighbours.size()));
  const double numbers = size * static_cast<double>(options_.hidden) * layers;
  return std::min<int64_t>(at::get_num_threads(), static_cast<int64_t>(numbers / kNumbersPerThread));
}

bool Model::fused() const { return options_.runs_fused() && parameters_.device().is_cpu(); }

at::Tensor Model::fused_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  kernels::LayerSettings settings = layer_settings(options_);
  settings.tasks = static_cast<int32_t>(tasks());
  settings.edge_weights = edge_weights_;
  settings.attentiveness = attentiveness_of(options_.attentiveness);
  settings.gate = options_.gate;
  settings.merge = options_.merge;
  settings.softmax_merge_weights = options_.merge_weights == "softmax";
  settings.savings = options.savings;

  ops::FusedParameters parameters{parameters_.get("input.weight"), parameters_.get("virtual"), {}};
  for (int64_t l = 0; l < options_.layers; ++l) {
    parameters.layers.push_back(layer_parameters(layers::LayerParameters(parameters_, l)));
  }
  ops::FusedHooks hooks;
  hooks.choose = [&](int64_t layer, const std::vector<int32_t>& graphs, const at::Tensor& logits,
                     const std::vector<int64_t>& raw_offsets) {
    return choose(layer, graphs, logits, raw_offsets, batch, options);
  };
  hooks.parts = parts_of(batch, options);
  hooks.dropout = dropout(options);
  std::vector<ops::FusedTrace> trace;
  const at::Tensor embeddings = fused_network_.forward(settings, parameters, batch, hooks,
                                                       options.trace ? &trace : nullptr, &result.layer_seconds);
  for (ops::FusedTrace& layer : trace) {
    result.trace.push_back({std::move(layer.raw_offsets), std::move(layer.logits), std::move(layer.logits_by_task),
                            std::move(layer.keep), std::move(layer.new_raw_of_raw)});
  }
  return embeddings;
}

}  // namespace dotin::models
