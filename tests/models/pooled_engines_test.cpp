// Models without virtual nodes give the same numbers on the fused engine and on the plain reference: outputs, auxiliary
// losses, gradients and what stays.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

using dotin::testing::difference;
using dotin::testing::Features;
using dotin::testing::make_batch;

struct PooledCase {
  std::string name;
  ModelOptions options;
  Features features = Features::onehot;
};

void PrintTo(const PooledCase& test_case, std::ostream* out) { *out << test_case.name; }

struct PooledPasses {
  Forward forward;
  std::vector<std::pair<std::string, at::Tensor>> gradients;
};

PooledPasses run_pooled(ModelOptions options, const std::string& engine, const batch::Batch& batch, int64_t width) {
  options.engine = engine;
  const Model model(options, width, dotin::testing::heads_of(2), 5);
  // At 0, as it starts, neighbours whose other neighbours are the same would be equal: rounding would decide which of
  // them a maximum takes, and the gradient of eps depends on it.
  for (int64_t l = 0; l < options.layers && options.backbone == "gin"; ++l) {
    dotin::testing::set_parameter(model, fmt::format("layers.{}.eps", l), {0.3});
  }
  ForwardOptions forward_options = dotin::testing::traced();
  forward_options.training = true;
  forward_options.random_key = 17;
  PooledPasses result;
  result.forward = model.forward(batch, forward_options);
  at::Tensor loss = result.forward.outputs[0].square().mean() + result.forward.outputs[1].sum();
  if (result.forward.auxiliary.defined()) loss = loss + result.forward.auxiliary;
  loss.backward();
  for (const auto& [name, parameter] : model.parameters().all()) {
    result.gradients.emplace_back(name, parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
  }
  return result;
}

void expect_engines_agree(const ModelOptions& options, const batch::Batch& batch, int64_t width) {
  const PooledPasses fused = run_pooled(options, "fused", batch, width);
  const PooledPasses reference = run_pooled(options, "reference", batch, width);
  const double tolerance = options.precision == "double" ? 1e-11 : 1e-4;
  ASSERT_EQ(fused.forward.trace.size(), reference.forward.trace.size());
  for (std::size_t l = 0; l < reference.forward.trace.size(); ++l) {
    const LayerTrace &own = fused.forward.trace[l], &expected = reference.forward.trace[l];
    EXPECT_EQ(own.raw_offsets, expected.raw_offsets) << "layer " << l;
    EXPECT_EQ(own.keep, expected.keep) << "layer " << l;
    EXPECT_EQ(own.new_raw_of_raw, expected.new_raw_of_raw) << "layer " << l;
    EXPECT_EQ(own.logits.size(), expected.logits.size()) << "layer " << l;
  }
  for (std::size_t k = 0; k < reference.forward.outputs.size(); ++k) {
    EXPECT_LT(difference(fused.forward.outputs[k], reference.forward.outputs[k]), tolerance) << "task " << k;
  }
  ASSERT_EQ(fused.forward.auxiliary.defined(), reference.forward.auxiliary.defined());
  if (reference.forward.auxiliary.defined()) {
    EXPECT_LT(difference(fused.forward.auxiliary, reference.forward.auxiliary), tolerance);
  }
  // The losses of clusterings are roots of small differences: in float either engine has lost digits of their
  // gradients, so that those are held to what is left of the largest. In double, where rounding cannot hide a mistake,
  // to their own.
  double scale = 0;
  for (const auto& entry : reference.gradients) scale = std::max(scale, entry.second.abs().max().item<double>());
  for (std::size_t i = 0; i < reference.gradients.size(); ++i) {
    const auto& [name, gradient] = reference.gradients[i];
    if (options.precision == "double") {
      EXPECT_LT(difference(fused.gradients[i].second, gradient), tolerance) << name;
    } else {
      EXPECT_LT((fused.gradients[i].second - gradient).abs().max().item<double>(), tolerance * scale) << name;
    }
  }
}

class PooledEngines : public ::testing::TestWithParam<PooledCase> {};

TEST_P(PooledEngines, GiveTheSameNumbers) {
  const PooledCase& test_case = GetParam();
  expect_engines_agree(test_case.options, make_batch(test_case.features, {23, 3}),
                       dotin::testing::width_of(test_case.features));
}

TEST_P(PooledEngines, GiveTheSameNumbersForOneNode) {
  const PooledCase& test_case = GetParam();
  const batch::Batch batch = dotin::testing::batch_of({{1, {}, {0.5f, -1, 2}, 0}}, 3);
  expect_engines_agree(test_case.options, batch, 3);
}

const std::vector<std::pair<std::string, std::string>>& pooled_methods() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"gpool", "auto"},   {"sagpool", "auto"}, {"lapool", "auto"},  {"diffpool", "auto"}, {"mincut", "auto"},
      {"dropgnn", "auto"}, {"random", "mean"},  {"none", "set2set"}, {"none", "sortpool"}, {"none", "sagpool"},
      {"none", "mean"},    {"none", "sum"},     {"none", "max"},     {"none", "mean_max"},
  };
  return all;
}

std::vector<PooledCase> pooled_cases() {
  using dotin::testing::Knobs;
  std::vector<PooledCase> cases;
  for (const auto& [drop, readout] : pooled_methods()) {
    for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
      ModelOptions options = dotin::testing::small_options(backbone, Knobs::recommended);
      options.hidden = 21;
      options.attention_dim = 5;
      options.drop = drop;
      options.readout = readout;
      options.clusters = 4;
      options.sort_k = 12;
      options.dropgnn_runs = 3;
      const std::string name = fmt::format("{}_{}_{}_", drop, readout, backbone);
      cases.push_back({name + "double", options, Features::mixed});
      options.precision = "float";
      cases.push_back({name + "float", options, Features::dense});
      options.precision = "double";
      options.norm = "none";
      options.residual = false;
      options.dropout = 0.3;  // with features that differ: of equal nodes, rounding would decide which is the largest
      cases.push_back({name + "dropout", options, Features::dense});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Methods, PooledEngines, ::testing::ValuesIn(pooled_cases()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace dotin::models
