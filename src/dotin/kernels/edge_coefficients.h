// What a backbone mixes neighbours by: a coefficient for each entry of a row, and each node's attentiveness before it
// is smoothed. Internal to kernels/.
#pragma once

#include <vector>

#include "dotin/kernels/fused_frame.h"
#include "dotin/kernels/layer_steps.h"

namespace dotin::kernels {

/// gat: S = softmax of q_i . p_j over each row. Fills s_* and own*, logits_by_task of the tape.
template <class Scalar>
void attention_coefficients(const Frame<Scalar>& f, const LayerSettings& settings, const RowProducts<Scalar>& products,
                            LayerTape<Scalar>& tape);

/// Adds to the gradients of q and p. inner is used up.
template <class Scalar>
void attention_coefficients_backward(const Frame<Scalar>& f, const LayerSettings& settings,
                                     const RowProducts<Scalar>& products, const LayerTape<Scalar>& tape,
                                     NarrowGradients<Scalar>& inner, RowGradients<Scalar>& d_products);

/// gcn, gin and sage, in the words of layers/backbones.h. They are the same whatever the rows are, but for the gates of
/// the tasks, so that raw nodes need neither queries nor keys.
template <class Scalar>
void fixed_coefficients(const Frame<Scalar>& f, const LayerSettings& settings, const LayerWeights<Scalar>& weights,
                        LayerTape<Scalar>& tape);

/// Adds to the gradients of query, key, eps and task_gate and of the rows.
template <class Scalar>
void fixed_coefficients_backward(const Frame<Scalar>& f, const LayerSettings& settings,
                                 const LayerWeights<Scalar>& weights, const LayerTape<Scalar>& tape,
                                 const NarrowGradients<Scalar>& inner, const LayerGradients<Scalar>& gradients,
                                 Scalar* d_rows);

/// The same for virtual rows alone: from_row [nodes, K], self [graphs, K]; task_gate [nodes, K] where there are gates.
template <class Scalar>
void fixed_virtual_rows(const Frame<Scalar>& f, Backbone backbone, const LayerWeights<Scalar>& weights,
                        std::vector<Scalar>& task_gate, std::vector<Scalar>& from_row, std::vector<Scalar>& self);

/// Adds to the gradients of eps, task_gate and the rows.
template <class Scalar>
void fixed_virtual_rows_backward(const Frame<Scalar>& f, const LayerWeights<Scalar>& weights,
                                 const std::vector<Scalar>& task_gate, const std::vector<Scalar>& from_row,
                                 const std::vector<Scalar>& d_from_row, const std::vector<Scalar>& d_self,
                                 const LayerGradients<Scalar>& gradients, Scalar* d_rows);

}  // namespace dotin::kernels
