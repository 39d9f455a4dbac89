#include "dotin/kernels/select.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dotin::kernels {

int64_t drop_count(int64_t nodes, double drop_ratio) {
  if (nodes <= 1) return 0;
  // The ratio is decimal, the product is not: 100 * 0.29 is 28.999...96 and means 29.
  const auto drops = static_cast<int64_t>(std::floor(static_cast<double>(nodes) * drop_ratio + 1e-9));
  return std::clamp<int64_t>(drops, 0, nodes - 1);
}

template <class Scalar>
void select_nodes(const Scalar* logits, int64_t nodes, int64_t drops, uint8_t* keep) {
  if (drops == 0) {
    std::fill_n(keep, nodes, uint8_t{1});
    return;
  }
  struct Node {
    Scalar value;
    int32_t index;
  };
  std::vector<Node> order(static_cast<std::size_t>(nodes));
  Scalar largest = 0;
  for (int64_t i = 0; i < nodes; ++i) {
    const Scalar value = std::isnan(logits[i]) ? -std::numeric_limits<Scalar>::infinity() : logits[i];
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    order[i] = {value, static_cast<int32_t>(i)};
  }
  const auto before = [](const Node& a, const Node& b) {
    return a.value != b.value ? a.value > b.value : a.index < b.index;
  };
  const Scalar tolerance = static_cast<Scalar>(1e-6) * largest;
  const auto equal = [&](const Node& earlier, const Node& later) {
    return earlier.value == later.value || earlier.value - later.value <= tolerance;
  };
  const int64_t kept = nodes - drops;
  std::nth_element(order.begin(), order.begin() + kept, order.end(), before);
  const Node& last_kept = *std::max_element(order.begin(), order.begin() + kept, before);
  if (equal(last_kept, order[kept])) {
    // The cut falls into a run of equal values, whose order is to be settled.
    std::sort(order.begin(), order.end(), before);
    int64_t first = kept;
    while (first > 0 && equal(order[first - 1], order[first])) --first;
    int64_t last = kept;
    while (last < nodes - 1 && equal(order[last], order[last + 1])) ++last;
    std::sort(order.begin() + first, order.begin() + last + 1,
              [](const Node& a, const Node& b) { return a.index < b.index; });
  }

  std::fill_n(keep, nodes, uint8_t{0});
  for (int64_t i = 0; i < kept; ++i) keep[order[i].index] = 1;
}

template void select_nodes<float>(const float*, int64_t, int64_t, uint8_t*);
template void select_nodes<double>(const double*, int64_t, int64_t, uint8_t*);

}  // namespace dotin::kernels
