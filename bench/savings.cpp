// What savings of the fused engine that no switch leaves out are worth: the same work with and without each, or in
// libtorch. Sizes are those of a step on D&D: 8 graphs, 2,280 nodes, 11,440 directed edges, of which a tenth is left
// at drop 0.9; the hidden dimension is the first argument.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <torch/optim/adam.h>

#include <memory>
#include <numeric>

#include "dotin/core/denormals.h"
#include "dotin/core/memory.h"
#include "dotin/core/random.h"
#include "dotin/kernels/adam.h"
#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/wide_rows.h"
#include "dotin/ops/cross_entropy.h"
#include "dotin/ops/linear.h"
#include "dotin/ops/mix.h"
#include "dotin/ops/reference/attention.h"

namespace {

using namespace dotin;

constexpr int64_t kGraphs = 8, kNodes = 2280, kEntriesOfANode = 5, kLayers = 3;
constexpr int64_t kRowsLeft = kNodes / 10 + 2 * kGraphs;  // kept at drop 0.9, merged and virtual

using Floats = std::vector<float>;

Floats numbers(int64_t count) { return Floats(static_cast<std::size_t>(count), 0.01f); }

/// to [rows, out] = from [rows, in] map^T.
void map_rows(int64_t rows, int64_t out, int64_t in, const Floats& from, const Floats& map, Floats& to) {
  kernels::gemm(kernels::Op::plain, kernels::Op::transposed, rows, out, in, 1.0f, from.data(), map.data(), 0.0f,
                to.data());
}

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

/// The first layer's mixing at drop 0.9 as it is: kept rows are gathered, of all dropped ones one sum for each graph.
/// kAll: every row is gathered, and the dropped ones are summed after that.
template <bool kAll>
void dropped_rows(benchmark::State& state) {
  const int64_t width = state.range(0);
  const std::shared_ptr<const kernels::Level> level = some_level();
  const Floats edge = numbers(level->edges()), self = numbers(kNodes), weights = numbers(kNodes);
  const Floats rows = numbers(kNodes * width);
  const kernels::RowCoefficients<float> coefficients{
      level->row_offsets.data(), level->columns.data(), edge.data(), self.data(), nullptr, 0};
  const kernels::MixedRows<float> mixed{rows.data(), nullptr, nullptr, nullptr, width};
  std::vector<int32_t> source(kAll ? kNodes : kNodes / 10);
  std::iota(source.begin(), source.end(), 0);
  Floats out = numbers(static_cast<int64_t>(source.size()) * width), sum = numbers(width);
  for (auto _ : state) {
    kernels::loops<float>().gather_rows(coefficients, mixed, source.data(), static_cast<int32_t>(source.size()),
                                        out.data());
    kernels::wide_rows<float>(*level, {kAll ? out.data() : rows.data(), kNodes, nullptr, width}, 1, weights.data(),
                              sum.data());
    benchmark::DoNotOptimize(sum.data());
  }
}
BENCHMARK_TEMPLATE(dropped_rows, false)
    ->Name("dropped_rows_stay_narrow")
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(dropped_rows, true)
    ->Name("dropped_rows_are_gathered")
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);

/// Second argument: rows, those that are left or all.
void linear_map(benchmark::State& state) {
  const int64_t width = state.range(0), rows = state.range(1);
  const Floats from = numbers(rows * width), map = numbers(width * width);
  Floats to = numbers(rows * width);
  for (auto _ : state) map_rows(rows, width, width, from, map, to);
}
BENCHMARK(linear_map)
    ->Name("linear_map_after_or_before_the_drop")
    ->ArgsProduct({{64, 512}, {kRowsLeft, kNodes}})
    ->Unit(benchmark::kMicrosecond);

/// Second argument: products, one of both maps or two.
void queries_and_keys(benchmark::State& state) {
  const int64_t width = state.range(0), products = state.range(1);
  const int64_t out = 2 * std::max<int64_t>(16, width / 8) / products;
  const Floats from = numbers(kRowsLeft * width), map = numbers(out * width);
  Floats to = numbers(kRowsLeft * out);
  for (auto _ : state) {
    for (int64_t p = 0; p < products; ++p) map_rows(kRowsLeft, out, width, from, map, to);
  }
}
BENCHMARK(queries_and_keys)
    ->Name("queries_and_keys_in_one_product_or_two")
    ->ArgsProduct({{64, 512}, {1, 2}})
    ->Unit(benchmark::kMicrosecond);

