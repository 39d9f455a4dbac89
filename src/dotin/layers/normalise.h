// D^-1/2 W D^-1/2: what gcn aggregates by, and some pooling methods score or cut by.
#pragma once

#include <ATen/core/Tensor.h>

#include "dotin/ops/reference/attention.h"

namespace dotin::layers {

/// weights [E] divided by sqrt(d_i d_j), d the row sums of the weights; 0 where a row sums to 0.
at::Tensor normalised_weights(const at::Tensor& weights, const ops::reference::EdgeTensors& edges);

}  // namespace dotin::layers
