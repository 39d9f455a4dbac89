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
  Dropout dropout;  // another draw in every layer
};

/// Some graphs of the batch: no graph needs another, so that parts can run at the same time.
template <class Scalar>
struct PartTape {
  Level level;                            // as it came
  const int32_t* code = nullptr;          // of its nodes, where parts share a table
  FactoredInput<Scalar> input_factors;    // where the first layer runs on them
  std::vector<Scalar> table;              // virtual rows, then one for each node, where there is neither
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

/// Where the rows of the first layer come from.
enum class InputForm {
  shared_table,  // one table for all parts: nodes with equal features have one row
  factored,      // coefficients on a basis
  own_rows,      // a row for every node
};

/// Lives from forward to backward. The features must live as long.
template <class Scalar>
struct NetworkTape {
  InputFeatures features;  // of all parts, one after the other
  std::vector<PartTape<Scalar>> parts;
  bool way_back = true;  // false: no backward pass follows, and layers may use each other's memory
  InputForm form = InputForm::own_rows;
  InputIndex index;
  std::vector<Scalar> table;     // shared: virtual rows, then one for each row of index
  RowProducts<Scalar> products;  // of the shared table in the first layer
};

/// Calls its argument with the number of every part, at the same time where that can be.
using ForEachPart = std::function<void(const std::function<void(int64_t part)>&)>;

/// tape.features and the levels of tape.parts must be set; hooks has one for every part. width: F.
template <class Scalar>
void network_forward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                     const std::vector<NetworkHooks<Scalar>>& hooks, const ForEachPart& for_each_part,
                     NetworkTape<Scalar>& tape);

/// d_next: gradients of the embeddings of each part. Gradients are added to: of vectors (biases, norms, gates of tasks)
/// by all parts at the same time, so that each needs its own; of matrices, the input and virtual rows by one after the
/// other, so that parts may give the same.
template <class Scalar>
void network_backward(const LayerSettings& settings, const NetworkWeights<Scalar>& weights, int64_t width,
                      const NetworkTape<Scalar>& tape, std::vector<std::vector<Scalar>> d_next,
                      const ForEachPart& for_each_part, const std::vector<NetworkGradients<Scalar>>& gradients);

}  // namespace dotin::kernels
