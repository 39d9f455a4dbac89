// The fused engine gives the numbers of the plain reference: outputs, gradients and drop sets.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "dotin/models/model.h"
#include "models/engines.h"
#include "models/model_support.h"

namespace dotin::models {
namespace {

using dotin::testing::expect_exact;
using dotin::testing::Features;
using dotin::testing::FloatPromise;
using dotin::testing::make_batch;
using dotin::testing::Pass;
using dotin::testing::Result;
using dotin::testing::run;
using dotin::testing::Subject;
using dotin::testing::traced_training;
using dotin::testing::width_of;

struct Case {
  std::string name;
  network::ModelOptions options;  // the precision is that of the test
  int64_t tasks = 1;
  Features features = Features::onehot;
  uint64_t seed = 5;

  Subject subject() const {
    Subject result{options, width_of(features), {}, seed};
    for (int64_t k = 0; k < tasks; ++k) result.heads.push_back({"task" + std::to_string(k), 2 + k});
    return result;
  }
};

void PrintTo(const Case& test_case, std::ostream* out) { *out << test_case.name; }

constexpr double kExactly = 1e-12;

/// Passes over other batches, larger and smaller, with other drop ratios: what they leave in the memory that the model
/// keeps must not be seen by the next one.
void leave_traces(const Model& model, Features features, ForwardOptions options) {
  const auto pass = [&](const std::vector<int32_t>& sizes) {
    const Forward forward = model.forward(make_batch(features, sizes), options);
    forward.outputs[0].sum().backward();
  };
  options.repeat = nullptr;
  options.random_key = 18;
  options.drop_factor = 0.7;
  pass({80, 9, 31});
  options.drop_factor = 0.4;
  pass({2});
  {
    const at::NoGradGuard no_gradients;
    model.forward(make_batch(features, {33, 8}), options);
  }
  for (const auto& entry : model.parameters().all()) {
    if (entry.second.grad().defined()) entry.second.grad().zero_();
  }
}

Pass reference_pass() { return {"reference", "double", traced_training()}; }

Pass fused_pass(Features features, const kernels::Savings& savings = {}) {
  Pass pass{"fused", "double", traced_training()};
  pass.forward.savings = savings;
  pass.forward.parts = at::get_num_threads();
  pass.before = [features](const Model& model, const ForwardOptions& options) {
    leave_traces(model, features, options);
  };
  return pass;
}

void expect_the_same(const Case& test_case, const Result& fused, const Result& reference) {
  EXPECT_GT(fused.kernel_flops, 0) << "this is the reference";
  EXPECT_EQ(reference.kernel_flops, 0) << "this is the fused engine";
  for (const Result* const result : {&fused, &reference})
    EXPECT_EQ(result->forward.layer_seconds.size(), static_cast<std::size_t>(test_case.options.layers));
  expect_exact(fused, reference, kExactly);
}

/// Restores the number of threads.
class Threads {
 public:
  explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~Threads() { at::set_num_threads(before_); }

