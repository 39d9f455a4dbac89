#include "dotin/explain/ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace dotin::explain {

namespace {

constexpr double kTied = 1e-6;

/// Calls take(order, first, last) for every group of tied values, the largest first; order holds positions.
void for_each_tie(const std::vector<double>& values,
                  const std::function<void(const std::vector<std::size_t>&, std::size_t, std::size_t)>& take) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  for (std::size_t first = 0; first < order.size();) {
    const double largest = values[order[first]];
    std::size_t last = first + 1;
    while (last < order.size() && largest - values[order[last]] <= kTied * std::abs(largest)) ++last;
    take(order, first, last);
    first = last;
  }
}

}  // namespace

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> result(values.size());
  for_each_tie(values, [&](const std::vector<std::size_t>& order, std::size_t first, std::size_t last) {
    const double rank = static_cast<double>(first + 1 + last) / 2;
    for (std::size_t i = first; i < last; ++i) result[order[i]] = rank;
  });
  return result;
}

std::vector<double> among_largest(const std::vector<double>& values, int64_t count) {
  std::vector<double> result(values.size());
  for_each_tie(values, [&](const std::vector<std::size_t>& order, std::size_t first, std::size_t last) {
    const double room = static_cast<double>(count) - static_cast<double>(first);
    const double share = std::clamp(room / static_cast<double>(last - first), 0.0, 1.0);
    for (std::size_t i = first; i < last; ++i) result[order[i]] = share;
  });
  return result;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;  // of shared ranks, too
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::nan("");
}

}  // namespace dotin::explain
