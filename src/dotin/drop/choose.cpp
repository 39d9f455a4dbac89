#include "dotin/drop/choose.h"

#include <ATen/ATen.h>

#include <algorithm>

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