 private:
  int before_;
};

class FusedEngine : public ::testing::TestWithParam<Case> {};

/// Calls the work with one thread and with three, where dropout does not forbid it: the draw of a part is its own.
void on_one_thread_and_three(const Case& test_case, const std::function<void()>& work) {
  for (const int count : {1, 3}) {
    if (count > 1 && test_case.options.dropout > 0) continue;
    SCOPED_TRACE(fmt::format("threads {}", count));
    const Threads threads(count);
    work();
  }
}

TEST_P(FusedEngine, GivesTheNumbersOfTheReferenceInDouble) {
  const Case& test_case = GetParam();
  const Subject subject = test_case.subject();
  const batch::Batch batch = make_batch(test_case.features);
  const Result reference = run(subject, batch, reference_pass());
  on_one_thread_and_three(
      test_case, [&] { expect_the_same(test_case, run(subject, batch, fused_pass(test_case.features)), reference); });
}

TEST_P(FusedEngine, IsAsNearToDoubleInFloatAsTheReference) {
  const Case& test_case = GetParam();
  const Subject subject = test_case.subject();
  const batch::Batch batch = make_batch(test_case.features);
  const FloatPromise promise(subject, batch, traced_training());
  on_one_thread_and_three(test_case, [&] { promise.expect_kept_by(fused_pass(test_case.features)); });
}

constexpr const char* kBackbones[] = {"gat", "gcn", "gin", "sage"};

network::ModelOptions base(const std::string& backbone) {
  network::ModelOptions options;
  options.backbone = core::from_word<dotin::Backbone>("backbone", backbone);
  options.hidden = 24;
  options.attention_dim = 8;
  return options;
}

network::ModelOptions literal_options(const std::string& backbone) {
  network::ModelOptions options = base(backbone);
  options.attention_dim = -1;
  options.attentiveness = Attentiveness::own;
  options.residual = false;
  options.norm = Norm::none;
  options.gate = false;
  options.edge_weights = dotin::EdgeWeights::softmax;
  options.merge_weights = MergeWeights::softmax;
  return options;
}

std::vector<Case> cases_of(const std::string& backbone) {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, network::ModelOptions options, int64_t tasks, Features features) {
    all.push_back({backbone + "_" + name, std::move(options), tasks, features});
  };
  for (const double drop_ratio : {0.0, 0.1, 0.5, 0.9}) {
    for (const bool merge : {true, false}) {
      for (int64_t tasks = 1; tasks <= 3; ++tasks) {
        network::ModelOptions options = base(backbone);
        options.drop_ratio = {drop_ratio};
        options.merge = merge;
        const std::string name =
            fmt::format("drop{}_{}_K{}", static_cast<int>(drop_ratio * 10), merge ? "merge" : "gone", tasks);
        add(name, options, tasks, Features::onehot);
        add("dense_" + name, options, tasks, Features::dense);
        add("mixed_" + name, options, tasks, Features::mixed);
        network::ModelOptions literal = literal_options(backbone);
        literal.drop_ratio = {drop_ratio};
        literal.merge = merge;
        add("paper_" + name, literal, tasks, Features::onehot);
      }
    }
  }
  for (const Features features : {Features::two_blocks, Features::dense, Features::mixed, Features::repeated}) {
    add(fmt::format("features{}", static_cast<int>(features)), base(backbone), 2, features);
  }
  for (const int64_t hidden : {1, 3, 7, 8, 9, 31, 33, 100}) {
    network::ModelOptions options = base(backbone);
    options.hidden = hidden;
    if (hidden == 1) options.norm = Norm::none;  // the norm of one number is 0: its gradient is nothing but noise
    add(fmt::format("hidden{}", hidden), options, 1, Features::onehot);
  }
  for (const int64_t layers : {1, 2, 5}) {
    network::ModelOptions options = base(backbone);
    options.layers = layers;
    add(fmt::format("layers{}", layers), options, 2, Features::mixed);
    add(fmt::format("layers{}_onehot", layers), options, 2, Features::onehot);
  }
  network::ModelOptions options = base(backbone);
  options.drop = Drop::random;
  add("random", options, 1, Features::onehot);
  options = base(backbone);
  options.dropout = 0.3;
  add("dropout", options, 1, Features::onehot);
  options = base(backbone);
  options.edge_weights = dotin::EdgeWeights::none;
  add("unweighted", options, 2, Features::onehot);
  options = base(backbone);
  options.edge_weights = dotin::EdgeWeights::softmax;
  add("softmax_weights", options, 2, Features::onehot);
  for (const char* const attentiveness : {"own", "smoothed"}) {
    options = base(backbone);
    options.attentiveness = core::from_word<dotin::Attentiveness>("attentiveness", attentiveness);
    add(attentiveness, options, 2, Features::dense);
  }
  options = base(backbone);
  options.drop_ratio = {0.9, 0.2, 0};
  add("ratios", options, 1, Features::onehot);
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* const backbone : kBackbones) {
    for (Case& test_case : cases_of(backbone)) all.push_back(std::move(test_case));
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FusedEngine, ::testing::ValuesIn(cases()),
                         [](const auto& parameter) { return parameter.param.name; });

class FusedEngineOf : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Backbone, FusedEngineOf, ::testing::ValuesIn(kBackbones),
                         [](const auto& parameter) { return std::string(parameter.param); });

kernels::Savings no_savings() {
  kernels::Savings none;
  none.input_table = none.factored_input = none.pair_table = none.linear_first = none.last_layer = false;
  return none;
}

TEST_P(FusedEngineOf, GivesTheSameNumbersWithoutAnySaving) {
  for (const auto member :
       {&kernels::Savings::input_table, &kernels::Savings::factored_input, &kernels::Savings::pair_table,
        &kernels::Savings::linear_first, &kernels::Savings::last_layer}) {
    for (const Features features : {Features::onehot, Features::mixed, Features::repeated}) {
      Case test_case;
      test_case.options = base(GetParam());
      test_case.options.drop_ratio = {0.5};
      test_case.tasks = 2;
      test_case.features = features;
      const Subject subject = test_case.subject();
      const batch::Batch batch = make_batch(features);
      const Result reference = run(subject, batch, reference_pass());
      const FloatPromise promise(subject, batch, traced_training());
      kernels::Savings one_less;
      one_less.*member = false;
      for (const kernels::Savings& savings : {one_less, no_savings()}) {
        expect_the_same(test_case, run(subject, batch, fused_pass(features, savings)), reference);
        promise.expect_kept_by(fused_pass(features, savings));
      }
    }
  }
}

