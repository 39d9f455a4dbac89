#include "dotin/network/choose.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/kernels/select.h"

namespace dotin::network {

namespace {

double standard_deviation(const double* values, int64_t count) {
  const double n = static_cast<double>(count);
  const double mean = std::accumulate(values, values + count, 0.0) / n;
  const auto square = [mean](double sum, double value) { return sum + (value - mean) * (value - mean); };
  return std::sqrt(std::accumulate(values, values + count, 0.0, square) / n);
}

}  // namespace

std::vector<uint8_t> keep_highest(const std::vector<double>& scores, const std::vector<int64_t>& offsets,
                                  double drop_ratio) {
  std::vector<uint8_t> keep(static_cast<std::size_t>(offsets.back()));
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t first = offsets[g], nodes = offsets[g + 1] - first;
    kernels::select_nodes(scores.data() + first, nodes, kernels::drop_count(nodes, drop_ratio), keep.data() + first);
  }
  return keep;
}

std::vector<double> with_noise(std::vector<double> scores, const std::vector<int64_t>& offsets, double spread,
                               const std::vector<uint64_t>& graph_keys) {
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t nodes = offsets[g + 1] - offsets[g];
    if (nodes == 0) continue;
    double* const own = scores.data() + offsets[g];
    // Two uniform numbers are cheaper than a normal one and as good; their sum has variance 1/6.
    const double scale = spread * standard_deviation(own, nodes) * std::sqrt(6.0);
    core::Rng rng(graph_keys[g]);
    for (int64_t i = 0; i < nodes; ++i) own[i] += scale * (rng.uniform() + rng.uniform() - 1);
  }
  return scores;
}

std::vector<uint8_t> keep_any(const std::vector<int64_t>& offsets, double drop_ratio,
                              const std::vector<uint64_t>& graph_keys) {
  std::vector<uint8_t> keep(static_cast<std::size_t>(offsets.back()), 1);
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t first = offsets[g], nodes = offsets[g + 1] - first;
    std::vector<uint8_t> draw(static_cast<std::size_t>(nodes), 1);
    std::fill_n(draw.begin(), kernels::drop_count(nodes, drop_ratio), uint8_t{0});
    core::Rng(graph_keys[g]).shuffle(draw);
    std::copy(draw.begin(), draw.end(), keep.begin() + first);
  }
  return keep;
}

std::vector<uint8_t> keep_by_chance(const std::vector<int64_t>& offsets, double probability,
                                    const std::vector<uint64_t>& graph_keys) {
  std::vector<uint8_t> keep(static_cast<std::size_t>(offsets.back()));
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t nodes = offsets[g + 1] - offsets[g];
    uint8_t* const own = keep.data() + offsets[g];
    core::Rng rng(graph_keys[g]);
    do {
      std::generate_n(own, nodes, [&] { return rng.chance(probability) ? uint8_t{0} : uint8_t{1}; });
    } while (nodes > 0 && std::all_of(own, own + nodes, [](uint8_t stays) { return stays == 0; }));
  }
  return keep;
}

std::vector<uint64_t> graph_keys(const batch::Batch& batch, uint64_t random_key, int64_t layer) {
  std::vector<uint64_t> keys;
  for (int64_t g = 0; g < batch.graphs(); ++g) {
    const uint64_t graph =
        core::mix(static_cast<uint64_t>(batch.graph_index[g]), static_cast<uint64_t>(g / batch.anchors));
    keys.push_back(core::mix(core::mix(random_key, graph), static_cast<uint64_t>(layer)));
  }
  return keys;
}

std::vector<uint8_t> choose_nodes(Drop drop, ChoiceInput input) {
  if (drop == Drop::none) return std::vector<uint8_t>(static_cast<std::size_t>(input.offsets.back()), 1);
  if (drop == Drop::random) return keep_any(input.offsets, input.drop_ratio, input.graph_keys);
  if (drop != Drop::dotin) core::fail_usage("drop method {} does not choose nodes by virtual nodes", core::word(drop));
  if (input.exploration > 0)
    input.scores = with_noise(std::move(input.scores), input.offsets, input.exploration, input.graph_keys);
  return keep_highest(input.scores, input.offsets, input.drop_ratio);
}

std::vector<uint8_t> Chooser::choose(int64_t layer, const std::vector<int32_t>& graphs, std::vector<double> scores,
                                     const std::vector<int64_t>& offsets) const {
  if (pass_.repeat != nullptr) {
    const LayerTrace& before = (*pass_.repeat)[static_cast<std::size_t>(layer)];
    std::vector<uint8_t> keep;
    for (const int32_t graph : graphs) {
      keep.insert(keep.end(), before.keep.begin() + before.raw_offsets[graph],
                  before.keep.begin() + before.raw_offsets[graph + 1]);
    }
    return keep;
  }
  const std::vector<uint64_t> all_keys = graph_keys(batch_, pass_.random_key, layer);
  std::vector<uint64_t> keys;
  for (const int32_t graph : graphs) keys.push_back(all_keys[graph]);
  return choose_nodes(options_.drop, {std::move(scores), offsets, options_.drop_ratio_of(layer) * pass_.drop_factor,
                                      keys, pass_.exploration});
}

}  // namespace dotin::network
