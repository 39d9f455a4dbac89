// One layer of a model without virtual nodes as one differentiable function: neighbours mixed, the linear map, norm,
// ELU, dropout and residual, by the kernels of the fused engine. layers/ and models/ have the same in plain form.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "dotin/kernels/dropout.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/ops/layer_addresses.h"
#include "dotin/ops/rows.h"

namespace dotin::ops {

/// Rows of the nodes that enter, which may share them -> [nodes, D]. What settings say about virtual nodes, drop and
/// gate is ignored: there are none. backward() adds to the .grad
/// of every parameter, which must be leaves; it is not meant for torch::autograd::grad. CPU, float or double.
at::Tensor sparse_layer(const kernels::LayerSettings& settings, const FusedLayerParameters& parameters,
                        std::shared_ptr<const kernels::Level> level, const SharedRows& x,
                        const kernels::Dropout& dropout);

}  // namespace dotin::ops
