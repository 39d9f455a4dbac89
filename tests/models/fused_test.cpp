// The fused engine gives the numbers of the plain reference: outputs, gradients and drop sets.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "dotin/kernels/gemm.h"
#include "dotin/models/model.h"
#include "models/model_support.h"

namespace dotin::models {
namespace {

using dotin::testing::difference;
using dotin::testing::Features;
using dotin::testing::make_batch;
using dotin::testing::width_of;

struct Case {
  std::string name;
  ModelOptions options;
  int64_t tasks = 1;
  Features features = Features::onehot;
  uint64_t seed = 5;
  bool float_weights = false;  // rounded to float in double too, so that both precisions compute the same function
};

void PrintTo(const Case& test_case, std::ostream* out) { *out << test_case.name; }

struct Passes {
  Forward forward;
  double kernel_flops = 0;  // of matrix products, which only the fused engine counts
  std::vector<at::Tensor> gradients;
};

at::Tensor loss_of(const Forward& forward) {
  at::Tensor loss;
  for (std::size_t k = 0; k < forward.outputs.size(); ++k) {
    const at::Tensor term = (forward.outputs[k] * (forward.outputs[k] + static_cast<double>(k + 1))).mean();
    loss = loss.defined() ? loss + term : term;
  }
  return loss;
}

/// Passes over other batches, larger and smaller, with other drop ratios: what they leave in the memory that the model
/// keeps must not be seen by the next one.
void leave_traces(const Model& model, Features features, ForwardOptions options) {
  options.random_key = 18;
  options.drop_factor = 0.7;
  loss_of(model.forward(make_batch(features, {80, 9, 31}), options)).backward();
  options.drop_factor = 0.4;
  loss_of(model.forward(make_batch(features, {2}), options)).backward();
  {
    const at::NoGradGuard no_gradients;
    model.forward(make_batch(features, {33, 8}), options);
  }
  for (const auto& entry : model.parameters().all()) {
    if (entry.second.grad().defined()) entry.second.grad().zero_();
  }
}

Passes run(const Case& test_case, const std::string& engine, const batch::Batch& batch,
           const kernels::Savings& savings = {}) {
  ModelOptions options = test_case.options;
  options.engine = engine;
  std::vector<Head> heads;
  for (int64_t k = 0; k < test_case.tasks; ++k) heads.push_back({"task" + std::to_string(k), 2 + k});
  Model model(options, width_of(test_case.features), heads, test_case.seed);
  if (test_case.float_weights) {
    const at::NoGradGuard no_gradients;
    for (const auto& entry : model.parameters().all()) entry.second.copy_(entry.second.to(at::kFloat));
  }
  ForwardOptions forward_options;
  forward_options.trace = true;
  forward_options.training = true;
  forward_options.random_key = 17;
  forward_options.savings = savings;
  forward_options.parts = at::get_num_threads();
  if (engine == "fused") leave_traces(model, test_case.features, forward_options);
  Passes result;
  kernels::gemm_meter() = {};
  result.forward = model.forward(batch, forward_options);
  result.kernel_flops = kernels::gemm_meter().flops;
  loss_of(result.forward).backward();
  for (const auto& entry : model.parameters().all()) {
    const at::Tensor& parameter = entry.second;
    result.gradients.push_back(parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter));
  }
  return result;
}

/// How far the engines may be apart. gcn, gin and sage add up what attention averages, so that some of their gradients
/// are small differences of large sums: in float either engine has four to five digits of them (the reference is up to
/// 5e-5 from its own double version). In double, where rounding cannot hide a mistake, all backbones hold 1e-12.
double tolerance_of(const ModelOptions& options) {
  if (options.precision == "double") return 1e-12;
  return options.backbone == "gat" ? 1e-5 : 1e-4;
}

class FusedEngine : public ::testing::TestWithParam<Case> {};

void expect_the_same(const Case& test_case, const Passes& fused, const Passes& reference) {
  const double tolerance = tolerance_of(test_case.options);
  EXPECT_GT(fused.kernel_flops, 0) << "this is the reference";
  EXPECT_EQ(reference.kernel_flops, 0) << "this is the fused engine";
  for (const Passes* const passes : {&fused, &reference})
    EXPECT_EQ(passes->forward.layer_seconds.size(), static_cast<std::size_t>(test_case.options.layers));
  for (std::size_t l = 0; l < reference.forward.trace.size(); ++l) {
    EXPECT_EQ(fused.forward.trace[l].raw_offsets, reference.forward.trace[l].raw_offsets) << "layer " << l;
    EXPECT_EQ(fused.forward.trace[l].keep, reference.forward.trace[l].keep) << "layer " << l;
    EXPECT_EQ(fused.forward.trace[l].new_raw_of_raw, reference.forward.trace[l].new_raw_of_raw) << "layer " << l;
    ASSERT_EQ(fused.forward.trace[l].logits_by_task.size(), reference.forward.trace[l].logits_by_task.size());
  }
  for (std::size_t k = 0; k < reference.forward.outputs.size(); ++k) {
    EXPECT_LT(difference(fused.forward.outputs[k], reference.forward.outputs[k]), tolerance) << "task " << k;
  }
  for (std::size_t i = 0; i < reference.gradients.size(); ++i) {
    EXPECT_LT(difference(fused.gradients[i], reference.gradients[i]), tolerance) << "gradient " << i;
  }
}

/// Restores the number of threads.
class Threads {
 public:
  explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~Threads() { at::set_num_threads(before_); }