/// The gradient of a map, added to what is there in the product itself, or handed over as a matrix of its own.
template <bool kOwnMatrix>
void gradient_of_a_map(benchmark::State& state) {
  const int64_t width = state.range(0);
  const Floats rows = numbers(kRowsLeft * width), d_out = numbers(kRowsLeft * width);
  const at::Tensor gradient = at::zeros({width, width});
  const auto product = [&](float beta, const at::Tensor& to) {
    kernels::gemm(kernels::Op::transposed, kernels::Op::plain, width, width, kRowsLeft, 1.0f, d_out.data(), rows.data(),
                  beta, to.data_ptr<float>());
  };
  for (auto _ : state) {
    if (kOwnMatrix) {
      const at::Tensor own = at::empty({width, width});
      product(0, own);
      gradient.add_(own);
    } else {
      product(1, gradient);
    }
  }
}
BENCHMARK_TEMPLATE(gradient_of_a_map, false)
    ->Name("gradient_in_place")
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(gradient_of_a_map, true)
    ->Name("gradient_as_a_matrix_of_its_own")
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);

/// ELU of all nodes' rows with dropout. kCounted: as the engine has it; else with a mask of libtorch's generator.
template <bool kCounted>
void dropout(benchmark::State& state) {
  const int64_t width = state.range(0);
  const Floats rows = numbers(kNodes * width);
  Floats next = numbers(kNodes * width);
  const kernels::Loops<float>& loops = kernels::loops<float>();
  uint64_t step = 0;
  for (auto _ : state) {
    const kernels::Dropout drawn = {kCounted ? 0.2 : 0, ++step};
    loops.norm_elu(rows.data(), kNodes, width, nullptr, nullptr, drawn, nullptr, nullptr, nullptr, next.data());
    if (!kCounted) {
      at::from_blob(next.data(), {kNodes, width}).mul_(at::empty({kNodes, width}).bernoulli_(0.8).div_(0.8));
    }
  }
}
BENCHMARK_TEMPLATE(dropout, true)->Name("dropout_counted")->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(dropout, false)->Name("dropout_of_libtorch")->Arg(64)->Arg(512)->Unit(benchmark::kMicrosecond);

/// Rows of a step, taken, written and freed. kKept: as the program has it; else with what the C library does by itself.
template <bool kKept>
void memory_of_a_step(benchmark::State& state) {
  if (kKept) {
    core::keep_freed_memory();
  } else {
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
  }
  for (auto _ : state) {
    for (int64_t l = 0; l < 4 * kLayers; ++l) benchmark::DoNotOptimize(numbers(kRowsLeft * state.range(0)).data());
  }
}
BENCHMARK_TEMPLATE(memory_of_a_step, false)->Name("memory_given_back")->Arg(512)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(memory_of_a_step, true)->Name("memory_kept")->Arg(512)->Unit(benchmark::kMicrosecond);

/// Logits with attention_dim = D need W1 W2^T alone: X (W2 W1^T) in place of queries and keys. Second argument: rows.
template <bool kOneMatrix>
void projections_of_full_width(benchmark::State& state) {
  const int64_t width = state.range(0), rows = state.range(1);
  const Floats from = numbers(rows * width), first = numbers(width * width), second = numbers(width * width);
  Floats both = numbers(width * width), to = numbers(rows * width);
  for (auto _ : state) {
    if (kOneMatrix) {
      map_rows(width, width, width, first, second, both);
      map_rows(rows, width, width, from, both, to);
    } else {
      map_rows(rows, width, width, from, first, to);
      map_rows(rows, width, width, from, second, to);
    }
  }
}
BENCHMARK_TEMPLATE(projections_of_full_width, true)
    ->Name("full_width_through_one_matrix")
    ->ArgsProduct({{64, 512}, {kRowsLeft, kNodes}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(projections_of_full_width, false)
    ->Name("full_width_as_queries_and_keys")
    ->ArgsProduct({{64, 512}, {kRowsLeft, kNodes}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int count, char** words) {
  at::set_num_threads(1);
  const core::FlushDenormals flush;  // as in training: moments without gradients fade to them
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
