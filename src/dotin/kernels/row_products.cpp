#include "dotin/kernels/layer_steps.h"

#include <algorithm>
#include <utility>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/loops.h"
#include "dotin/kernels/row_map.h"
#include "dotin/kernels/storage.h"

namespace dotin::kernels {

namespace {

/// to [rows, D] = all rows times map^T.
template <class Scalar>
void transform(const LayerRows<Scalar>& rows, int64_t d, const Scalar* map, std::vector<Scalar>& to) {
  size_to(to, rows.count() * d);
  gemm(Op::plain, Op::transposed, rows.count(), d, rows.width, Scalar(1), rows.all, map, Scalar(0), to.data());
}

template <class Scalar>
void transform_backward(const LayerRows<Scalar>& rows, int64_t d, const Scalar* map, std::vector<Scalar> d_transformed,
                        WeightProducts<Scalar>& later, Scalar* d_map, Scalar* d_rows) {
  const Scalar* const d_out = later.hold(std::move(d_transformed));
  later.add(d, rows.width, rows.count(), 1, d_out, rows.all, d_map);
  gemm(Op::plain, Op::plain, rows.count(), rows.width, d, Scalar(1), d_out, map, Scalar(1), d_rows);
}

template <class Scalar>
void project_backward(const LayerSettings& settings, const LayerRows<Scalar>& rows, const RowProducts<Scalar>& products,
                      RowGradients<Scalar> d_products, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  const int64_t count = rows.count(), a = settings.attention, w = rows.width;
  std::vector<Scalar> both(static_cast<std::size_t>(count * 2 * a));
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(d_products.q.data() + r * a, a, both.data() + 2 * r * a);
    std::copy_n(d_products.p.data() + r * a, a, both.data() + (2 * r + 1) * a);
  }
  gemm(Op::plain, Op::plain, count, w, 2 * a, Scalar(1), both.data(), products.projection.data(), Scalar(1), d_rows);
  WeightProducts<Scalar>& later = *gradients.later;
  later.add(a, w, count, static_cast<Scalar>(1 / settings.tau), later.hold(std::move(d_products.q)), rows.all,
            gradients.query);
  later.add(a, w, count, 1, later.hold(std::move(d_products.p)), rows.all, gradients.key);
}

}  // namespace

template <class Scalar>
RowGradients<Scalar>::RowGradients(const RowProducts<Scalar>& products)
    : q(products.q.size()),
      p(products.p.size()),
      transformed(products.transformed.size()),
      transformed_self(products.transformed_self.size()) {}

template <class Scalar>
void RowGradients<Scalar>::add(const RowGradients& other) {
  const auto add_to = [](std::vector<Scalar>& sum, const std::vector<Scalar>& value) {
    loops<Scalar>().add_scaled(1, value.data(), sum.data(), static_cast<int64_t>(sum.size()));
  };
  add_to(q, other.q);
  add_to(p, other.p);
  add_to(transformed, other.transformed);
  add_to(transformed_self, other.transformed_self);
}

template <class Scalar>
void project_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                  RowProducts<Scalar>& products) {
  if (settings.backbone != Backbone::gat) return;
  const int64_t count = rows.count(), a = settings.attention, w = rows.width;
  const auto inverse_tau = static_cast<Scalar>(1 / settings.tau);
  size_to(products.projection, 2 * a * w);
  for (int64_t i = 0; i < a * w; ++i) products.projection[i] = inverse_tau * weights.query[i];
  std::copy_n(weights.key, a * w, products.projection.data() + a * w);
  // In one product: it reads the rows once.
  std::vector<Scalar> both(static_cast<std::size_t>(count * 2 * a));
  gemm(Op::plain, Op::transposed, count, 2 * a, w, Scalar(1), rows.all, products.projection.data(), Scalar(0),
       both.data());
  size_to(products.q, count * a);
  size_to(products.p, count * a);
  for (int64_t r = 0; r < count; ++r) {
    std::copy_n(both.data() + 2 * r * a, a, products.q.data() + r * a);
    std::copy_n(both.data() + (2 * r + 1) * a, a, products.p.data() + r * a);
  }
}

template <class Scalar>
void map_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
              int64_t left, RowProducts<Scalar>& products) {
  products.table_first = settings.savings.linear_first && rows.code != nullptr && rows.table_rows < left;
  if (!products.table_first) {
    products.transformed.clear();
    products.transformed_self.clear();
    return;
  }
  transform(rows, settings.hidden, first_map(weights), products.transformed);
  if (weights.self != nullptr) transform(rows, settings.hidden, weights.self, products.transformed_self);
}

template <class Scalar>
void row_products_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                           const LayerRows<Scalar>& rows, const RowProducts<Scalar>& products,
                           RowGradients<Scalar> d_products, const LayerGradients<Scalar>& gradients, Scalar* d_rows) {
  if (products.table_first) {
    transform_backward(rows, settings.hidden, first_map(weights), std::move(d_products.transformed), *gradients.later,
                       first_map(gradients), d_rows);
    if (weights.self != nullptr) {
      transform_backward(rows, settings.hidden, weights.self, std::move(d_products.transformed_self), *gradients.later,
                         gradients.self, d_rows);
    }
  }
  if (settings.backbone == Backbone::gat)
    project_backward(settings, rows, products, std::move(d_products), gradients, d_rows);
}

#define DOTIN_INSTANTIATE(S)                                                                                         \
  template struct RowGradients<S>;                                                                                   \
  template void project_rows<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, RowProducts<S>&); \
  template void map_rows<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&, int64_t,              \
                            RowProducts<S>&);                                                                        \
  template void row_products_backward<S>(const LayerSettings&, const LayerWeights<S>&, const LayerRows<S>&,          \
                                         const RowProducts<S>&, RowGradients<S>, const LayerGradients<S>&, S*);
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
