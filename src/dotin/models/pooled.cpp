// The model without virtual nodes: layers, a pooling method after them, and a read-out that gives one embedding.
#include <ATen/ATen.h>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/drop/choose.h"
#include "dotin/drop/methods.h"
#include "dotin/models/fused.h"
#include "dotin/models/model.h"
#include "dotin/ops/rows.h"
#include "dotin/ops/sparse_layer.h"
#include "dotin/ops/values.h"

namespace dotin::models {

namespace ref = ops::reference;

void Model::make_pooling() {
  const drop::MethodAbout& method = drop::about(options_.drop);
  if (method.has(drop::Trait::clusters) && options_.clusters == 0) {
    core::fail_usage("--drop {} needs a number of --clusters", options_.drop);
  }
  if (options_.readout_name() == "sortpool" && options_.sort_k == 0) {
    core::fail_usage("--readout sortpool needs a --sort-k");
  }
  drop::PoolOptions pool;
  pool.hidden = options_.hidden;
  pool.dense_limit = options_.dense_limit << 20;
  for (int64_t l = 0; l < options_.layers; ++l) pool.clusters.push_back(options_.clusters_of(l));
  pool_ = drop::make_pool(options_.drop, pool);
  const int64_t pooled_layers = options_.layers - (method.has(drop::Trait::after_last_layer) ? 0 : 1);
  for (int64_t l = 0; l < pooled_layers; ++l) pool_->add_parameters(parameters_, l);

  readout::ReadoutOptions readout;
  readout.hidden = options_.hidden;
  readout.layers = options_.layers;
  readout.steps = options_.set2set_steps;
  readout.sort_k = options_.sort_k;
  readout.drop_ratio = options_.drop_ratio.front();
  readout_ = readout::make_readout(options_.readout_name(), readout);
  readout_->add_parameters(parameters_);
}

at::Tensor Model::pooled_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  const at::Tensor input = parameters_.get("input.weight");
  const at::Tensor x =
      fused() ? ops::input_rows(batch, input) : ref::feature_rows(batch, input_width_, input.detach()).mm(input.t());
  const drop::PoolLevel level = drop::level_of(batch, x, fused());
  if (options_.drop != "dropgnn") return read_once(level, batch, options, result);

  // DropGNN (Papp et al. 2021, section 3): r runs on graphs without some nodes, in training and evaluation alike.
  at::Tensor total;
  for (int64_t run = 0; run < options_.dropgnn_runs; ++run) {
    ForwardOptions own = options;
    own.random_key = core::mix(options.random_key, static_cast<uint64_t>(run));
    const std::vector<uint64_t> keys = graph_keys(batch, own.random_key, options_.layers);
    const at::Tensor read = read_once(
        drop::induced(level, drop::keep_by_chance(level.offsets, options_.dropgnn_p, keys)), batch, own, result);
    total = total.defined() ? total + read : read;
  }
  return total / static_cast<double>(options_.dropgnn_runs);
}

at::Tensor Model::pooled_layer(int64_t layer, const drop::PoolLevel& level, const ForwardOptions& options) const {
  const layers::LayerParameters parameters(parameters_, layer);
  if (level.sparse != nullptr) {
    const bool masked = options.training && options_.dropout > 0;
    return ops::sparse_layer(layer_settings(options_), layer_parameters(parameters), level.sparse, level.x,
                             masked ? dropout_mask(level.nodes(), layer, 0, options) : at::Tensor());
  }
  at::Tensor q, p;
  if (parameters.has("query.weight")) {
    q = level.x.mm(parameters.get("query.weight").t());
    p = level.x.mm(parameters.get("key.weight").t());
  }
  const at::Tensor coefficients = backbone_->coefficients({level.x, q, p, level.edges}, parameters);
  return next_rows(layer, ref::aggregate(coefficients, level.x, level.edges), level.x, {}, options);
}

at::Tensor Model::read_once(drop::PoolLevel level, const batch::Batch& batch, const ForwardOptions& options,
                            Forward& result) const {
  const drop::MethodAbout& method = drop::about(options_.drop);
  std::vector<drop::PoolLevel> layers;
  for (int64_t l = 0; l < options_.layers; ++l) {
    const layers::LayerParameters parameters(parameters_, l);
    const at::Tensor layer_input = level.x;
    level.x = pooled_layer(l, level, options);

    LayerTrace trace;
    trace.raw_offsets = level.offsets;
    if (l < options_.layers - 1 || method.has(drop::Trait::after_last_layer)) {
      const double drop_factor = method.has(drop::Trait::warm_up) ? options.drop_factor : 1;
      const std::vector<uint64_t> keys = graph_keys(batch, options.random_key, l);
      const auto* const fixed =
          options.fixed_keep != nullptr ? &(*options.fixed_keep)[static_cast<std::size_t>(l)] : nullptr;
      drop::Pooled pooled =
          pool_->pool({l, layer_input, level, options_.drop_ratio_of(l) * drop_factor, keys, parameters, fixed});
      if (pooled.loss.defined()) {
        const at::Tensor loss = options_.auxiliary_weight * pooled.loss;
        result.auxiliary = result.auxiliary.defined() ? result.auxiliary + loss : loss;
      }
      level = std::move(pooled.level);
      if (pooled.scores.defined()) trace.logits = ops::to_doubles(pooled.scores);
      trace.keep = std::move(pooled.keep);
      trace.new_raw_of_raw = std::move(pooled.new_of_old);
    } else {
      trace.keep.assign(static_cast<std::size_t>(level.nodes()), 1);
      trace.new_raw_of_raw = drop::renumbered(trace.keep);
    }
    if (options.trace && method.has(drop::Trait::chooses_nodes)) result.trace.push_back(std::move(trace));
    layers.push_back(level);
  }
  return readout_->read(layers, parameters_);
}

}  // namespace dotin::models
