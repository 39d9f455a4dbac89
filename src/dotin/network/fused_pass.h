// A pass of the fused engine over a batch, on plain arrays: from features to the embeddings of the virtual nodes, and
// back. Training (ops/fused_network) and prediction (runtime/) run the same one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/kernels/fused_network.h"
#include "dotin/network/batch_parts.h"
#include "dotin/network/choose.h"
#include "dotin/network/trace.h"

namespace dotin::network {

struct PassSettings {
  kernels::LayerSettings layers;
  int64_t width = 0;         // F: columns of the input
  kernels::Dropout dropout;  // another draw in every layer and part; that of the first part is the one of a whole batch
  int64_t parts = 1;         // that the batch is cut into, one per thread
  bool way_back = false;     // a backward pass follows
};

/// Lives from forward to backward. To be used by one thread at a time; what one batch is done with the next one uses.
template <class Scalar>
class FusedPass {
 public:
  /// embeddings: graphs x K rows of D, to be written. The chooser may be called from several threads at once.
  void forward(const PassSettings& settings, const kernels::NetworkWeights<Scalar>& weights, const batch::Batch& batch,
               const Chooser& chooser, Scalar* embeddings);

  /// d_embeddings: as embeddings. gradients: one for every part, with what parts may share as kernels::network_backward
  /// says.
  void backward(const kernels::NetworkWeights<Scalar>& weights, const Scalar* d_embeddings,
                const std::vector<kernels::NetworkGradients<Scalar>>& gradients);

  /// What happened in every layer.
  std::vector<LayerTrace> trace() const;
  /// Of the forward pass, on the part that took longest.
  std::vector<double> layer_seconds() const;
  int64_t parts() const { return static_cast<int64_t>(batch_.parts.size()); }

 private:
  LayerTrace layer_trace(int64_t layer) const;
  /// Numbers in the embeddings of one graph.
  int64_t graph_values() const { return settings_.layers.tasks * settings_.layers.hidden; }

  PassSettings settings_;
  SplitBatch batch_;
  int64_t graphs_ = 0, layers_ = 0;
  kernels::NetworkTape<Scalar> tape_;
};

/// Threads, at most so many, that a batch is worth.
int64_t parts_worth(const ModelOptions& options, const batch::Batch& batch, double drop_factor, int64_t threads);

}  // namespace dotin::network
