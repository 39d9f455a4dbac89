#include "dotin/models/model.h"

#include <numeric>
#include <set>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/network/backbones.h"
#include "dotin/network/layer_settings.h"
#include "dotin/network/ranking.h"
#include "dotin/ops/linear.h"
#include "dotin/ops/scalar_type.h"
#include "dotin/ops/values.h"

namespace dotin::models {

namespace ref = ops::reference;

namespace {

/// [rows, D] of 0 and 1 / (1 - share), the numbers that the fused engine multiplies with.
at::Tensor dropout_mask(const kernels::Dropout& dropout, const at::Tensor& rows) {
  at::Tensor mask = at::empty(rows.sizes(), at::TensorOptions(rows.scalar_type()));
  ops::with_scalar(mask, [&](auto zero) {
    kernels::dropout_mask(dropout, rows.size(0), rows.size(1), mask.data_ptr<decltype(zero)>());
  });
  return mask.to(rows.device());
}

}  // namespace

/// The state between two layers.
struct Model::Rows {
  at::Tensor x;  // [rows, D]: virtual rows first, then raw ones
  ref::Structure structure;
};

Model::Model(const network::ModelOptions& options, int64_t input_width, std::vector<network::Head> heads, uint64_t seed)
    : options_(options),
      input_width_(input_width),
      heads_(std::move(heads)),
      parameters_(seed, options.precision == Precision::float64 ? at::kDouble : at::kFloat),
      edge_weights_(ref::EdgeWeights::multiplicity) {
  options_.validate();
  edge_weights_ = network::edge_weights(options_);
  if (heads_.empty()) core::fail_usage("a model needs at least one task");
  std::set<std::string> names;
  for (const network::Head& head : heads_) {
    if (!names.insert(head.name).second) core::fail_usage("task '{}' is given twice: name each one", head.name);
  }
  const bool virtual_nodes = options_.has_virtual_nodes();
  layers::BackboneOptions backbone_options;
  backbone_options.hidden = options_.hidden;
  backbone_options.tasks = virtual_nodes ? tasks() : 0;
  backbone_options.tau = options_.tau();
  backbone_options.edge_weights = virtual_nodes ? edge_weights_ : ref::EdgeWeights::multiplicity;
  backbone_options.task_gates = options_.task_gates;
  backbone_ = layers::make_backbone(options_.backbone, backbone_options);
  if (virtual_nodes && network::about(options_.backbone).fixed_weights && tasks() > 1 && !options_.task_gates) {
    core::fail_usage(
        "backbone {} with {} tasks and `task_gates` off: with fixed edge weights all virtual nodes learn the same; "
        "leave the gates on, or use `backbone` gat",
        core::word(options_.backbone), tasks());
  }

  parameters_.add(network::input_parameters(options_, input_width_, tasks()));
  if (!virtual_nodes) make_pooling();
  for (int64_t l = 0; l < options_.layers; ++l) parameters_.add(network::layer_parameters(options_, tasks(), l));
  parameters_.add(network::head_parameters(heads_, virtual_nodes ? options_.hidden : readout_->width()));
}

Forward Model::forward(const batch::Batch& batch, const ForwardOptions& options) const {
  if (!options_.ranks_by_relevance() || options.repeat != nullptr) return run(batch, options);
  DOTIN_ASSERT(scorer_ != nullptr);
  std::vector<network::LayerTrace> choices =
      network::choices_by_rank(scorer_->scores(batch), tasks(), batch, options_, options.drop_factor);
  ForwardOptions chosen = options;
  chosen.repeat = &choices;
  Forward result = run(batch, chosen);
  // What decided is the ranking, and not the attention of the layer.
  for (std::size_t l = 0; l < result.trace.size(); ++l) {
    result.trace[l].logits = std::move(choices[l].logits);
    result.trace[l].logits_by_task = std::move(choices[l].logits_by_task);
  }
  return result;
}

Forward Model::run(const batch::Batch& batch, const ForwardOptions& options) const {
  Forward result;
  const bool virtual_nodes = options_.has_virtual_nodes();
  at::Tensor read;  // [graphs, width], or with several virtual nodes [graphs, K, D]
  if (virtual_nodes) {
    read = fused() ? fused_forward(batch, options, result) : reference_forward(batch, options, result);
    if (tasks() > 1) read = read.view({batch.graphs(), tasks(), options_.hidden});
  } else {
    read = pooled_forward(batch, options, result);
  }
  for (int64_t k = 0; k < tasks(); ++k) {
    const std::string prefix = "heads." + heads_[static_cast<std::size_t>(k)].name;
    const at::Tensor weight = parameters_.get(prefix + ".weight"), bias = parameters_.get(prefix + ".bias");
    const at::Tensor embedding = virtual_nodes && tasks() > 1 ? read.select(1, k) : read;
    result.embeddings.push_back(embedding);
    result.outputs.push_back(fused() ? ops::linear(embedding, weight, bias) : at::addmm(bias, embedding, weight.t()));
  }
  return result;
}

at::Tensor Model::reference_forward(const batch::Batch& batch, const ForwardOptions& options, Forward& result) const {
  const at::Tensor input = parameters_.get("input.weight");
  const at::Tensor virtual_nodes = parameters_.get("virtual");
  LayerClock clock(result.layer_seconds);
  Rows rows;
  rows.structure = ref::structure_of(batch, tasks());
  const at::Tensor raw = ref::feature_rows(batch, input_width_, input.detach()).mm(input.t());
  rows.x = at::cat({virtual_nodes.repeat({batch.graphs(), 1}), raw});
  for (int64_t l = 0; l < options_.layers; ++l) {
    layer_forward(l, rows, batch, options, result);
    clock.layer_is_done();
  }
  return rows.x;
}

kernels::Dropout Model::dropout(const ForwardOptions& options) const {
  return {options.training ? options_.dropout : 0, options.random_key};
}

void Model::layer_forward(int64_t layer, Rows& rows, const batch::Batch& batch, const ForwardOptions& options,
                          Forward& result) const {
  const layers::LayerParameters parameters(parameters_, layer);
  const bool last = layer == options_.layers - 1;
  const ref::EdgeTensors edges = ref::edge_tensors(rows.structure, rows.x.detach());
  const int64_t first_raw = edges.virtual_rows();
  const int64_t raw_nodes = rows.structure.raw_nodes();

  const at::Tensor q = rows.x.mm(parameters.get("query.weight").t());
  const at::Tensor p = rows.x.mm(parameters.get("key.weight").t());
  const at::Tensor coefficients = backbone_->coefficients({rows.x, q, p, edges}, parameters);
  at::Tensor h = ref::aggregate(coefficients, rows.x, edges);

  const at::Tensor own = ref::attentiveness_by_task(q, p, edges, options_.tau());
  at::Tensor scores = own;
  if (options_.attentiveness == Attentiveness::smoothed) scores = ref::aggregate(coefficients, own, edges);
  if (options_.attentiveness == Attentiveness::both) scores = own + ref::aggregate(coefficients, own, edges);
  scores = scores.narrow(0, first_raw, raw_nodes);
  const at::Tensor logits = scores.sum(1);
  const bool gated = options_.gate && !last;
  // One more column, so that dropping and merging treat it as they treat the rows it belongs to.
  if (gated) {
    const at::Tensor open = at::cat({at::ones({first_raw}, h.options()), 1 + scores.tanh().mean(1)});
    h = at::cat({h, open.unsqueeze(1)}, 1);
  }

  network::LayerTrace trace;
  if (options.trace) {
    trace.raw_offsets = rows.structure.raw_offsets;
    if (!last) trace.logits = ops::to_doubles(logits);
    trace.logits_by_task = ops::to_doubles(own.narrow(0, first_raw, raw_nodes));
  }
  if (last) {
    // Nothing but the virtual rows is read after this.
    h = h.narrow(0, 0, first_raw);
    rows.x = rows.x.narrow(0, 0, first_raw);
    trace.keep.assign(static_cast<std::size_t>(raw_nodes), 1);
    for (int64_t i = 0; i < raw_nodes; ++i) trace.new_raw_of_raw.push_back(i);
  } else {
    drop_and_merge(layer, rows, h, logits, batch, options, trace);
  }
  if (options.trace) result.trace.push_back(std::move(trace));

  const at::Tensor gate = gated ? h.narrow(1, options_.hidden, 1) : at::Tensor();
  rows.x = next_rows(layer, h.narrow(1, 0, options_.hidden), rows.x, gate, options);
}

at::Tensor Model::next_rows(int64_t layer, const at::Tensor& h, const at::Tensor& x, const at::Tensor& gate,
                            const ForwardOptions& options) const {
  const layers::LayerParameters parameters(parameters_, layer);
  at::Tensor next = backbone_->transform(h, x, parameters);
  if (options_.norm == Norm::layer) {
    next = at::layer_norm(next, {options_.hidden}, parameters.get("norm.weight"), parameters.get("norm.bias"), 1e-5);
  }
  next = at::elu(next);
  if (gate.defined()) next = next * gate;
  const kernels::Dropout dropped = dropout(options).with(static_cast<uint64_t>(layer));
  if (dropped.share > 0) next = next * dropout_mask(dropped, next);
  return options_.residual ? next + x : next;
}

void Model::drop_and_merge(int64_t layer, Rows& rows, at::Tensor& h, const at::Tensor& logits,
                           const batch::Batch& batch, const ForwardOptions& options, network::LayerTrace& trace) const {
  std::vector<int32_t> graphs(static_cast<std::size_t>(batch.graphs()));
  std::iota(graphs.begin(), graphs.end(), 0);
  std::vector<uint8_t> keep = network::Chooser(options_, batch, options)
                                  .choose(layer, graphs, ops::to_doubles(logits), rows.structure.raw_offsets);
  ref::Coarsening coarsening = ref::coarsen(rows.structure, keep, options_.merge, edge_weights_);
  trace.new_raw_of_raw = coarsening.new_raw_of_raw;
  trace.keep = std::move(keep);
  if (coarsening.dropped_rows.empty()) return;

  if (coarsening.merged_nodes > 0) {
    const at::Tensor dropped = ref::index_tensor(coarsening.dropped_rows, logits);
    const at::Tensor merged = ref::index_tensor(coarsening.merged_into, logits);
    const int64_t first_raw = rows.structure.virtual_rows();
    at::Tensor score = logits;
    if (options_.merge_weights == MergeWeights::softmax) {
      const at::Tensor graph_of_raw =
          ref::index_tensor(rows.structure.graph_of_row(), logits).narrow(0, first_raw, logits.size(0));
      score = ref::segment_softmax(logits, graph_of_raw, rows.structure.graphs);
    }
    const at::Tensor lambda =
        ref::segment_softmax(score.index_select(0, dropped - first_raw), merged, coarsening.merged_nodes).unsqueeze(1);
    const auto with_merged = [&](const at::Tensor& all) {
      return at::cat({all, ref::segment_sum(lambda * all.index_select(0, dropped), merged, coarsening.merged_nodes)});
    };
    h = with_merged(h);
    rows.x = with_merged(rows.x);
  }
  const at::Tensor source = ref::index_tensor(coarsening.source, logits);
  h = h.index_select(0, source);
  rows.x = rows.x.index_select(0, source);
  rows.structure = std::move(coarsening.structure);
}

}  // namespace dotin::models
