// The fused engine as one differentiable function: from a batch and the parameters to the embeddings of the virtual
// nodes. The plain version of the same is ops/reference with models/.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/ops/layer_addresses.h"

namespace dotin::ops {

struct FusedParameters {
  at::Tensor input;         // [D, F]
  at::Tensor virtual_rows;  // [K, D]
  std::vector<FusedLayerParameters> layers;
};

/// One layer's facts, as they are when it has run. logits and logits_by_task are empty unless asked for.
struct FusedTrace {
  std::vector<int64_t> raw_offsets;
  std::vector<double> logits, logits_by_task;
  std::vector<uint8_t> keep;
  std::vector<int64_t> new_raw_of_raw;
};

/// Called with parts of the batch, which may be on several threads at once; graphs are the numbers of the part's graphs
/// in the batch.
struct FusedHooks {
  /// Chooses the raw nodes that stay after a layer; logits [nodes] is of the parameters' type.
  std::function<std::vector<uint8_t>(int64_t layer, const std::vector<int32_t>& graphs, const at::Tensor& logits,
                                     const std::vector<int64_t>& raw_offsets)>
      choose;
  kernels::Dropout dropout;  // another draw in every layer and part; that of the first part is the one of a whole batch
  int64_t parts = 1;         // that the batch is cut into, one per thread
};

/// The function, and the memory that its passes take: what one is done with the next one uses. May be called from
/// several threads at once.
class FusedNetwork {
 public:
  FusedNetwork();
  ~FusedNetwork();
  FusedNetwork(FusedNetwork&&) noexcept;

  /// Embeddings [graphs * K, D]. backward() adds to the .grad of every parameter, which must be leaves; it is not meant
  /// for torch::autograd::grad. CPU, float or double. trace: filled if not null.
  /// layer_seconds: set to the time of each layer's forward pass, on the part that took longest, if not null.
  at::Tensor forward(const kernels::LayerSettings& settings, const FusedParameters& parameters,
                     const batch::Batch& batch, const FusedHooks& hooks, std::vector<FusedTrace>* trace,
                     std::vector<double>* layer_seconds) const;

 private:
  std::shared_ptr<class SpareTapes> spare_;
};

}  // namespace dotin::ops
