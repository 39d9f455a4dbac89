// What there is to know about each backbone, in one table: options, help, parameters, memory and the engines ask it.
// How one computes is in layers/ (plain) and, where it has a kernel, in kernels/edge_coefficients.h.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dotin/kernels/fused_layer.h"
#include "dotin/network/parameters.h"
#include "dotin/options.h"

namespace dotin::network {

struct BackboneAbout {
  Backbone backbone;
  std::string name;
  /// Coefficients of edges into a virtual node do not depend on which task it stands for, so that several tasks need
  /// gates.
  bool fixed_weights;
  std::optional<kernels::Backbone> kernel;  // none: it runs on the reference engine
  /// What a layer learns besides query, key, the linear map, gates and norm; names without "layers.0.".
  std::function<ParameterList(int64_t hidden)> parameters;
};

const std::vector<BackboneAbout>& backbones();

const BackboneAbout& about(Backbone backbone);

}  // namespace dotin::network