 private:
  int before_;
};

TEST_P(FusedEngine, GivesTheNumbersOfTheReferenceOnOneThreadAndThree) {
  const Case& test_case = GetParam();
  const batch::Batch batch = make_batch(test_case.features);
  const Passes reference = run(test_case, "reference", batch);
  for (const int count : {1, 3}) {
    if (count > 1 && test_case.options.dropout > 0) continue;  // the draw of a part is its own
    SCOPED_TRACE(fmt::format("threads {}", count));
    const Threads threads(count);
    expect_the_same(test_case, run(test_case, "fused", batch), reference);
  }
}

constexpr const char* kBackbones[] = {"gat", "gcn", "gin", "sage"};

ModelOptions base(const std::string& backbone, const std::string& precision) {
  ModelOptions options;
  options.backbone = backbone;
  options.hidden = 24;
  options.attention_dim = 8;
  options.precision = precision;
  return options;
}

ModelOptions literal_options(const std::string& backbone, const std::string& precision) {
  ModelOptions options = base(backbone, precision);
  options.attention_dim = -1;
  options.attentiveness = "own";
  options.residual = false;
  options.norm = "none";
  options.gate = false;
  options.edge_weights = "softmax";
  options.merge_weights = "softmax";
  return options;
}

std::vector<Case> cases_of(const std::string& backbone) {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, ModelOptions options, int64_t tasks, Features features) {
    all.push_back({backbone + "_" + options.precision + "_" + name, std::move(options), tasks, features});
  };
  for (const std::string precision : {"double", "float"}) {
    for (const double drop_ratio : {0.0, 0.1, 0.5, 0.9}) {
      for (const bool merge : {true, false}) {
        for (int64_t tasks = 1; tasks <= 3; ++tasks) {
          ModelOptions options = base(backbone, precision);
          options.drop_ratio = {drop_ratio};
          options.merge = merge;
          const std::string name =
              fmt::format("drop{}_{}_K{}", static_cast<int>(drop_ratio * 10), merge ? "merge" : "gone", tasks);
          add(name, options, tasks, Features::onehot);
          add("dense_" + name, options, tasks, Features::dense);
          add("mixed_" + name, options, tasks, Features::mixed);
          ModelOptions literal = literal_options(backbone, precision);
          literal.drop_ratio = {drop_ratio};
          literal.merge = merge;
          add("paper_" + name, literal, tasks, Features::onehot);
        }
      }
    }
    for (const Features features : {Features::two_blocks, Features::dense, Features::mixed, Features::repeated}) {
      add(fmt::format("features{}", static_cast<int>(features)), base(backbone, precision), 2, features);
    }
    for (const int64_t hidden : {1, 3, 7, 8, 9, 31, 33, 100}) {
      ModelOptions options = base(backbone, precision);
      options.hidden = hidden;
      if (hidden == 1) options.norm = "none";  // the norm of one number is 0: its gradient is nothing but noise
      add(fmt::format("hidden{}", hidden), options, 1, Features::onehot);
    }
    for (const int64_t layers : {1, 2, 5}) {
      ModelOptions options = base(backbone, precision);
      options.layers = layers;
      add(fmt::format("layers{}", layers), options, 2, Features::mixed);
      add(fmt::format("layers{}_onehot", layers), options, 2, Features::onehot);
    }
    ModelOptions options = base(backbone, precision);
    options.drop = "random";
    add("random", options, 1, Features::onehot);
    options = base(backbone, precision);
    options.dropout = 0.3;
    add("dropout", options, 1, Features::onehot);
    options = base(backbone, precision);
    options.edge_weights = "none";
    add("unweighted", options, 2, Features::onehot);
    options = base(backbone, precision);
    options.edge_weights = "softmax";
    add("softmax_weights", options, 2, Features::onehot);
    for (const char* const attentiveness : {"own", "smoothed"}) {
      options = base(backbone, precision);
      options.attentiveness = attentiveness;
      add(attentiveness, options, 2, Features::dense);
    }
    options = base(backbone, precision);
    options.drop_ratio = {0.9, 0.2, 0};
    add("ratios", options, 1, Features::onehot);
  }
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
      test_case.options = base(GetParam(), "double");
      test_case.options.drop_ratio = {0.5};
      test_case.tasks = 2;
      test_case.features = features;
      const batch::Batch batch = make_batch(features);
      const Passes reference = run(test_case, "reference", batch);
      kernels::Savings one_less;
      one_less.*member = false;
      expect_the_same(test_case, run(test_case, "fused", batch, one_less), reference);
      expect_the_same(test_case, run(test_case, "fused", batch, no_savings()), reference);
    }
  }
}