TEST_P(FusedEngineOf, PredictsTheSameWhereLayersShareTheirMemory) {
  for (const Features features : {Features::onehot, Features::dense}) {
    for (const int threads : {1, 3}) {
      const Threads guard(threads);
      network::ModelOptions options = base(GetParam());
      options.precision = Precision::float64;
      options.layers = 5;
      options.drop_ratio = {0.3};
      const Model model(options, width_of(features), {{"task", 2}}, 5);
      const batch::Batch batch = make_batch(features, {60, 9, 31});
      ForwardOptions forward_options;
      forward_options.trace = true;
      forward_options.parts = threads;
      const Forward kept = model.forward(batch, forward_options);
      const at::NoGradGuard no_gradients;
      for (int pass = 0; pass < 2; ++pass) {
        const Forward shared = model.forward(batch, forward_options);
        EXPECT_FALSE(shared.outputs[0].requires_grad());
        EXPECT_TRUE(shared.outputs[0].equal(kept.outputs[0].detach()));
        for (std::size_t l = 0; l < kept.trace.size(); ++l) {
          EXPECT_EQ(shared.trace[l].keep, kept.trace[l].keep);
          EXPECT_EQ(shared.trace[l].logits, kept.trace[l].logits);
        }
      }
    }
  }
}

const batch::Batch& large_batch(Features features) {
  static std::map<Features, batch::Batch> batches;
  const auto [found, is_new] = batches.try_emplace(features);
  if (is_new) found->second = make_batch(features, {5748, 1, 900, 30});
  return found->second;
}

TEST_P(FusedEngineOf, GivesTheNumbersOfTheReferenceForLargeAndSmallGraphsOnThreads) {
  const Threads three(3);
  for (const Features features : {Features::onehot, Features::dense, Features::repeated}) {
    for (const int64_t layers : {1, 3}) {
      Case test_case;
      test_case.options = base(GetParam());
      test_case.options.hidden = 21;
      test_case.options.layers = layers;
      test_case.options.drop_ratio = layers == 1 ? std::vector<double>{0.5} : std::vector<double>{0.9, 0.5, 0.5};
      test_case.tasks = 2;
      test_case.features = features;
      const batch::Batch& batch = large_batch(features);
      const Subject subject = test_case.subject();
      const Result reference = run(subject, batch, reference_pass());
      for (const kernels::Savings& savings : {kernels::Savings(), no_savings()})
        expect_the_same(test_case, run(subject, batch, fused_pass(features, savings)), reference);
    }
  }
}

class FusedEngineAtSize : public ::testing::TestWithParam<Case> {};

TEST_P(FusedEngineAtSize, GivesTheNumbersOfTheReferenceOnOneThreadAndThree) {
  const Case& test_case = GetParam();
  const Subject subject = test_case.subject();
  const batch::Batch& batch = large_batch(test_case.features);
  const Threads one(1);
  const Result reference = run(subject, batch, reference_pass());
  const FloatPromise promise(subject, batch, traced_training());
  on_one_thread_and_three(test_case, [&] {
    for (const kernels::Savings& savings : {kernels::Savings(), no_savings()}) {
      expect_the_same(test_case, run(subject, batch, fused_pass(test_case.features, savings)), reference);
      promise.expect_kept_by(fused_pass(test_case.features, savings));
    }
  });
}

std::vector<Case> large_cases() {
  std::vector<Case> all;
  for (const char* const backbone : kBackbones) {
    for (const bool paper : {false, true}) {
      for (const bool merge : {true, false}) {
        for (const int64_t tasks : {1, 3}) {
          for (const Features features : {Features::onehot, Features::dense}) {
            Case large;
            large.options = paper ? literal_options(backbone) : base(backbone);
            large.options.merge = merge;
            large.tasks = tasks;
            large.features = features;
            large.name = fmt::format("{}_{}_{}_K{}_features{}", backbone, paper ? "paper" : "recommended",
                                     merge ? "merge" : "gone", tasks, static_cast<int>(features));
            all.push_back(large);
          }
        }
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FusedEngineAtSize, ::testing::ValuesIn(large_cases()),
                         [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace dotin::models
