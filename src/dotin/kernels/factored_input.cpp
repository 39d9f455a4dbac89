#include "dotin/kernels/factored_input.h"

#include <algorithm>

#include "dotin/kernels/gemm.h"
#include "dotin/kernels/storage.h"

namespace dotin::kernels {

namespace {

/// Rows of each parameter that the layer's rows meet; 0 for the others.
template <class Scalar>
LayerParameters<int64_t> rows_met(const LayerSettings& settings, const LayerWeights<Scalar>& weights) {
  LayerParameters<int64_t> rows;
  rows.query = rows.key = settings.attention;
  (weights.inner != nullptr ? rows.inner : rows.linear) = settings.hidden;
  if (weights.self != nullptr) rows.self = settings.hidden;
  if (weights.task_gate != nullptr) rows.task_gate = settings.tasks;
  return rows;
}

}  // namespace

template <class Scalar>
LayerRows<Scalar> FactoredInput<Scalar>::rows(int64_t tasks) const {
  const int64_t nodes = static_cast<int64_t>(coefficients.size()) / width - tasks;
  return {coefficients.data(), tasks, nodes, nullptr, true, width, basis.data()};
}

template <class Scalar>
LayerWeights<Scalar> FactoredInput<Scalar>::weights(const LayerWeights<Scalar>& first_layer) const {
  LayerWeights<Scalar> weights = first_layer;
  for_each_parameter(
      [](const Scalar*& weight, const std::vector<Scalar>& product) {
        if (!product.empty()) weight = product.data();
      },
      weights, products);
  return weights;
}

bool factoring_pays(const LayerSettings& settings, const InputFeatures& features, int64_t table_rows,
                    int64_t feature_width) {
  if (features.dense_width == 0) return false;  // rows that share their codes share a row of a table: cheaper still
  const int64_t w = static_cast<int64_t>(used_columns(features, feature_width).size()) + settings.tasks;
  // The linear map takes W (D + nodes) D multiplications, products with the basis included, instead of D D for each
  // row.
  return w * (features.nodes + settings.hidden) < table_rows * settings.hidden;
}

template <class Scalar>
void factor_input(const LayerSettings& settings, const InputFeatures& features, int64_t feature_width,
                  const Scalar* input, const Scalar* virtual_rows, const LayerWeights<Scalar>& first_layer,
                  FactoredInput<Scalar>& factored) {
  factored.columns = used_columns(features, feature_width);
  const auto count = static_cast<int64_t>(factored.columns.size());
  const int64_t d = settings.hidden, w = factored.width = count + settings.tasks, nodes = features.nodes;
  std::vector<int32_t> place(static_cast<std::size_t>(feature_width), -1);
  for (int64_t c = 0; c < count; ++c) place[factored.columns[c]] = static_cast<int32_t>(c);
  factored.coefficients.assign(static_cast<std::size_t>((settings.tasks + nodes) * w), Scalar(0));
  for (int64_t k = 0; k < settings.tasks; ++k) factored.coefficients[k * w + count + k] = 1;
  for (int64_t i = 0; i < nodes; ++i) {
    Scalar* const row = factored.coefficients.data() + (settings.tasks + i) * w;
    std::copy_n(features.dense + i * features.dense_width, features.dense_width, row);
    for (int32_t b = 0; b < features.codes_per_node; ++b) {
      const int32_t column = features.codes[i * features.codes_per_node + b];
      if (column >= 0) row[place[column]] += 1;
    }
  }

  size_to(factored.basis, w * d);
  gather_columns(input, d, feature_width, factored.columns, factored.basis.data());
  std::copy_n(virtual_rows, settings.tasks * d, factored.basis.data() + count * d);

  for_each_parameter(
      [&](const Scalar* weight, int64_t rows, std::vector<Scalar>& product) {
        size_to(product, rows * w);
        gemm(Op::plain, Op::transposed, rows, w, d, Scalar(1), weight, factored.basis.data(), Scalar(0),
             product.data());
      },
      first_layer, rows_met(settings, first_layer), factored.products);
}

template <class Scalar>
FactoredGradients<Scalar>::FactoredGradients(const LayerSettings& settings, const FactoredInput<Scalar>& factored)
    : settings_(settings), factored_(factored), basis_(factored.basis.size()) {
  for_each_parameter(
      [](std::vector<Scalar>& gradient, const std::vector<Scalar>& product) { gradient.resize(product.size()); },
      products_, factored.products);
}

template <class Scalar>
LayerGradients<Scalar> FactoredGradients<Scalar>::gradients(const LayerGradients<Scalar>& first_layer) {
  LayerGradients<Scalar> gradients = first_layer;
  for_each_parameter(
      [](Scalar*& gradient, std::vector<Scalar>& product) {
        if (!product.empty()) gradient = product.data();
      },
      gradients, products_);
  gradients.basis = basis_.data();
  return gradients;
}

template <class Scalar>
void FactoredGradients<Scalar>::spread(const LayerWeights<Scalar>& first_layer,
                                       const LayerGradients<Scalar>& d_first_layer, int64_t feature_width,
                                       Scalar* d_input, Scalar* d_virtual_rows) {
  const int64_t d = settings_.hidden, w = factored_.width, count = w - settings_.tasks;
  // product = weight basis^T
  for_each_parameter(
      [&](const Scalar* weight, const std::vector<Scalar>& d_product, Scalar* d_weight) {
        const int64_t rows = static_cast<int64_t>(d_product.size()) / w;
        if (rows == 0) return;
        gemm(Op::plain, Op::plain, rows, d, w, Scalar(1), d_product.data(), factored_.basis.data(), Scalar(1),
             d_weight);
        gemm(Op::transposed, Op::plain, w, d, rows, Scalar(1), d_product.data(), weight, Scalar(1), basis_.data());
      },
      first_layer, products_, d_first_layer);
  scatter_columns(basis_.data(), d, feature_width, factored_.columns, d_input);
  for (int64_t i = 0; i < settings_.tasks * d; ++i) d_virtual_rows[i] += basis_[count * d + i];
}

#define DOTIN_INSTANTIATE(S)                                                                             \
  template struct FactoredInput<S>;                                                                      \
  template void factor_input<S>(const LayerSettings&, const InputFeatures&, int64_t, const S*, const S*, \
                                const LayerWeights<S>&, FactoredInput<S>&);                              \
  template class FactoredGradients<S>;
DOTIN_INSTANTIATE(float)
DOTIN_INSTANTIATE(double)
#undef DOTIN_INSTANTIATE

}  // namespace dotin::kernels
