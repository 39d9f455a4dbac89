#include "dotin/kernels/adam.h"

#include <cmath>

namespace dotin::kernels {

template <class Scalar>
void adam(Scalar* parameters, const Scalar* gradients, Scalar* first_moment, Scalar* second_moment, int64_t size,
          const AdamStep& options) {
  const auto beta1 = static_cast<Scalar>(options.beta1);
  const auto beta2 = static_cast<Scalar>(options.beta2);
  // Not 1 - beta in Scalar: 1 - 0.999f is off by 1e-5, which the bias correction below does not know of.
  const auto share1 = static_cast<Scalar>(1 - options.beta1);
  const auto share2 = static_cast<Scalar>(1 - options.beta2);
  const auto epsilon = static_cast<Scalar>(options.epsilon);
  const auto scale = static_cast<Scalar>(options.gradient_scale);
  const auto l2 = static_cast<Scalar>(options.decoupled ? 0 : options.weight_decay);
  const auto shrink = static_cast<Scalar>(options.decoupled ? 1 - options.lr * options.weight_decay : 1);
  const auto step = static_cast<double>(options.step);
  const auto rate = static_cast<Scalar>(options.lr / (1 - std::pow(options.beta1, step)));
  const auto correction = static_cast<Scalar>(1 / std::sqrt(1 - std::pow(options.beta2, step)));
  for (int64_t i = 0; i < size; ++i) {
    const Scalar gradient = gradients[i] * scale + l2 * parameters[i];
    const Scalar m = beta1 * first_moment[i] + share1 * gradient;
    const Scalar v = beta2 * second_moment[i] + share2 * gradient * gradient;
    first_moment[i] = m;
    second_moment[i] = v;
    parameters[i] = shrink * parameters[i] - rate * m / (std::sqrt(v) * correction + epsilon);
  }
}

template void adam<float>(float*, const float*, float*, float*, int64_t, const AdamStep&);
template void adam<double>(double*, const double*, double*, double*, int64_t, const AdamStep&);

}  // namespace dotin::kernels
