#include "dotin/layers/backbones.h"
#include "dotin/layers/normalise.h"

namespace dotin::layers {

at::Tensor Gcn::coefficients(const LayerInput& input, const LayerParameters& parameters) const {
  return with_task_gates(normalised_weights(input.edges.weight, input.edges), input, parameters);
}

}  // namespace dotin::layers
