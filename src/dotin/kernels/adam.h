// One pass of Adam over parameters, gradients and moments.
#pragma once

#include <cstdint>

namespace dotin::kernels {

struct AdamStep {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = true;      // AdamW; otherwise the decay is added to the gradient
  double gradient_scale = 1;  // for clipping
  int64_t step = 1;           // counts from 1
};

/// Updates parameters and both moments in place. Gradients are read once and set to 0 on the way, ready to be added to:
/// no other pass has to clear them. Sizes of 0 are fine.
template <class Scalar>
void adam(Scalar* parameters, Scalar* gradients, Scalar* first_moment, Scalar* second_moment, int64_t size,
          const AdamStep& options);

/// Sum of squares.
template <class Scalar>
double square_sum(const Scalar* values, int64_t size);

}  // namespace dotin::kernels
