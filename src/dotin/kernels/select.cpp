#include "dotin/kernels/select.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
  std::vector<Scalar> values(logits, logits + nodes);
  Scalar largest = 0;
  for (Scalar& value : values) {
    if (std::isnan(value)) value = -std::numeric_limits<Scalar>::infinity();
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  std::vector<int32_t> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return values[a] != values[b] ? values[a] > values[b] : a < b; });

  // Only the run of equal values that the cut falls into needs its order settled.
  const Scalar tolerance = static_cast<Scalar>(1e-6) * largest;
  const auto equal = [&](int64_t earlier, int64_t later) {
    return values[order[earlier]] == values[order[later]] || values[order[earlier]] - values[order[later]] <= tolerance;
  };
  const int64_t kept = nodes - drops;
  int64_t first = kept;
  while (first > 0 && equal(first - 1, first)) --first;
  int64_t last = kept;
  while (last < nodes - 1 && equal(last, last + 1)) ++last;
  std::sort(order.begin() + first, order.begin() + last + 1);

  std::fill_n(keep, nodes, uint8_t{0});
  for (int64_t i = 0; i < kept; ++i) keep[order[static_cast<std::size_t>(i)]] = 1;
}

template void select_nodes<float>(const float*, int64_t, int64_t, uint8_t*);
template void select_nodes<double>(const double*, int64_t, int64_t, uint8_t*);

}  // namespace dotin::kernels
