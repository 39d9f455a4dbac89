#include "models/engines.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dotin/core/random.h"
#include "dotin/kernels/gemm.h"
#include "models/model_support.h"

namespace dotin::testing {

using models::Forward;
using models::ForwardOptions;
using models::Model;
using network::LayerTrace;
using network::ModelOptions;

namespace {

constexpr int kReferenceRuns = 4;
constexpr double kTimesTheReference = 2, kFloorUnits = 8;
constexpr double kFloatUnit = std::numeric_limits<float>::epsilon();
/// Of the largest score of a graph: more than float is off by in any of the tests' batches.
constexpr double kGap = 1e-3;

at::Tensor loss_of(const Forward& forward) {
  at::Tensor loss = forward.auxiliary;
  for (std::size_t k = 0; k < forward.outputs.size(); ++k) {
    const at::Tensor term = (forward.outputs[k] * (forward.outputs[k] + static_cast<double>(k + 1))).mean();
    loss = loss.defined() ? loss + term : term;
  }
  return loss;
}

void set_weights(const Model& model, const Subject& subject, uint64_t moved) {
  if (subject.prepare) subject.prepare(model);
  const at::NoGradGuard no_gradients;
  core::Rng rng(moved);
  for (const auto& entry : model.parameters().all()) {
    at::Tensor weights = entry.second.to(at::kFloat).contiguous();
    if (moved != 0) {
      float* const values = weights.data_ptr<float>();
      for (int64_t i = 0; i < weights.numel(); ++i) {
        const float towards = rng.chance(0.5) ? std::numeric_limits<float>::max() : -std::numeric_limits<float>::max();
        values[i] = std::nextafter(values[i], towards);
      }
    }
    entry.second.copy_(weights);
  }
}

double largest(const at::Tensor& tensor) { return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>(); }

/// Root of the mean square, which hangs less on luck than the largest error does.
double error_of(const NamedTensor& found, const NamedTensor& exact) {
  const at::Tensor apart = found.value.to(at::kDouble) - exact.value.to(at::kDouble);
  return apart.numel() == 0 ? 0 : std::sqrt(apart.square().mean().item<double>());
}

/// What float may be off by in each tensor: see the head of engines.h.
std::vector<double> allowed_errors(const std::vector<NamedTensor>& exact,
                                   const std::vector<const std::vector<NamedTensor>*>& references) {
  double scale = 0;
  for (const NamedTensor& tensor : exact) scale = std::max(scale, largest(tensor.value));
  std::vector<double> allowed(exact.size(), kFloorUnits * kFloatUnit * scale);
  for (const auto* const reference : references) {
    for (std::size_t i = 0; i < exact.size(); ++i) {
      allowed[i] = std::max(allowed[i], kTimesTheReference * error_of((*reference)[i], exact[i]));
    }
  }
  return allowed;
}

void expect_within(const std::vector<NamedTensor>& found, const std::vector<NamedTensor>& exact,
                   const std::vector<double>& allowed) {
  ASSERT_EQ(found.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_LE(error_of(found[i], exact[i]), allowed[i])
        << exact[i].name << ", largest " << largest(exact[i].value) << ": further from double than the reference";
  }
}

void expect_same_nodes(const std::vector<network::LayerTrace>& found,
                       const std::vector<network::LayerTrace>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t l = 0; l < expected.size(); ++l) {
    EXPECT_EQ(found[l].raw_offsets, expected[l].raw_offsets) << "layer " << l;
    EXPECT_EQ(found[l].keep, expected[l].keep) << "layer " << l;
    EXPECT_EQ(found[l].new_raw_of_raw, expected[l].new_raw_of_raw) << "layer " << l;
    EXPECT_EQ(found[l].logits.size(), expected[l].logits.size()) << "layer " << l;
    EXPECT_EQ(found[l].logits_by_task.size(), expected[l].logits_by_task.size()) << "layer " << l;
  }
}

/// Whether the lowest score that stays is clearly above the highest that leaves.
bool has_gap(const network::LayerTrace& layer, int64_t first, int64_t last) {
  double kept = std::numeric_limits<double>::infinity(), dropped = -kept, scale = 0;
  for (int64_t i = first; i < last; ++i) {
    scale = std::max(scale, std::abs(layer.logits[i]));
    if (layer.keep[i] != 0) {
      kept = std::min(kept, layer.logits[i]);
    } else {
      dropped = std::max(dropped, layer.logits[i]);
    }
  }
  return kept - dropped > kGap * scale;
}

}  // namespace

