#include "reproduce/paired_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dotin/core/error.h"

namespace dotin::reproduce {

namespace {

/// Continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 500;
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast on one side only; the other follows from I_x(a, b) = 1 - I_{1-x}(b, a).
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

}  // namespace

double student_two_sided(double t, double degrees) {
  return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

PairedTest paired_test(const std::vector<double>& a, const std::vector<double>& b) {
  DOTIN_ASSERT(a.size() == b.size() && a.size() >= 3);
  const auto folds = static_cast<double>(a.size());
  PairedTest test;
  for (std::size_t i = 0; i < a.size(); ++i) test.difference += (a[i] - b[i]) / folds;
  double variance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = a[i] - b[i] - test.difference;
    variance += off * off / (folds - 1);
  }
  const double error = std::sqrt((1 / folds + 1 / (folds - 2)) * variance);
  // Equal differences leave rounding behind, not a variance.
  if (error <= 1e-12 * std::abs(test.difference) || error == 0) {
    test.t = test.difference == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), test.difference);
    test.p = test.difference == 0 ? 1 : 0;
    return test;
  }
  test.t = test.difference / error;
  test.p = student_two_sided(test.t, folds - 1);
  return test;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return p[x] < p[y]; });
  std::vector<double> result(p.size());
  double so_far = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    so_far = std::max(so_far, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    result[order[i]] = so_far;
  }
  return result;
}

}  // namespace dotin::reproduce
