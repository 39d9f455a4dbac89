// Products that give gradients of weight matrices, left for when all parts of a batch have theirs: each thread then
// computes a share of the weights over all rows, instead of all of the weights over its own rows and adding them up.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace dotin::kernels {

template <class Scalar>
class WeightProducts {
 public:
  /// Numbers that must live until run().
  const Scalar* hold(std::vector<Scalar> numbers) {
    held_.push_back(std::move(numbers));
    return held_.back().data();
  }

  /// gradient [m, n] += alpha left^T right, with left [rows, m] and right [rows, n].
  void add(int64_t m, int64_t n, int64_t rows, Scalar alpha, const Scalar* left, const Scalar* right,
           Scalar* gradient) {
    products_.push_back({m, n, rows, alpha, left, right, gradient});
  }

  /// Those of all parts, and empties them. Where parts have few rows for the same gradient, these are put together: the
  /// gradient, which is the larger, is then read and written once.
  static void run(std::vector<WeightProducts>& parts);

 private:
  struct Product {
    int64_t m, n, rows;
    Scalar alpha;
    const Scalar *left, *right;
    Scalar* gradient;
  };

  static void run_one(const Product& product);
  static void run_joined(const std::vector<Product>& products, int64_t rows);

  std::vector<std::vector<Scalar>> held_;
  std::vector<Product> products_;
};

}  // namespace dotin::kernels
