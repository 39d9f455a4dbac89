#include "dotin/models/relevance.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "dotin/layers/backbone.h"
#include "dotin/network/relevance.h"
#include "dotin/ops/linear.h"
#include "dotin/ops/mix.h"
#include "dotin/ops/rows.h"
#include "dotin/ops/scalar_type.h"
#include "dotin/ops/segments.h"

namespace dotin::models {

namespace {

constexpr double kLeastEvidence = 1e-9;  // of the most: so that a graph whose gates are all 0 has a logarithm

std::string layer_name(int64_t layer, const char* what) { return fmt::format("layers.{}.{}", layer, what); }

std::shared_ptr<const kernels::Level> level_of(const batch::Batch& batch) {
  auto level = std::make_shared<kernels::Level>();
  level->node_offsets = batch.node_offsets;
  level->row_offsets = batch.row_offsets;
  level->columns = batch.neighbours;
  return level;
}

at::Tensor linear(const layers::ParameterSet& parameters, const std::string& name, const at::Tensor& rows) {
  return ops::linear(rows, parameters.get(name + ".weight"), parameters.get(name + ".bias"));
}

/// [nodes, D]: what the layers make of every node, x_i <- x_i + ReLU(norm(A x_i + b + B sum_j gate_j x_j)), and then
/// x_i + ReLU(C x_i + c). gate [nodes, 1], undefined for 1.
at::Tensor node_rows(const layers::ParameterSet& parameters, const batch::Batch& batch, const at::Tensor& gate) {
  const auto level = level_of(batch);
  const ops::SharedRows input = ops::input_rows(batch, parameters.get("input.weight"));
  at::Tensor x = input.code.empty() ? input.rows : ops::select_rows(input.rows, input.code, {});
  for (int64_t l = 0; l < network::kRelevanceLayers; ++l) {
    const auto get = [&](const char* what) { return parameters.get(layer_name(l, what)); };
    const at::Tensor sums = ops::mix(ops::Mixing::adjacency, level, gate.defined() ? x * gate : x);
    const at::Tensor z = linear(parameters, layer_name(l, "own"), x) + sums.mm(get("others.weight").t());
    x = x + at::layer_norm(z, {network::kRelevanceHidden}, get("norm.weight"), get("norm.bias"), 1e-5).relu();
  }
  return x + linear(parameters, "inner", x).relu();
}

std::vector<int64_t> offsets_of(const batch::Batch& batch) {
  return {batch.node_offsets.begin(), batch.node_offsets.end()};
}

/// [nodes]: the graph of every node.
at::Tensor graph_of_node(const batch::Batch& batch) {
  std::vector<int64_t> graph_of;
  for (int32_t g = 0; g < batch.graphs(); ++g)
    graph_of.insert(graph_of.end(), static_cast<std::size_t>(batch.node_offsets[g + 1] - batch.node_offsets[g]), g);
  return at::tensor(graph_of, at::kLong);
}

/// [graphs, 2 D]: the mean of the rows, and the largest.
at::Tensor read_out(const at::Tensor& rows, const batch::Batch& batch) {
  const std::vector<int64_t> offsets = offsets_of(batch);
  return at::cat({ops::segment_means(rows, offsets), ops::segment_max(rows, offsets)}, 1);
}

}  // namespace

Detectors::Detectors(const RelevanceOptions& options, double nodes) : parameters_(options.seed, options.type) {
  parameters_.add(network::detector_parameters(options.shape, nodes));
  parameters_.add_constant("gain", {options.shape.statements}, std::log(std::exp(1.0) - 1));  // softplus of it is 1
}

at::Tensor Detectors::forward(const batch::Batch& batch, const at::Tensor& gate) const {
  const at::Tensor evidence = linear(parameters_, "evidence", node_rows(parameters_, batch, gate));
  const std::vector<int64_t> offsets = offsets_of(batch);
  const at::Tensor most = ops::segment_max(evidence.detach(), offsets);
  at::Tensor share = (evidence - most.index_select(0, graph_of_node(batch))).exp();
  if (gate.defined()) share = share * gate;
  return most + (ops::segment_sums(share, offsets) + kLeastEvidence).log();
}

at::Tensor Detectors::gains() const { return at::softplus(parameters_.get("gain")); }

at::Tensor Detectors::features(const batch::Batch& batch) const {
  const at::Tensor rows = node_rows(parameters_, batch, {});
  const at::Tensor evidence = linear(parameters_, "evidence", rows).sigmoid();
  return at::cat({at::layer_norm(rows, {network::kRelevanceHidden}, {}, {}, 1e-5), evidence}, 1).detach();
}

Ranker::Ranker(const RelevanceOptions& options) : parameters_(options.seed, options.type) {
  parameters_.add(network::ranker_parameters(options.shape));
}

at::Tensor Ranker::forward(const batch::Batch& batch, const at::Tensor& features) const {
  const auto level = level_of(batch);
  const at::Tensor rows = features.narrow(1, 0, network::kRelevanceHidden).contiguous();
  at::Tensor channels = linear(parameters_, "channels", features).relu();
  std::vector<double> shares;
  for (int32_t i = 0; i < batch.nodes(); ++i)
    shares.push_back(1.0 / (1 + batch.row_offsets[i + 1] - batch.row_offsets[i]));
  const at::Tensor share = at::tensor(shares, at::kDouble).to(channels.scalar_type()).unsqueeze(1);
  std::vector<at::Tensor> hops = {channels};
  for (int64_t hop = 0; hop < network::kRelevanceHops; ++hop) {
    channels = share * (channels + ops::mix(ops::Mixing::adjacency, level, channels));
    hops.push_back(channels);
  }
  const at::Tensor around = at::cat(hops, 1);
  const at::Tensor context = read_out(rows, batch).mm(parameters_.get("context.weight").t());
  const at::Tensor mixed =
      (linear(parameters_, "mixed", at::cat({rows, around}, 1)) + context.index_select(0, graph_of_node(batch))).relu();
  return linear(parameters_, "score", mixed) + around.mm(parameters_.get("direct.weight").t());
}

Scorer::Scorer(const RelevanceOptions& options) : options_(options), parameters_(options.seed, options.type) {
  parameters_.add(network::scorer_parameters(options.shape));
}

void Scorer::take(Detectors& detectors, Ranker& ranker) {
  for (const auto& [name, parameter] : parameters_.all()) {
    const layers::ParameterSet& from = detectors.parameters().has(name) ? detectors.parameters() : ranker.parameters();
    parameter.detach().copy_(from.get(name).detach());
  }
}

std::vector<double> Scorer::scores(const batch::Batch& batch) const {
  const batch::Batch own = batch::with_own_columns(batch, options_.columns);
  return ops::with_scalar(parameters_.all().front().second, [&](auto zero) {
    using Scalar = decltype(zero);
    return network::relevance_scores<Scalar>(
        own, options_.shape, [this](const std::string& name) { return parameters_.get(name).data_ptr<Scalar>(); });
  });
}

}  // namespace dotin::models
