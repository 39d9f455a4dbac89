// The fused engine as one differentiable function: from a batch and the parameters to the embeddings of the virtual
// nodes. The plain version of the same is ops/reference with models/.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/fused_pass.h"
#include "dotin/ops/layer_addresses.h"

namespace dotin::ops {

struct FusedParameters {
  at::Tensor input;         // [D, F]
  at::Tensor virtual_rows;  // [K, D]
  std::vector<FusedLayerParameters> layers;
};

/// What a pass tells of itself, where it is asked for.
struct FusedFacts {
  bool trace = false;  // whether layers are asked for
  std::vector<network::LayerTrace> layers;
  std::vector<double> layer_seconds;
};

/// The function, and the memory that its passes take: what one is done with the next one uses. May be called from
/// several threads at once.
class FusedNetwork {
 public:
  FusedNetwork();
  ~FusedNetwork();
  FusedNetwork(FusedNetwork&&) noexcept;

  /// Embeddings [graphs * K, D]. backward() adds to the .grad of every parameter, which must be leaves; it is not meant
  /// for torch::autograd::grad. CPU, float or double. The width and the way back of the settings are filled in.
  at::Tensor forward(network::PassSettings settings, const FusedParameters& parameters, const batch::Batch& batch,
                     const network::Chooser& chooser, FusedFacts& facts) const;

 private:
  std::shared_ptr<class SparePasses> spare_;
};

}  // namespace dotin::ops
