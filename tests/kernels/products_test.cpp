// Products that threads share and gradients that parts of a batch put together, against the definition.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <utility>
#include <vector>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/weight_products.h"

namespace dotin::kernels {
namespace {

using Matrix = std::vector<double>;

/// Numbers without a pattern that a wrong stride would keep.
Matrix some_numbers(int64_t count, int64_t seed) {
  Matrix numbers(static_cast<std::size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<double>((i * i + 7 * i + seed) % 23) - 11;
  return numbers;
}

/// Entry (row, column) of op(A), where op(A) is [rows, columns].
double entry(Op op, const Matrix& a, int64_t rows, int64_t columns, int64_t row, int64_t column) {
  return op == Op::plain ? a[row * columns + column] : a[column * rows + row];
}

Matrix by_definition(Op op_a, Op op_b, int64_t m, int64_t n, int64_t k, double alpha, const Matrix& a, const Matrix& b,
                     double beta, Matrix c) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += entry(op_a, a, m, k, i, l) * entry(op_b, b, k, n, l, j);
      c[i * n + j] = alpha * sum + beta * c[i * n + j];
    }
  }
  return c;
}

/// Whole numbers of moderate size: sums are exact in any order.
class Products : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    before_ = omp_get_max_threads();
    omp_set_num_threads(GetParam());
  }
  void TearDown() override { omp_set_num_threads(before_); }

 private:
  int before_ = 1;
};

TEST_P(Products, AreThoseOfTheDefinition) {
  // Shared by columns or by rows, of which a last thread may have fewer; the last but one is large enough for BLAS to
  // share, the last too small.
  const int64_t sizes[][3] = {{5, 520, 512}, {31, 333, 200}, {3, 97, 4000},   {333, 31, 200},
                              {300, 64, 90}, {400, 400, 7},  {400, 300, 140}, {2, 3, 4}};
  for (const auto& [m, n, k] : sizes) {
    for (const Op op_a : {Op::plain, Op::transposed}) {
      for (const Op op_b : {Op::plain, Op::transposed}) {
        const Matrix a = some_numbers(m * k, 1), b = some_numbers(k * n, 2), c = some_numbers(m * n, 3);
        Matrix result = c;
        gemm(op_a, op_b, m, n, k, 2.0, a.data(), b.data(), 3.0, result.data());
        EXPECT_EQ(result, by_definition(op_a, op_b, m, n, k, 2.0, a, b, 3.0, c)) << m << " " << n << " " << k;
      }
    }
  }
}

TEST_P(Products, OfPartsAddUpWhetherTheyAreJoinedOrNot) {
  constexpr int64_t m = 40, n = 60;
  for (const int64_t rows : {int64_t{3}, int64_t{200}}) {  // fewer numbers than the gradient, and more
    const Matrix left = some_numbers(3 * rows * m, 1), right = some_numbers(3 * rows * n, 2);
    Matrix gradient = some_numbers(m * n, 3), other = gradient;
    Matrix expected = by_definition(Op::transposed, Op::plain, m, n, 3 * rows, 0.5, left, right, 1, gradient);
    const Matrix expected_other =
        by_definition(Op::transposed, Op::plain, m, n, rows, 1, some_numbers(rows * m, 4), right, 1, other);
    // The same gradient with another factor must not be joined with the rest.
    expected = by_definition(Op::transposed, Op::plain, m, n, rows, 2, some_numbers(rows * m, 5), right, 1, expected);

    std::vector<WeightProducts<double>> parts(3);
    for (int64_t p = 0; p < 3; ++p)
      parts[p].add(m, n, rows, 0.5, left.data() + p * rows * m, right.data() + p * rows * n, gradient.data());
    parts[1].add(m, n, rows, 1, parts[1].hold(some_numbers(rows * m, 4)), right.data(), other.data());
    parts[2].add(m, n, rows, 2, parts[2].hold(some_numbers(rows * m, 5)), right.data(), gradient.data());
    WeightProducts<double>::run(parts);
    EXPECT_EQ(gradient, expected);
    EXPECT_EQ(other, expected_other);
    WeightProducts<double>::run(parts);  // nothing is left
    EXPECT_EQ(gradient, expected);
  }
}

TEST_P(Products, OfNothingScaleWhatIsThere) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{0, 3}, {3, 0}, {2, 3}}) {
    Matrix c = some_numbers(m * n, 3);
    const Matrix expected = by_definition(Op::plain, Op::plain, m, n, 0, 2, {}, {}, 3, c);
    gemm<double>(Op::plain, Op::plain, m, n, 0, 2, nullptr, nullptr, 3, c.data());
    EXPECT_EQ(c, expected);
  }
  Matrix unset(4, NAN);
  gemm<double>(Op::plain, Op::plain, 2, 2, 0, 1, nullptr, nullptr, 0, unset.data());
  EXPECT_EQ(unset, Matrix(4));

  // A part without rows adds nothing, whether it is joined with others or alone.
  const Matrix left = some_numbers(40, 1), right = some_numbers(60, 2);
  Matrix gradient = some_numbers(2400, 3);
  const Matrix expected = by_definition(Op::transposed, Op::plain, 40, 60, 1, 1, left, right, 1, gradient);
  std::vector<WeightProducts<double>> parts(2);
  parts[0].add(40, 60, 0, 1, parts[0].hold({}), nullptr, gradient.data());
  parts[1].add(40, 60, 1, 1, left.data(), right.data(), gradient.data());
  WeightProducts<double>::run(parts);
  EXPECT_EQ(gradient, expected);
  parts[0].add(40, 60, 0, 1, nullptr, nullptr, gradient.data());
  WeightProducts<double>::run(parts);
  EXPECT_EQ(gradient, expected);
}

INSTANTIATE_TEST_SUITE_P(OnThreads, Products, ::testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace dotin::kernels
