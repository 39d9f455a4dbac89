#include "dotin/kernels/weight_products.h"

#include <algorithm>
#include <map>

#include "dotin/kernels/gemm.h"

namespace dotin::kernels {

namespace {

/// numbers [rows, width] behind those of `to`.
template <class Scalar>
void append_rows(const Scalar* numbers, int64_t rows, int64_t width, std::vector<Scalar>& to) {
  to.insert(to.end(), numbers, numbers + rows * width);
}

}  // namespace

template <class Scalar>
void WeightProducts<Scalar>::run(std::vector<WeightProducts>& parts) {
  std::vector<Product> firsts;  // in the order they were added, so that sums never depend on addresses
  std::map<std::pair<const Scalar*, Scalar>, std::vector<Product>> of;  // gradient and factor
  for (const WeightProducts& part : parts) {
    for (const Product& product : part.products_) {
      std::vector<Product>& same = of[{product.gradient, product.alpha}];
      if (same.empty()) firsts.push_back(product);
      same.push_back(product);
    }
  }
  for (const Product& first : firsts) {
    const std::vector<Product>& same = of[{first.gradient, first.alpha}];
    int64_t rows = 0;
    for (const Product& product : same) rows += product.rows;
    if (same.size() > 1 && rows * (first.m + first.n) < first.m * first.n) {
      run_joined(same, rows);
    } else {
      for (const Product& product : same) run_one(product);
    }
  }
  for (WeightProducts& part : parts) {
    part.products_.clear();
    part.held_.clear();
  }
}

template <class Scalar>
void WeightProducts<Scalar>::run_one(const Product& p) {
  gemm(Op::transposed, Op::plain, p.m, p.n, p.rows, p.alpha, p.left, p.right, Scalar(1), p.gradient);
}

template <class Scalar>
void WeightProducts<Scalar>::run_joined(const std::vector<Product>& products, int64_t rows) {
  Product joined = products.front();
  std::vector<Scalar> left, right;
  left.reserve(static_cast<std::size_t>(rows * joined.m));
  right.reserve(static_cast<std::size_t>(rows * joined.n));
  for (const Product& product : products) {
    append_rows(product.left, product.rows, product.m, left);
    append_rows(product.right, product.rows, product.n, right);
  }
  joined.rows = rows;
  joined.left = left.data();
  joined.right = right.data();
  run_one(joined);
}

template class WeightProducts<float>;
template class WeightProducts<double>;

}  // namespace dotin::kernels
