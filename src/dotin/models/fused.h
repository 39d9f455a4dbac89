// What the fused engine takes of a model. Internal to models/.
#pragma once

#include "dotin/layers/parameters.h"
#include "dotin/ops/layer_addresses.h"

namespace dotin::models {

/// The parameters of a layer, undefined where the model has no such one.
ops::FusedLayerParameters layer_parameters(const layers::ParameterSet& parameters, int64_t layer);

}  // namespace dotin::models
