// What the fused engine has to know of a model. Internal to models/.
#pragma once

#include "dotin/layers/parameters.h"
#include "dotin/models/options.h"
#include "dotin/ops/layer_addresses.h"

namespace dotin::kernels {
struct LayerSettings;
}

namespace dotin::models {

/// What the options say about every layer, with or without virtual nodes.
kernels::LayerSettings layer_settings(const ModelOptions& options);

/// The parameters of a layer by their names in the model file.
ops::FusedLayerParameters layer_parameters(const layers::LayerParameters& layer);

}  // namespace dotin::models
