// Both engines on one batch, and how far they may be apart.
//
// Exactness is shown in double, where rounding is too small to hide a mistake: the fused engine gives the outputs and
// gradients of the reference to 1e-12 of the largest number of each tensor, and keeps the same nodes.
//
// In float both engines are off by rounding, and by how much depends on the CPU, the BLAS and the number of threads. A
// fixed tolerance would only say how lucky one machine was. What float can promise is that the fused engine is as near
// to the truth as plain code: its error against the double reference is at most twice that of the float reference.
// Four things make that comparison fair:
//   - Weights are floats in both precisions, so that both compute the same function.
//   - The nodes that stay are those of the double reference. Where two scores are nearly equal the last bit decides
//     between them, and then everything after it differs. Choices are tested by themselves: by scores with gaps here
//     (expect_choices_with_gaps), and ties by the stated rule in tests/kernels/select_test.cpp.
//   - One run of the reference can be right by luck. Its error is the largest of a few runs, in all but the first of
//     which every weight is moved by one unit in its last place: what rounding does to a weight alone is within what
//     float promises.
//   - Small tensors can be exact by luck in all of them. An error below a few units in the last place of the largest
//     number of the pass (outputs and gradients each for themselves) is never too large.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "dotin/models/model.h"

namespace dotin::testing {

/// The model of a test, always with the same weights; engine and precision are chosen for each pass.
struct Subject {
  network::ModelOptions options;
  int64_t width = 0;  // of node features
  std::vector<network::Head> heads;
  uint64_t seed = 5;
  std::function<void(const models::Model&)> prepare = {};  // changes weights
};

struct Pass {
  std::string engine;
  std::string precision = "double";
  models::ForwardOptions forward = {};
  uint64_t moved_weights = 0;  // where not 0: every weight is moved by a unit in its last place, up or down by this key
  /// Called with the model before the pass that counts.
  std::function<void(const models::Model&, const models::ForwardOptions&)> before = {};
};

struct NamedTensor {
  std::string name;
  at::Tensor value;
};

struct Result {
  models::Forward forward;
  double kernel_flops = 0;  // of matrix products, which only the fused engine counts
  std::vector<NamedTensor> outputs, gradients;
};

/// Forward and backward of a loss that depends on every output.
Result run(const Subject& subject, const batch::Batch& batch, const Pass& pass);

/// Training with a trace and a fixed key.
models::ForwardOptions traced_training();

/// The same nodes stay, and all numbers agree to the tolerance, relative to the largest of their tensor. For double.
void expect_exact(const Result& fused, const Result& reference, double tolerance);

/// The double reference, and what float can promise beside it.
class FloatPromise {
 public:
  /// Runs the references. `forward` must not repeat a choice.
  FloatPromise(const Subject& subject, const batch::Batch& batch, const models::ForwardOptions& forward);

  /// Runs the fused engine in float; `pass` may have other savings, threads or parts, and no choice to repeat.
  void expect_kept_by(Pass pass) const;

 private:
  /// The fused engine, choosing by itself, keeps the same nodes wherever the scores leave a gap at the cut.
  void expect_choices_with_gaps(const Pass& pass) const;

  const Subject& subject_;
  const batch::Batch& batch_;
  Result exact_;
  std::vector<double> allowed_outputs_, allowed_gradients_;
};

}  // namespace dotin::testing
