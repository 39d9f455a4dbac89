// Softmax of rows and its entropy, of every instruction set, against the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "dotin/kernels/loops.h"
#include "kernels/loops_support.h"

namespace dotin::kernels {
namespace {

using dotin::testing::Exact;
using dotin::testing::expect_near;
using dotin::testing::kLoopSizes;
using dotin::testing::kTolerance;
using dotin::testing::LoopScalars;
using dotin::testing::numbers;
using dotin::testing::on_every_instruction_set;
using dotin::testing::Rng;
using dotin::testing::Sums;

/// One row as the definitions have it.
struct PlainSoftmax {
  std::vector<Exact> share, log_share;
  Exact normaliser = 0, entropy = 0;

  template <class Scalar>
  PlainSoftmax(const Scalar* logits, int64_t width) {
    const Exact largest = *std::max_element(logits, logits + width);
    Exact sum = 0;
    for (int64_t c = 0; c < width; ++c) sum += std::exp(logits[c] - largest);
    normaliser = largest + std::log(sum);
    for (int64_t c = 0; c < width; ++c) {
      log_share.push_back(logits[c] - normaliser);
      share.push_back(std::exp(log_share.back()));
      entropy -= share.back() * log_share.back();
    }
  }
};

template <class Scalar>
void check_softmax(const Loops<Scalar>& loops, Rng& rng, int64_t rows, int64_t width, double scale) {
  const auto logits = numbers<Scalar>(rng, rows * width, scale);
  std::vector<Scalar> share(logits.size()), normaliser(static_cast<std::size_t>(rows)), entropy(normaliser);
  loops.softmax_rows(logits.data(), rows, width, share.data(), normaliser.data(), entropy.data());

  const auto d_share = numbers<Scalar>(rng, rows * width), d_entropy = numbers<Scalar>(rng, rows);
  std::vector<Scalar> d_alone = d_share, d_both = d_share;
  loops.softmax_rows_backward(logits.data(), share.data(), normaliser.data(), entropy.data(), rows, width, nullptr,
                              d_alone.data());
  loops.softmax_rows_backward(logits.data(), share.data(), normaliser.data(), entropy.data(), rows, width,
                              d_entropy.data(), d_both.data());

  // A float's exponential stops at exp(-87), whatever the tolerance relative to a share.
  const Exact least = std::is_same_v<Scalar, float> ? std::exp(-87.0L) / kTolerance<Scalar> : 0;
  Sums shares, normalisers, entropies, alone, both;
  for (int64_t r = 0; r < rows; ++r) {
    const PlainSoftmax row(logits.data() + r * width, width);
    // An exponential is off by its argument's rounding, relative to itself.
    Exact furthest = 1;
    for (const Exact log_share : row.log_share) furthest = std::max(furthest, std::abs(log_share));
    normalisers.push_back({row.normaliser, std::abs(row.normaliser) + 1});
    entropies.push_back({row.entropy, furthest});
    Exact mean = 0, mean_size = 0;
    for (int64_t c = 0; c < width; ++c) {
      mean += row.share[c] * d_share[r * width + c];
      mean_size += row.share[c] * std::abs(d_share[r * width + c]);
    }
    for (int64_t c = 0; c < width; ++c) {
      const Exact s = row.share[c], d = d_share[r * width + c];
      const Exact of_entropy = -s * (row.log_share[c] + row.entropy) * d_entropy[r];
      const Exact size = furthest * (s + least);
      shares.push_back({s, size});
      alone.push_back({s * (d - mean), size * (std::abs(d) + mean_size)});
      both.push_back(
          {s * (d - mean) + of_entropy, size * (std::abs(d) + mean_size + furthest * std::abs(d_entropy[r]))});
    }
  }
  expect_near(share, shares, "share");
  expect_near(normaliser, normalisers, "normaliser");
  expect_near(entropy, entropies, "entropy");
  expect_near(d_alone, alone, "gradient without that of the entropy");
  expect_near(d_both, both, "gradient");
}

template <class Scalar>
class SoftmaxOfRows : public ::testing::Test {};

TYPED_TEST_SUITE(SoftmaxOfRows, LoopScalars);

TYPED_TEST(SoftmaxOfRows, IsThatOfTheDefinitionWithItsEntropyAndGradients) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng& rng) {
    for (const int64_t width : kLoopSizes) {
      if (width == 0) continue;  // a softmax has something to share
      for (const double scale : {0.0, 1.0, 30.0}) check_softmax(loops, rng, 5, width, scale);
    }
    check_softmax(loops, rng, 0, 3, 1);
  });
}

TYPED_TEST(SoftmaxOfRows, KeepsNaN) {
  on_every_instruction_set<TypeParam>([](const Loops<TypeParam>& loops, Rng&) {
    const std::vector<TypeParam> logits = {1, std::nan(""), 2, 0};
    std::vector<TypeParam> share(4), normaliser(1), entropy(1);
    loops.softmax_rows(logits.data(), 1, 4, share.data(), normaliser.data(), entropy.data());
    for (const TypeParam number : share) EXPECT_TRUE(std::isnan(number));
    EXPECT_TRUE(std::isnan(entropy[0]));
  });
}

}  // namespace
}  // namespace dotin::kernels
