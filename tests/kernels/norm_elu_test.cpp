// Norm and ELU of every instruction set, against the definition; gradients against its derivatives by dual numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dotin/kernels/loops.h"
#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using dotin::testing::Exact;
using dotin::testing::expect_near;
using dotin::testing::kLoopSizes;
using dotin::testing::LoopScalars;
using dotin::testing::numbers;
using dotin::testing::on_every_instruction_set;
using dotin::testing::Rng;
using dotin::testing::Sum;
using dotin::testing::Sums;
using dotin::testing::sums_of;

/// A number and its derivative with respect to one input.
struct Dual {
  Exact value = 0, slope = 0;

  Dual(Exact v = 0, Exact s = 0) : value(v), slope(s) {}
  friend Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(Dual a, Dual b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(Dual a, Dual b) { return {a.value * b.value, a.slope * b.value + a.value * b.slope}; }
};

Dual inverse_root(Dual a) { return {1 / std::sqrt(a.value), -a.slope / (2 * a.value * std::sqrt(a.value))}; }
Dual elu(Dual a) { return a.value > 0 ? a : Dual(std::expm1(a.value), std::exp(a.value) * a.slope); }

/// One row of norm_elu as its header defines it, without dropout. gamma empty: no norm.
struct PlainRow {
  std::vector<Dual> z, gamma, beta;
  Dual gate = 1, mean, inverse = 1;

