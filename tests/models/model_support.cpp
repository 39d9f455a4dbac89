#include "models/model_support.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/random.h"
#include "support/graphs.h"

namespace dotin::testing {

namespace {

constexpr int32_t kDense = 3, kCodes = 5, kSecondBlock = 4;

}  // namespace

batch::Batch make_batch(Features features, const std::vector<int32_t>& sizes) {
  std::vector<SmallGraph> graphs = ragged_graphs(kDense);
  core::Rng rng(11);
  for (const int32_t nodes : sizes) {
    SmallGraph graph;
    graph.nodes = nodes;
    graph.index = static_cast<int64_t>(graphs.size());
    for (int32_t u = 0; u < nodes; ++u) {
      for (int32_t v = u + 1; v < nodes; ++v) {
        if (rng.chance(4.0 / nodes)) graph.edges.emplace_back(u, v);
      }
      for (int32_t c = 0; c < kDense; ++c) graph.features.push_back(static_cast<float>(rng.normal()));
    }
    graphs.push_back(graph);
  }
  batch::Batch batch = batch_of(graphs, kDense);
  if (features == Features::onehot || features == Features::two_blocks) {
    batch.dense.clear();
    batch.dense_width = 0;
  }
  if (features == Features::dense) return batch;
  if (features == Features::repeated) {
    for (float& value : batch.dense) value = value > 1 ? 2.5f : 0.5f;
  }
  batch.codes_per_node = features == Features::two_blocks ? 2 : 1;
  for (int32_t i = 0; i < batch.nodes(); ++i) {
    batch.codes.push_back(i == 2 ? -1 : batch.dense_width + static_cast<int32_t>(rng.below(kCodes)));
    if (features == Features::two_blocks) batch.codes.push_back(kCodes + static_cast<int32_t>(rng.below(kSecondBlock)));
  }
  return batch;
}

int64_t width_of(Features features) {
  switch (features) {
    case Features::onehot:
      return kCodes;
    case Features::two_blocks:
      return kCodes + kSecondBlock;
    case Features::dense:
      return kDense;
    default:
      return kDense + kCodes;
  }
}

double difference(const at::Tensor& a, const at::Tensor& b) {
  const double scale = std::max(1e-3, b.detach().abs().max().item<double>());
  return (a.detach() - b.detach()).abs().max().item<double>() / scale;
}

network::ModelOptions small_options(const std::string& backbone, Knobs knobs) {
  network::ModelOptions options;
  options.backbone = core::from_word<dotin::Backbone>("backbone", backbone);
  options.hidden = 3;
  options.attention_dim = 2;
  options.temperature = 0;  // sqrt(A), of which the written values are
  options.layers = 3;
  options.drop_ratio = {0.5};
  options.precision = Precision::float64;
  const bool paper = knobs == Knobs::paper;
  options.attentiveness = core::from_word<dotin::Attentiveness>("attentiveness", paper ? "own" : "both");
  options.edge_weights = core::from_word<dotin::EdgeWeights>("edge_weights", paper ? "softmax" : "multiplicity");
  options.merge_weights = core::from_word<dotin::MergeWeights>("merge_weights", paper ? "softmax" : "logits");
  options.norm = core::from_word<dotin::Norm>("norm", paper ? "none" : "layer");
  options.residual = !paper;
  options.gate = !paper;
  return options;
}

std::vector<network::Head> heads_of(int64_t tasks) {
  std::vector<network::Head> heads;
  for (int64_t k = 0; k < tasks; ++k) heads.push_back({"task" + std::to_string(k), k == 0 ? 2 : 1});
  return heads;
}

void set_parameter(const models::Model& model, const std::string& name, const std::vector<double>& values) {
  const at::NoGradGuard no_gradients;
  const at::Tensor& parameter = model.parameters().get(name);
  parameter.copy_(at::tensor(values, at::kDouble).reshape(parameter.sizes()));
}

void fill_by_formula(const models::Model& model) {
  for (const auto& [name, parameter] : model.parameters().all()) {
    const int phase = std::accumulate(name.begin(), name.end(), 0) % 97;
    std::vector<double> values;
    for (int64_t i = 0; i < parameter.numel(); ++i) {
      values.push_back(0.9 * std::sin(1.7 * static_cast<double>(i) + 0.37 * phase));
    }
    set_parameter(model, name, values);
  }
}

std::vector<double> numbers_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kDouble).contiguous();
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

std::vector<double> outputs_of(const models::Forward& forward) {
  std::vector<double> all;
  for (const at::Tensor& output : forward.outputs) {
    const std::vector<double> numbers = numbers_of(output);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

std::vector<std::vector<int64_t>> holders_of(const models::Forward& forward) {
  std::vector<std::vector<int64_t>> holders;
  for (std::size_t l = 0; l < forward.trace.size(); ++l) {
    if (l == 0) {
      holders.emplace_back(forward.trace[0].keep.size());
      std::iota(holders[0].begin(), holders[0].end(), int64_t{0});
      continue;
    }
    holders.push_back(holders.back());
    for (int64_t& holder : holders.back()) {
      if (holder >= 0) holder = forward.trace[l - 1].new_raw_of_raw[static_cast<std::size_t>(holder)];
    }
  }
  return holders;
}

models::ForwardOptions traced() {
  models::ForwardOptions options;
  options.trace = true;
  return options;
}

}  // namespace dotin::testing
