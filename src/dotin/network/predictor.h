// Anything that maps a batch to outputs: training's model, with or without libtorch's autograd, or the runtime's.
#pragma once

#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/description.h"
#include "dotin/network/trace.h"

namespace dotin::network {

struct BatchOutputs {
  std::vector<std::vector<double>> by_task;  // graphs x width of the task's head
  std::vector<LayerTrace> trace;             // per layer, if asked for; none where the method chooses no nodes
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const Description& description() const = 0;
  /// The batch must be made with the description's features.
  virtual BatchOutputs outputs(const batch::Batch& batch, bool trace) const = 0;
};

}  // namespace dotin::network
