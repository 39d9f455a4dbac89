#include "dotin/drop/choose.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dotin/core/random.h"
#include "dotin/kernels/select.h"

namespace dotin::drop {

namespace {

template <class Scalar>
void keep_highest_of(const Scalar* scores, const std::vector<int64_t>& offsets, double drop_ratio,
                     std::vector<uint8_t>& keep) {
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t first = offsets[g], nodes = offsets[g + 1] - first;
    kernels::select_nodes(scores + first, nodes, kernels::drop_count(nodes, drop_ratio), keep.data() + first);
  }
}

double standard_deviation(const double* values, int64_t count) {
  const double n = static_cast<double>(count);
  const double mean = std::accumulate(values, values + count, 0.0) / n;
  const auto square = [mean](double sum, double value) { return sum + (value - mean) * (value - mean); };
  return std::sqrt(std::accumulate(values, values + count, 0.0, square) / n);
}

}  // namespace

std::vector<uint8_t> keep_highest(const at::Tensor& scores, const std::vector<int64_t>& offsets, double drop_ratio) {
  std::vector<uint8_t> keep(static_cast<std::size_t>(offsets.back()));
  const at::Tensor values = scores.detach().cpu().contiguous();
  if (values.scalar_type() == at::kDouble) {
    keep_highest_of(values.data_ptr<double>(), offsets, drop_ratio, keep);
  } else {
    keep_highest_of(values.data_ptr<float>(), offsets, drop_ratio, keep);
  }
  return keep;
}

at::Tensor with_noise(const at::Tensor& scores, const std::vector<int64_t>& offsets, double spread,
                      const std::vector<uint64_t>& graph_keys) {
  const at::Tensor noisy = scores.detach().to(at::kCPU, at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  double* const values = noisy.data_ptr<double>();
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const int64_t nodes = offsets[g + 1] - offsets[g];
    if (nodes == 0) continue;
    double* const own = values + offsets[g];
    // Two uniform numbers are cheaper than a normal one and as good; their sum has variance 1/6.
    const double scale = spread * standard_deviation(own, nodes) * std::sqrt(6.0);
    core::Rng rng(graph_keys[g]);
    for (int64_t i = 0; i < nodes; ++i) own[i] += scale * (rng.uniform() + rng.uniform() - 1);
  }
  return noisy;
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

}  // namespace dotin::drop