TEST_P(FusedEngineOf, PredictsTheSameWhereLayersShareTheirMemory) {
  for (const Features features : {Features::onehot, Features::dense}) {
    for (const int threads : {1, 3}) {
      const Threads guard(threads);
      ModelOptions options = base(GetParam(), "double");
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
      test_case.options = base(GetParam(), "double");
      test_case.options.hidden = 21;
      test_case.options.layers = layers;
      test_case.options.drop_ratio = layers == 1 ? std::vector<double>{0.5} : std::vector<double>{0.9, 0.5, 0.5};
      test_case.tasks = 2;
      test_case.features = features;
      const batch::Batch& batch = large_batch(features);
      const Passes reference = run(test_case, "reference", batch);
      expect_the_same(test_case, run(test_case, "fused", batch), reference);
      expect_the_same(test_case, run(test_case, "fused", batch, no_savings()), reference);
    }
  }
}

class FusedEngineAtSize : public ::testing::TestWithParam<Case> {};

/// Float is also held to the reference in double, for at this size the reference in float is off itself: it adds up the
/// rows of a graph's nodes one by one, and where thousands of them are equal, rounding goes the same way each time.
TEST_P(FusedEngineAtSize, GivesTheNumbersOfTheReferenceOnOneThreadAndThree) {
  Case exact = GetParam(), rounded = GetParam();
  exact.options.precision = "double";
  rounded.options.precision = "float";
  const batch::Batch& batch = large_batch(exact.features);
  const Threads one(1);
  const Passes exact_reference = run(exact, "reference", batch), rounded_reference = run(rounded, "reference", batch);
  for (const int count : {1, 3}) {
    SCOPED_TRACE(fmt::format("threads {}", count));
    const Threads threads(count);
    for (const kernels::Savings& savings : {kernels::Savings(), no_savings()}) {
      expect_the_same(exact, run(exact, "fused", batch, savings), exact_reference);
      const Passes fused = run(rounded, "fused", batch, savings);
      expect_the_same(rounded, fused, exact_reference);
      expect_the_same(rounded, fused, rounded_reference);
    }
  }
}

std::vector<Case> large_cases() {
  std::vector<Case> all;
  for (const char* const backbone : kBackbones) {
    for (const bool paper : {false, true}) {
      for (const bool merge : {true, false}) {
        for (const int64_t tasks : {1, 3}) {
          for (const Features features : {Features::onehot, Features::dense}) {
            Case large;
            large.options = paper ? literal_options(backbone, "float") : base(backbone, "float");
            large.options.merge = merge;
            large.tasks = tasks;
            large.features = features;
            // With the seeds 5 and 11 two nodes at a cut are 0.9e-6 and 1.07e-6 of the largest logit apart: which side
            // of 1e-6, below which the index decides, is up to rounding. With 6 and 10 the reference of gat is 1.2e-5
            // from its double version, the fused engine within 9e-6.
            large.seed = 8;
            large.float_weights = true;
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