ForwardOptions traced_training() {
  ForwardOptions options;
  options.trace = true;
  options.training = true;
  options.random_key = 17;
  return options;
}

Result run(const Subject& subject, const batch::Batch& batch, const Pass& pass) {
  network::ModelOptions options = subject.options;
  options.engine = core::from_word<dotin::Engine>("engine", pass.engine);
  options.precision = core::from_word<dotin::Precision>("precision", pass.precision);
  const Model model(options, subject.width, subject.heads, subject.seed);
  set_weights(model, subject, pass.moved_weights);
  if (pass.before) pass.before(model, pass.forward);
  Result result;
  kernels::gemm_meter() = {};
  result.forward = model.forward(batch, pass.forward);
  result.kernel_flops = kernels::gemm_meter().flops;
  loss_of(result.forward).backward();
  for (std::size_t k = 0; k < result.forward.outputs.size(); ++k) {
    result.outputs.push_back({"output of " + subject.heads[k].name, result.forward.outputs[k].detach()});
  }
  if (result.forward.auxiliary.defined()) {
    result.outputs.push_back({"auxiliary loss", result.forward.auxiliary.detach()});
  }
  for (const auto& [name, parameter] : model.parameters().all()) {
    result.gradients.push_back(
        {"gradient of " + name, parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter)});
  }
  return result;
}

void expect_exact(const Result& fused, const Result& reference, double tolerance) {
  expect_same_nodes(fused.forward.trace, reference.forward.trace);
  const auto expect_near = [tolerance](const std::vector<NamedTensor>& found,
                                       const std::vector<NamedTensor>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_LT(difference(found[i].value, expected[i].value), tolerance) << expected[i].name;
  };
  expect_near(fused.outputs, reference.outputs);
  expect_near(fused.gradients, reference.gradients);
}

FloatPromise::FloatPromise(const Subject& subject, const batch::Batch& batch, const ForwardOptions& forward)
    : subject_(subject), batch_(batch) {
  Pass pass{"reference", "double", forward};
  exact_ = run(subject, batch, pass);
  pass.precision = "float";
  if (!exact_.forward.trace.empty()) pass.forward.repeat = &exact_.forward.trace;
  std::vector<Result> references;
  for (int i = 0; i < kReferenceRuns; ++i) {
    pass.moved_weights = static_cast<uint64_t>(i);
    references.push_back(run(subject, batch, pass));
  }
  std::vector<const std::vector<NamedTensor>*> outputs, gradients;
  for (const Result& reference : references) {
    outputs.push_back(&reference.outputs);
    gradients.push_back(&reference.gradients);
  }
  allowed_outputs_ = allowed_errors(exact_.outputs, outputs);
  allowed_gradients_ = allowed_errors(exact_.gradients, gradients);
}

void FloatPromise::expect_kept_by(Pass pass) const {
  pass.engine = "fused";
  pass.precision = "float";
  expect_choices_with_gaps(pass);
  if (!exact_.forward.trace.empty()) pass.forward.repeat = &exact_.forward.trace;
  const Result fused = run(subject_, batch_, pass);
  expect_same_nodes(fused.forward.trace, exact_.forward.trace);
  expect_within(fused.outputs, exact_.outputs, allowed_outputs_);
  expect_within(fused.gradients, exact_.gradients, allowed_gradients_);
}

void FloatPromise::expect_choices_with_gaps(const Pass& pass) const {
  const std::vector<network::LayerTrace> chosen = run(subject_, batch_, pass).forward.trace;
  ASSERT_EQ(chosen.size(), exact_.forward.trace.size());
  std::vector<bool> comparable(static_cast<std::size_t>(batch_.graphs()), true);  // the same nodes up to here
  for (std::size_t l = 0; l < chosen.size(); ++l) {
    const network::LayerTrace &found = chosen[l], &exact = exact_.forward.trace[l];
    if (exact.logits.empty()) continue;  // nothing was chosen
    for (int32_t g = 0; g < batch_.graphs(); ++g) {
      const int64_t first = exact.raw_offsets[g], last = exact.raw_offsets[g + 1], own = found.raw_offsets[g];
      if (!comparable[g]) continue;
      const bool same = std::equal(exact.keep.begin() + first, exact.keep.begin() + last, found.keep.begin() + own);
      if (has_gap(exact, first, last)) {
        EXPECT_TRUE(same) << "layer " << l << ", graph " << g << ": other nodes, though their scores differ clearly";
      }
      comparable[g] = same;
    }
  }
}

}  // namespace dotin::testing
