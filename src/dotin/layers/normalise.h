// D^-1/2 W D^-1/2: what gcn aggregates by, and some pooling methods score or cut by.
#pragma once

#include <ATen/core/Tensor.h>

#include "dotin/ops/reference/attention.h"

namespace dotin::layers {

/// 1 / sqrt of each sum of weights; 0 where there is no weight, so that nothing there has a gradient, which would be
/// beyond the range of floats after a few layers.
at::Tensor inverse_root(const at::Tensor& sums);

/// weights [E] divided by sqrt(d_i d_j), d the row sums of the weights; 0 where a row sums to 0.
at::Tensor normalised_weights(const at::Tensor& weights, const ops::reference::EdgeTensors& edges);

/// [rows] What gin and sage multiply edges by at each of their ends: 1 / sqrt(d) for virtual nodes, as gcn has it; 1
/// for raw ones.
at::Tensor virtual_scales(const ops::reference::EdgeTensors& edges);

}  // namespace dotin::layers
