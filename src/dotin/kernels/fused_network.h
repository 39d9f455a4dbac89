// All layers: from a batch's features to the embeddings of its virtual nodes, and back.
#pragma once

#include <functional>
#include <vector>

#include "dotin/kernels/factored_input.h"
#include "dotin/kernels/fused_layer.h"
#include "dotin/kernels/input_table.h"

namespace dotin::kernels {

template <class Scalar>
struct NetworkWeights {
  const Scalar* input;         // [D, F]
  const Scalar* virtual_rows;  // [K, D]
  std::vector<LayerWeights<Scalar>> layers;
};

template <class Scalar>
struct NetworkGradients {
  Scalar* input;
  Scalar* virtual_rows;
  std::vector<LayerGradients<Scalar>> layers;
};

/// What a caller decides while the layers run; layer counts from 0.
template <class Scalar>
struct NetworkHooks {
  std::function<void(int64_t layer, const Scalar* logits, const Level& level, uint8_t* keep)> choose;
  std::function<void(int64_t layer, int64_t rows, std::vector<Scalar>& mask)> make_mask;  // empty: no dropout
};

/// Lives from forward to backward. The features must live as long.
template <class Scalar>
struct NetworkTape {
  InputFeatures features;
  InputIndex index;
  Level level;            // the batch as it came
  bool factored = false;  // the first layer runs on input_factors, not on the table
  FactoredInput<Scalar> input_factors;
  std::vector<Scalar> table;              // virtual rows, then one for each row of index
  std::vector<LayerTape<Scalar>> layers;  // all but the last
  LastLayerTape<Scalar> last;
  LayerTape<Scalar> plain_last;       // instead, where the last layer is computed as the others
  std::vector<double> layer_seconds;  // of the forward pass; the input's with the first layer's

  /// The level that enters layer l.
  const Level& level_of(int64_t layer) const {
    return layer == 0 ? level : layers[static_cast<std::size_t>(layer) - 1].next_level;
  }
  /// graphs x K rows of D: the embeddings.
  const std::vector<Scalar>& embeddings() const { return last.next; }
};

/// tape.features and tape.level must be set. width: F.
template <class Scalar>
void network_forward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                     const NetworkHooks<Scalar>& hooks, NetworkTape<Scalar>& tape);

/// Adds to the gradients.
template <class Scalar>
void network_backward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                      const NetworkTape<Scalar>& tape, const Scalar* d_embeddings,
                      const NetworkGradients<Scalar>& gradients);

}  // namespace dotin::kernels