  std::vector<Dual> next() {
    const auto width = static_cast<Exact>(z.size());
    if (!gamma.empty()) {
      Dual sum, squares;
      for (const Dual& number : z) sum = sum + number;
      mean = sum * Dual(1 / width);
      for (const Dual& number : z) squares = squares + (number - mean) * (number - mean);
      inverse = inverse_root(squares * Dual(1 / width) + Dual(1e-5L));
    }
    std::vector<Dual> result;
    for (std::size_t c = 0; c < z.size(); ++c)
      result.push_back(gate * elu(gamma.empty() ? z[c] : (z[c] - mean) * inverse * gamma[c] + beta[c]));
    return result;
  }
  /// d . next differentiated with respect to one of the numbers above.
  Exact derivative(Dual& input, const std::vector<Exact>& d) {
    input.slope = 1;
    Dual loss;
    const std::vector<Dual> row = next();
    for (std::size_t c = 0; c < row.size(); ++c) loss = loss + row[c] * Dual(d[c]);
    input.slope = 0;
    return loss.slope;
  }
  /// Magnitudes that a normalised number and the argument of ELU are added up from.
  Exact normal_size(std::size_t c) const {
    return gamma.empty() ? std::abs(z[c].value)
                         : (std::abs(z[c].value) + std::abs(mean.value)) * std::abs(inverse.value);
  }
  Exact argument_size(std::size_t c) const {
    return gamma.empty() ? normal_size(c) : normal_size(c) * std::abs(gamma[c].value) + std::abs(beta[c].value);
  }
};

/// Rows of which the first is all 0 and the second all the same: their deviation is 0.
template <class Scalar>
void check_norm_elu(const Loops<Scalar>& loops, Rng& rng, int64_t rows, int64_t width, double scale, bool norm,
                    bool dropping, bool gated) {
  auto z = numbers<Scalar>(rng, rows * width, scale);
  for (int64_t i = 0; i < std::min<int64_t>(rows, 2) * width; ++i) z[i] = i < width ? 0 : -2;
  const auto gamma = numbers<Scalar>(rng, width), beta = numbers<Scalar>(rng, width);
  const auto gate = numbers<Scalar>(rng, rows), d_next = numbers<Scalar>(rng, rows * width);
  const Dropout dropout = {dropping ? 0.3 : 0, static_cast<uint64_t>(rows + 7 * width)};
  std::vector<Scalar> mask(static_cast<std::size_t>(rows * width));
  dropout_mask(dropout, rows, width, mask.data());
  auto mean = numbers<Scalar>(rng, rows + 1), inverse = numbers<Scalar>(rng, rows + 1);
  auto next = numbers<Scalar>(rng, rows * width + 1), d_z = numbers<Scalar>(rng, rows * width + 1);
  auto d_gamma = numbers<Scalar>(rng, width + 1), d_beta = numbers<Scalar>(rng, width + 1);
  auto d_gate = numbers<Scalar>(rng, rows + 1);

  Sums mean_sums = sums_of(mean), inverse_sums = sums_of(inverse), next_sums = sums_of(next), z_sums = sums_of(d_z);
  Sums gamma_sums = sums_of(d_gamma), beta_sums = sums_of(d_beta), gate_sums = sums_of(d_gate);
  for (int64_t r = 0; r < rows; ++r) {
    PlainRow row;
    std::vector<Exact> d;
    for (int64_t c = 0; c < width; ++c) {
      row.z.emplace_back(z[r * width + c]);
      if (norm) row.gamma.emplace_back(gamma[c]), row.beta.emplace_back(beta[c]);
      d.push_back(Exact(d_next[r * width + c]) * mask[r * width + c]);
    }
    if (gated) row.gate = gate[r];
    const std::vector<Dual> out = row.next();
    Sum mean_size, gradient_size, weighted_size;
    if (gated) gate_sums[r] = Sum();
    for (std::size_t c = 0; c < row.z.size(); ++c) {
      const Exact factor = mask[r * width + c], open = 1 + row.argument_size(c);
      const Exact steep = std::abs(row.gate.value * d[c]) * open;
      mean_size.add(row.z[c].value / width);
      next_sums[r * width + c] = {out[c].value * factor, std::abs(row.gate.value * factor) * open};
      if (gated) gate_sums[r].size += std::abs(d[c]) * open;
      if (!norm) continue;
      gradient_size.add(steep * row.gamma[c].value / width);
      weighted_size.add(steep * row.gamma[c].value * row.normal_size(c) / width);
      gamma_sums[c].add(row.derivative(row.gamma[c], d), steep * row.normal_size(c));
      beta_sums[c].add(row.derivative(row.beta[c], d), steep);
    }
    for (std::size_t c = 0; c < row.z.size(); ++c) {
      const Exact steep = std::abs(row.gate.value * d[c]) * (1 + row.argument_size(c));
      z_sums[r * width + c] = {row.derivative(row.z[c], d), steep};
      if (norm) {
        z_sums[r * width + c].size = row.inverse.value * (steep * std::abs(row.gamma[c].value) + gradient_size.size +
                                                          row.normal_size(c) * weighted_size.size);
      }
    }
    if (gated) gate_sums[r].value = row.derivative(row.gate, d);
    if (norm) {
      mean_sums[r] = {row.mean.value, mean_size.size};
      inverse_sums[r] = Sum();
      inverse_sums[r].add(row.inverse.value);
    }
  }

  const auto if_wanted = [](bool wanted, auto& values) { return wanted ? values.data() : nullptr; };
  loops.norm_elu(z.data(), rows, width, if_wanted(norm, gamma), if_wanted(norm, beta), dropout, if_wanted(gated, gate),
                 mean.data(), inverse.data(), next.data());
  expect_near(mean, mean_sums, "mean");
  expect_near(inverse, inverse_sums, "inverse deviation");
  expect_near(next, next_sums, "next");
  loops.norm_elu_backward(z.data(), rows, width, if_wanted(norm, gamma), if_wanted(norm, beta), dropout,
                          if_wanted(gated, gate), mean.data(), inverse.data(), d_next.data(), d_z.data(),
                          d_gamma.data(), d_beta.data(), if_wanted(gated, d_gate));
  expect_near(d_z, z_sums, "d_z");
  expect_near(d_gamma, gamma_sums, "d_gamma");
  expect_near(d_beta, beta_sums, "d_beta");
  expect_near(d_gate, gate_sums, "d_gate");
}

template <class Scalar>
class NormElu : public ::testing::Test {};

TYPED_TEST_SUITE(NormElu, LoopScalars);

TYPED_TEST(NormElu, IsThatOfTheDefinitionOnEveryInstructionSetAndSoAreItsGradients) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    for (const int64_t width : kLoopSizes) {
      for (const int64_t rows : {0, 4}) {
        for (const int knobs : {0, 1, 2, 3, 4, 5, 6, 7}) {
          if (width == 0 && (knobs & 1) != 0) continue;  // nothing has no mean
          for (const double scale : {0.5, 100.0})
            check_norm_elu(loops, rng, rows, width, scale, (knobs & 1) != 0, (knobs & 2) != 0, (knobs & 4) != 0);
        }
      }
    }
  });
}

}  // namespace
}  // namespace dotin::kernels
