#include "dotin/kernels/weight_products.h"

#include "dotin/kernels/gemm.h"

namespace dotin::kernels {

template <class Scalar>
void WeightProducts<Scalar>::run() {
  for (const Product& p : products_)
    gemm(Op::transposed, Op::plain, p.m, p.n, p.rows, p.alpha, p.left, p.right, Scalar(1), p.gradient);
  products_.clear();
  held_.clear();
}

template class WeightProducts<float>;
template class WeightProducts<double>;

}  // namespace dotin::kernels
