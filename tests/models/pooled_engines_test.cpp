// Models without virtual nodes give the same numbers on the fused engine and on the plain reference: outputs, auxiliary
// losses, gradients and what stays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/engines.h"
#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

using dotin::testing::Features;
using dotin::testing::make_batch;
using dotin::testing::run;
using dotin::testing::Subject;

struct PooledCase {
  std::string name;
  network::ModelOptions options;
  Features features = Features::onehot;
};

void PrintTo(const PooledCase& test_case, std::ostream* out) { *out << test_case.name; }

/// In double to 1e-11: a gradient passes through the root of a small difference in some clusterings.
void expect_engines_agree(const PooledCase& test_case, const batch::Batch& batch, int64_t width) {
  Subject subject{test_case.options, width, dotin::testing::heads_of(2)};
  subject.prepare = [&test_case](const Model& model) {
    // At 0, as it starts, neighbours whose other neighbours are the same would be equal: rounding would decide which of
    // them a maximum takes, and the gradient of eps depends on it.
    for (int64_t l = 0; l < test_case.options.layers && test_case.options.backbone == dotin::Backbone::gin; ++l) {
      dotin::testing::set_parameter(model, fmt::format("layers.{}.eps", l), {0.3});
    }
  };
  const ForwardOptions forward = dotin::testing::traced_training();
  if (test_case.options.precision == Precision::float32) {
    dotin::testing::FloatPromise(subject, batch, forward).expect_kept_by({"fused", "float", forward});
  } else {
    dotin::testing::expect_exact(run(subject, batch, {"fused", "double", forward}),
                                 run(subject, batch, {"reference", "double", forward}), 1e-11);
  }
}

class PooledEngines : public ::testing::TestWithParam<PooledCase> {};

TEST_P(PooledEngines, GiveTheSameNumbers) {
  const PooledCase& test_case = GetParam();
  expect_engines_agree(test_case, make_batch(test_case.features, {23, 3}),
                       dotin::testing::width_of(test_case.features));
}

TEST_P(PooledEngines, GiveTheSameNumbersForOneNode) {
  const PooledCase& test_case = GetParam();
  const batch::Batch batch = dotin::testing::batch_of({{1, {}, {0.5f, -1, 2}, 0}}, 3);
  expect_engines_agree(test_case, batch, 3);
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
      network::ModelOptions options = dotin::testing::small_options(backbone, Knobs::recommended);
      options.hidden = 21;
      options.attention_dim = 5;
      options.drop = core::from_word<dotin::Drop>("drop", drop);
      options.readout = core::from_word<dotin::Readout>("readout", readout);
      options.clusters = 4;
      options.sort_k = 12;
      options.dropgnn_runs = 3;
      const std::string name = fmt::format("{}_{}_{}_", drop, readout, backbone);
      cases.push_back({name + "double", options, Features::mixed});
      options.precision = Precision::float32;
      cases.push_back({name + "float", options, Features::dense});
      options.precision = Precision::float64;
      options.norm = Norm::none;
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
