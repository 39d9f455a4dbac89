// layer_forward and layer_backward in steps, for parts of a batch that share the rows of a table: what is done with
// rows is done once for all parts, what is done with nodes in each part by itself. Internal to kernels/.
#pragma once

#include "dotin/kernels/fused_layer.h"

namespace dotin::kernels {

/// 1, rows. gat: queries (divided by tau) and keys.
template <class Scalar>
void project_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                  RowProducts<Scalar>& products);

/// 2, nodes: coefficients of neighbours, attentiveness, which nodes leave.
template <class Scalar>
void decide_nodes(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
                  const Level& level, const RowProducts<Scalar>& products, const Choose<Scalar>& choose,
                  LayerTape<Scalar>& tape);

/// 3, rows: the linear maps, where the table has fewer rows than the `left` that leave the layer in all parts.
template <class Scalar>
void map_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
              int64_t left, RowProducts<Scalar>& products);

/// 4, nodes: tape.next.
template <class Scalar>
void next_rows(const LayerSettings& settings, const LayerWeights<Scalar>& weights, const LayerRows<Scalar>& rows,
               const Level& level, const RowProducts<Scalar>& products, const Dropout& dropout,
               LayerTape<Scalar>& tape);

/// Gradients of RowProducts. Parts have each their own, added up before row_products_backward.
template <class Scalar>
struct RowGradients {
  explicit RowGradients(const RowProducts<Scalar>& products);
  void add(const RowGradients& other);

  std::vector<Scalar> q, p, transformed, transformed_self;
};

/// The way back of 4 and 2. Adds to the gradients of what rows alone do not meet, to d_products and to d_rows.
template <class Scalar>
void next_rows_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        const LayerRows<Scalar>& rows, const Level& level, const RowProducts<Scalar>& products,
                        const LayerTape<Scalar>& tape, const Scalar* d_next, const LayerGradients<Scalar>& gradients,
                        RowGradients<Scalar>& d_products, Scalar* d_rows);

/// The way back of 3 and 1. Adds to the gradients of query, key and the maps and to d_rows.
template <class Scalar>
void row_products_backward(const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                           const LayerRows<Scalar>& rows, const RowProducts<Scalar>& products,
                           RowGradients<Scalar> d_products, const LayerGradients<Scalar>& gradients, Scalar* d_rows);

}  // namespace dotin::kernels
