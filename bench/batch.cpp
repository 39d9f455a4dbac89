// How long it takes to build a batch, and to hash a dataset's graphs.
//
// On D&D where it is found ($DOTIN_DATA, or ../shared/data beside the checkout), else on generated graphs of its size.
#include "dotin/batch/batch.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/core/error.h"
#include "dotin/core/progress.h"
#include "dotin/core/random.h"
#include "dotin/data/check.h"
#include "dotin/data/features.h"
#include "dotin/data/generate.h"
#include "dotin/data/open.h"

namespace {

using namespace dotin;

constexpr int64_t kBatchGraphs = 8;

std::shared_ptr<const data::Dataset> load() {
  for (const char* place : {"DD", "../shared/data/DD.zip"}) {
    try {
      return data::open(place, {});
    } catch (const core::Error&) {
      continue;  // not here
    }
  }
  data::GenerateOptions options;
  options.nodes = 284;
  options.degree = 5;
  options.labels = 82;
  core::NoProgress quiet;
  return std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", options, quiet), data::DuplicatePolicy::merge));
}

const std::shared_ptr<const data::Dataset>& dataset() {
  static const std::shared_ptr<const data::Dataset> loaded = load();
  return loaded;
}

void build_batch(benchmark::State& state) {
  const data::FeatureEncoder encoder(data::fit_features(data::View(dataset()), {}), *dataset(),
                                     data::UnknownLabels::error);
  batch::BuildOptions options;
  options.targets = {"label"};
  options.triplets = state.range(0) != 0;
  core::Rng rng(1);
  std::vector<std::vector<int64_t>> choices(64, std::vector<int64_t>(kBatchGraphs));
  for (auto& choice : choices) {
    for (int64_t& graph : choice) graph = rng.below(dataset()->graphs());
  }
  std::size_t next = 0;
  int64_t nodes = 0, entries = 0;
  for (auto _ : state) {
    const batch::Batch built = batch::build_batch(*dataset(), encoder, choices[next++ % choices.size()], options);
    nodes += built.nodes();
    entries += built.directed_edges();
    benchmark::DoNotOptimize(built.reverse.data());
  }
  state.SetItemsProcessed(state.iterations() * kBatchGraphs);
  state.SetLabel(dataset()->name);
  state.counters["nodes"] = benchmark::Counter(static_cast<double>(nodes), benchmark::Counter::kAvgIterations);
  state.counters["directed_edges"] =
      benchmark::Counter(static_cast<double>(entries), benchmark::Counter::kAvgIterations);
}
BENCHMARK(build_batch)->ArgName("triplets")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void weisfeiler_lehman(benchmark::State& state) {
  uint64_t all = 0;
  for (auto _ : state) {
    for (int64_t g = 0; g < dataset()->graphs(); ++g) {
      all ^= data::weisfeiler_lehman_hash(*dataset(), dataset()->graph(g), static_cast<int>(state.range(0)));
    }
  }
  benchmark::DoNotOptimize(all);
  state.SetItemsProcessed(state.iterations() * dataset()->graphs());
  state.SetLabel(dataset()->name);
}
BENCHMARK(weisfeiler_lehman)->ArgName("rounds")->Arg(3)->Arg(8)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
