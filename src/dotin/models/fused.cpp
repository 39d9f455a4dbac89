// The model on the fused engine: ops/fused_network with this model's parameters and choices.
#include "dotin/models/model.h"
#include "dotin/ops/fused_network.h"

namespace dotin::models {

namespace {

kernels::Attentiveness attentiveness_of(const std::string& name) {
  if (name == "own") return kernels::Attentiveness::own;
  return name == "smoothed" ? kernels::Attentiveness::smoothed : kernels::Attentiveness::both;
}

}  // namespace

bool Model::fused() const {
  return options_.engine == "fused" && options_.backbone == "gat" && parameters_.device().is_cpu();
}

at::Tensor Model::fused_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  kernels::LayerSettings settings;
  settings.hidden = options_.hidden;
  settings.attention = options_.attention_width();
  settings.tasks = static_cast<int32_t>(tasks());
  settings.tau = options_.tau();
  settings.edge_weights = edge_weights_;
  settings.attentiveness = attentiveness_of(options_.attentiveness);
  settings.gate = options_.gate;
  settings.merge = options_.merge;
  settings.softmax_merge_weights = options_.merge_weights == "softmax";
  settings.residual = options_.residual;
  settings.savings = options.savings;

  ops::FusedParameters parameters{parameters_.get("input.weight"), parameters_.get("virtual"), {}};
  for (int64_t l = 0; l < options_.layers; ++l) {
    const layers::LayerParameters layer(parameters_, l);
    const bool norm = layer.has("norm.weight");
    parameters.layers.push_back({layer.get("query.weight"), layer.get("key.weight"), layer.get("linear.weight"),
                                 layer.get("linear.bias"), norm ? layer.get("norm.weight") : at::Tensor(),
                                 norm ? layer.get("norm.bias") : at::Tensor()});
  }
  ops::FusedHooks hooks;
  hooks.choose = [&](int64_t layer, const std::vector<int32_t>& graphs, const at::Tensor& logits,
                     const std::vector<int64_t>& raw_offsets) {
    return choose(layer, graphs, logits, raw_offsets, batch, options);
  };
  hooks.in_one_part = options.fixed_keep != nullptr;  // which is of the batch as a whole
  if (options.training && options_.dropout > 0) {
    hooks.make_mask = [&](int64_t layer, const std::vector<int32_t>& graphs, int64_t rows) {
      return dropout_mask(rows, layer, graphs.front(), options);
    };
  }
  std::vector<ops::FusedTrace> trace;
  const at::Tensor embeddings =
      ops::fused_network(settings, parameters, batch, hooks, options.trace ? &trace : nullptr, &result.layer_seconds);
  for (ops::FusedTrace& layer : trace) {
    result.trace.push_back({std::move(layer.raw_offsets), std::move(layer.logits), std::move(layer.logits_by_task),
                            std::move(layer.keep), std::move(layer.new_raw_of_raw)});
  }
  return embeddings;
}

}  // namespace dotin::models
