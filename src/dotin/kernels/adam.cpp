#include "dotin/kernels/adam.h"

#include <cmath>

#include "dotin/kernels/loops.h"

namespace dotin::kernels {

template <class Scalar>
void adam(Scalar* parameters, Scalar* gradients, Scalar* first_moment, Scalar* second_moment, int64_t size,
          const AdamStep& options) {
  const auto scalar = [](double value) { return static_cast<Scalar>(value); };
  const auto step = static_cast<double>(options.step);
  AdamConstants<Scalar> constants;
  constants.beta1 = scalar(options.beta1);
  constants.beta2 = scalar(options.beta2);
  // Not 1 - beta in Scalar: 1 - 0.999f is off by 1e-5, which the bias correction below does not know of.
  constants.share1 = scalar(1 - options.beta1);
  constants.share2 = scalar(1 - options.beta2);
  constants.epsilon = scalar(options.epsilon);
  constants.scale = scalar(options.gradient_scale);
  constants.l2 = scalar(options.decoupled ? 0 : options.weight_decay);
  constants.shrink = scalar(options.decoupled ? 1 - options.lr * options.weight_decay : 1);
  constants.rate = scalar(options.lr / (1 - std::pow(options.beta1, step)));
  constants.correction = scalar(1 / std::sqrt(1 - std::pow(options.beta2, step)));
  loops<Scalar>().adam(parameters, gradients, first_moment, second_moment, size, constants);
}

template <class Scalar>
double square_sum(const Scalar* values, int64_t size) {
  return loops<Scalar>().square_sum(values, size);
}

template void adam<float>(float*, float*, float*, float*, int64_t, const AdamStep&);
template void adam<double>(double*, double*, double*, double*, int64_t, const AdamStep&);
template double square_sum<float>(const float*, int64_t);
template double square_sum<double>(const double*, int64_t);

}  // namespace dotin::kernels
