// What savings of the fused engine that no switch leaves out are worth: the kernel, and libtorch for the same work.
// Sizes are those of a step on D&D: 8 graphs, 2,280 nodes, 11,440 directed edges, hidden dimension 512 (first
// argument).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <torch/optim/adam.h>

#include <memory>

#include "dotin/core/random.h"
#include "dotin/kernels/adam.h"
#include "dotin/ops/cross_entropy.h"
#include "dotin/ops/linear.h"
#include "dotin/ops/mix.h"
#include "dotin/ops/reference/attention.h"

namespace {

using namespace dotin;

constexpr int64_t kGraphs = 8, kNodes = 2280, kEntriesOfANode = 5, kLayers = 3;

at::Tensor leaf(at::IntArrayRef shape) { return at::randn(shape).mul_(0.1).requires_grad_(); }

/// Three layers' maps of D x D and their gradients.
int64_t parameters_of(int64_t hidden) { return kLayers * hidden * hidden; }

void adam_one_pass(benchmark::State& state) {
  const at::Tensor weights = at::randn({parameters_of(state.range(0))}), gradients = at::randn_like(weights);
  const at::Tensor first = at::zeros_like(weights), second = at::zeros_like(weights);
  kernels::AdamStep step;
  for (auto _ : state) {
    kernels::adam(weights.data_ptr<float>(), gradients.data_ptr<float>(), first.data_ptr<float>(),
                  second.data_ptr<float>(), weights.numel(), step);
    ++step.step;
  }
}
BENCHMARK(adam_one_pass)->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);

void adam_of_libtorch(benchmark::State& state) {
  std::vector<at::Tensor> weights;
  for (int64_t l = 0; l < kLayers; ++l) {
    weights.push_back(leaf({state.range(0), state.range(0)}));
    weights.back().mutable_grad() = at::randn_like(weights.back());
  }
  torch::optim::Adam adam(weights, torch::optim::AdamOptions(1e-3).weight_decay(8e-4));
  for (auto _ : state) {
    adam.step();
    for (at::Tensor& each : weights) each.mutable_grad().zero_();
  }
}
BENCHMARK(adam_of_libtorch)->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);

const std::vector<int64_t> kLabels = {0, 1, 1, 0, 1, 0, 0, 1};

/// kPlain: libtorch's own functions.
template <bool kPlain>
void head_and_loss(benchmark::State& state) {
  at::Tensor rows = leaf({kGraphs, state.range(0)}), weight = leaf({2, state.range(0)}), bias = leaf({2});
  for (at::Tensor* const each : {&rows, &weight, &bias}) each->mutable_grad() = at::zeros_like(*each);
  const at::Tensor labels = at::tensor(kLabels);
  for (auto _ : state) {
    if (kPlain) {
      at::cross_entropy_loss(at::addmm(bias, rows, weight.t()), labels, {}, at::Reduction::Mean, -100, 0.1).backward();
    } else {
      ops::cross_entropy(ops::linear(rows, weight, bias), kLabels, {}, 0.1).backward();
    }
  }
}
BENCHMARK_TEMPLATE(head_and_loss, false)
    ->Name("head_and_loss_as_two_functions")
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(head_and_loss, true)->Name("head_and_loss_of_libtorch")->Arg(512)->Unit(benchmark::kMicrosecond);

/// Every node has five neighbours, any.
std::shared_ptr<kernels::Level> some_level() {
  auto level = std::make_shared<kernels::Level>();
  level->node_offsets = {0, static_cast<int32_t>(kNodes)};
  core::Rng rng(1);
  level->row_offsets.push_back(0);
  for (int64_t i = 0; i < kNodes; ++i) {
    for (int64_t e = 0; e < kEntriesOfANode; ++e) level->columns.push_back(static_cast<int32_t>(rng.below(kNodes)));
    level->row_offsets.push_back(static_cast<int32_t>(level->columns.size()));
  }
  return level;
}

void neighbours_added_up(benchmark::State& state) {
  const std::shared_ptr<const kernels::Level> level = some_level();
  const at::Tensor rows = at::randn({kNodes, state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(ops::mix(ops::Mixing::adjacency, level, rows));
}
BENCHMARK(neighbours_added_up)->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);

void neighbours_through_an_array_of_edges(benchmark::State& state) {
  const std::shared_ptr<const kernels::Level> level = some_level();
  const at::Tensor rows = at::randn({kNodes, state.range(0)});
  ops::reference::EdgeTensors edges;
  edges.row = at::arange(kNodes).repeat_interleave(kEntriesOfANode);
  edges.column = at::tensor(level->columns).to(at::kLong);
  edges.rows = kNodes;
  const at::Tensor ones = at::ones({kNodes * kEntriesOfANode});
  for (auto _ : state) benchmark::DoNotOptimize(ops::reference::aggregate(ones, rows, edges));
}
BENCHMARK(neighbours_through_an_array_of_edges)->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int count, char** words) {
  at::set_num_threads(1);
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
