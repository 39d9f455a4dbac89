// The model without virtual nodes: layers, a pooling method after them, and a read-out that gives one embedding.
#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/models/fused.h"
#include "dotin/models/model.h"
#include "dotin/network/choose.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/layer_settings.h"
#include "dotin/ops/rows.h"
#include "dotin/ops/sparse_layer.h"
#include "dotin/ops/values.h"

namespace dotin::models {

namespace ref = ops::reference;

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The graphs of a batch so many times, one copy of all after the other; without features and targets.
batch::Batch copies_of(const batch::Batch& batch, int64_t count) {
  batch::Batch copies;
  copies.node_offsets.push_back(0);
  copies.row_offsets.push_back(0);
  const auto append_shifted = [](std::vector<int32_t>& to, auto first, auto last, int32_t shift) {
    std::transform(first, last, std::back_inserter(to), [shift](int32_t value) { return value + shift; });
  };
  for (int64_t copy = 0; copy < count; ++copy) {
    const int32_t nodes = copies.nodes(), entries = copies.row_offsets.back();
    append_shifted(copies.node_offsets, batch.node_offsets.begin() + 1, batch.node_offsets.end(), nodes);
    append_shifted(copies.row_offsets, batch.row_offsets.begin() + 1, batch.row_offsets.end(), entries);
    append_shifted(copies.neighbours, batch.neighbours.begin(), batch.neighbours.end(), nodes);
  }
  return copies;
}

}  // namespace

void Model::make_pooling() {
  const network::DropMethod& method = network::about(options_.drop);
  if (method.has(network::DropTrait::clusters) && options_.clusters == 0) {
    core::fail_usage("`drop` {} needs a number of `clusters`", core::word(options_.drop));
  }
  if (options_.read() == dotin::Readout::sortpool && options_.sort_k == 0) {
    core::fail_usage("`readout` sortpool needs a `sort_k`");
  }
  drop::PoolOptions pool;
  pool.hidden = options_.hidden;
  pool.dense_limit = options_.dense_limit << 20;
  for (int64_t l = 0; l < options_.layers; ++l) pool.clusters.push_back(options_.clusters_of(l));
  pool_ = drop::make_pool(options_.drop, pool);
  const int64_t pooled_layers = options_.layers - (method.has(network::DropTrait::after_last_layer) ? 0 : 1);
  for (int64_t l = 0; l < pooled_layers; ++l) pool_->add_parameters(parameters_, l);

  readout::ReadoutOptions readout;
  readout.hidden = options_.hidden;
  readout.layers = options_.layers;
  readout.steps = options_.set2set_steps;
  readout.sort_k = options_.sort_k;
  readout.drop_ratio = options_.drop_ratio.front();
  readout_ = readout::make_readout(options_.read(), readout);
  readout_->add_parameters(parameters_);
}

at::Tensor Model::pooled_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  LayerClock clock(result.layer_seconds);
  const at::Tensor input = parameters_.get("input.weight");
  ops::SharedRows x;
  if (fused()) {
    x = ops::input_rows(batch, input);
  } else {
    x.rows = ref::feature_rows(batch, input_width_, input.detach()).mm(input.t());
  }
  if (options_.drop != Drop::dropgnn)
    return read_once(drop::level_of(batch, x, fused()), batch, options, clock, result);

  // DropGNN (Papp et al. 2021, section 3): r runs on graphs without some nodes, in training and evaluation alike. All
  // runs together are a batch of so many copies of each graph.
  const int64_t runs = options_.dropgnn_runs;
  const std::vector<int64_t> offsets(batch.node_offsets.begin(), batch.node_offsets.end());
  std::vector<uint8_t> keep;
  for (int64_t run = 0; run < runs; ++run) {
    const uint64_t key = core::mix(options.random_key, static_cast<uint64_t>(run));
    append(keep,
           network::keep_by_chance(offsets, options_.dropgnn_p, network::graph_keys(batch, key, options_.layers)));
  }
  ops::SharedRows all = x;
  if (x.code.empty()) {
    all.rows = x.rows.repeat({runs, 1});
  } else {
    for (int64_t run = 1; run < runs; ++run) append(all.code, x.code);
  }
  const drop::PoolLevel level = drop::level_of(copies_of(batch, runs), all, fused());
  const at::Tensor read = read_once(drop::induced(level, keep), batch, options, clock, result);
  return read.view({runs, batch.graphs(), read.size(1)}).mean(0);
}

at::Tensor Model::pooled_layer(int64_t layer, const drop::PoolLevel& level, const ForwardOptions& options) const {
  const layers::LayerParameters parameters(parameters_, layer);
  if (level.sparse != nullptr) {
    return ops::sparse_layer(network::layer_settings(options_, 0), layer_parameters(parameters_, layer), level.sparse,
                             {level.x, level.code}, dropout(options).with(static_cast<uint64_t>(layer)));
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
                            LayerClock& clock, Forward& result) const {
  const network::DropMethod& method = network::about(options_.drop);
  std::vector<drop::PoolLevel> layers;
  for (int64_t l = 0; l < options_.layers; ++l) {
    const layers::LayerParameters parameters(parameters_, l);
    const at::Tensor layer_input = level.code.empty() ? level.x : ops::select_rows(level.x, level.code, {});
    level.x = pooled_layer(l, level, options);
    level.code.clear();

    network::LayerTrace trace;
    trace.raw_offsets = level.offsets;
    if (l < options_.layers - 1 || method.has(network::DropTrait::after_last_layer)) {
      const double drop_factor = method.has(network::DropTrait::warm_up) ? options.drop_factor : 1;
      const std::vector<uint64_t> keys = network::graph_keys(batch, options.random_key, l);
      const auto* const fixed =
          options.repeat != nullptr ? &(*options.repeat)[static_cast<std::size_t>(l)].keep : nullptr;
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
    if (options.trace && method.has(network::DropTrait::chooses_nodes)) result.trace.push_back(std::move(trace));
    layers.push_back(level);
    clock.layer_is_done();
  }
  return readout_->read(layers, parameters_);
}

}  // namespace dotin::models
