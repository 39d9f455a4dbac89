// The first layer in the rank of the input: with C columns of features that occur in a batch and K virtual nodes, every
// row that enters is C + K coefficients on the basis [their columns of W_in; G]. The maps that rows meet (query, key,
// linear and the like) are multiplied with the basis once per batch, so that no node's row is D wide before it has to
// be.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/kernels/fused_layer.h"
#include "dotin/kernels/input_table.h"

namespace dotin::kernels {

template <class Scalar>
struct FactoredInput {
  std::vector<int32_t> columns;                   // of the features that occur: C of F
  int64_t width = 0;                              // W = C + K
  std::vector<Scalar> coefficients;               // (K + nodes) x W: virtual node k is unit vector C + k
  std::vector<Scalar> basis;                      // W x D
  LayerParameters<std::vector<Scalar>> products;  // with basis^T, of the parameters that rows meet; others are empty

  LayerRows<Scalar> rows(int64_t tasks) const;
  LayerWeights<Scalar> weights(const LayerWeights<Scalar>& first_layer) const;
};

/// False where it is no less work: only codes, as many columns as D, or few rows in the table that would take its place
/// (table_rows). feature_width: F.
bool factoring_pays(const LayerSettings& settings, const InputFeatures& features, int64_t table_rows,
                    int64_t feature_width);

/// input [D, F], virtual_rows [K, D].
template <class Scalar>
void factor_input(const LayerSettings& settings, const InputFeatures& features, int64_t feature_width,
                  const Scalar* input, const Scalar* virtual_rows, const LayerWeights<Scalar>& first_layer,
                  FactoredInput<Scalar>& factored);

/// Gradients of the first layer as it runs on the factored rows, and their way back to the parameters.
template <class Scalar>
class FactoredGradients {
 public:
  FactoredGradients(const LayerSettings& settings, const FactoredInput<Scalar>& factored);

  /// What layer_backward adds to; parameters that rows do not meet go to first_layer directly.
  LayerGradients<Scalar> gradients(const LayerGradients<Scalar>& first_layer);

  /// Adds to the gradients of the parameters.
  void spread(const LayerWeights<Scalar>& first_layer, const LayerGradients<Scalar>& d_first_layer,
              int64_t feature_width, Scalar* d_input, Scalar* d_virtual_rows);

 private:
  const LayerSettings& settings_;
  const FactoredInput<Scalar>& factored_;
  LayerParameters<std::vector<Scalar>> products_;
  std::vector<Scalar> basis_;
};

}  // namespace dotin::kernels
