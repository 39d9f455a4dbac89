#include "dotin/layers/backbones.h"

namespace dotin::layers {

at::Tensor Gat::coefficients(const LayerInput& input, const LayerParameters&) const {
  return ops::reference::attention(input.q, input.p, input.edges, options_.tau, options_.edge_weights);
}

}  // namespace dotin::layers
