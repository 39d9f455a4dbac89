// Products of the virtual nodes' queries with the keys of raw nodes, without the keys. Internal to kernels/.
#pragma once

#include <vector>

#include "dotin/kernels/fused_frame.h"

namespace dotin::kernels {

/// Sets reach, and logits_by_task [nodes, K] to q_g . p_i / tau.
template <class Scalar>
void reach_nodes(const Frame<Scalar>& f, double tau, const LayerWeights<Scalar>& weights, Reach<Scalar>& reach,
                 std::vector<Scalar>& logits_by_task);

/// d_logits_by_task [nodes, K]; d_reach [virtual rows, W] holds what comes from elsewhere and is used up. Adds to the
/// gradients of query and key and of the rows.
template <class Scalar>
void reach_nodes_backward(const Frame<Scalar>& f, double tau, const LayerWeights<Scalar>& weights,
                          const Reach<Scalar>& reach, const std::vector<Scalar>& d_logits_by_task,
                          std::vector<Scalar> d_reach_rows, const LayerGradients<Scalar>& gradients, Scalar* d_rows);

}  // namespace dotin::kernels
