#include "dotin/ops/triplet_margin.h"

#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "dotin/core/error.h"
#include "dotin/ops/scalar_type.h"

namespace dotin::ops {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kLeastDistance = 1e-6;

template <class Scalar>
double euclidean(const Scalar* a, const Scalar* b, int64_t width) {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) {
    const double difference = static_cast<double>(a[c]) - static_cast<double>(b[c]);
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

double scale_of(const TripletOptions& options, int64_t anchor) {
  return options.scale.empty() ? 1 : options.scale[static_cast<std::size_t>(anchor)];
}

double distance_of(const TripletOptions& options, int64_t anchor, double euclidean) {
  const double distance = scale_of(options, anchor) * std::max(euclidean, kLeastDistance);
  return options.squared ? distance * distance : distance;
}

/// d distance / d euclidean, where that is not too little to count.
double slope_of(const TripletOptions& options, int64_t anchor, double euclidean) {
  const double scale = scale_of(options, anchor);
  return options.squared ? 2 * scale * scale * euclidean : scale;
}

/// Adds factor times the gradient of the distance between rows a and b.
template <class Scalar>
void add_gradient(const Scalar* a, const Scalar* b, int64_t width, double factor, Scalar* d_a, Scalar* d_b) {
  for (int64_t c = 0; c < width; ++c) {
    const auto d = static_cast<Scalar>(factor * (static_cast<double>(a[c]) - static_cast<double>(b[c])));
    d_a[c] += d;
    d_b[c] -= d;
  }
}

class TripletMargin : public torch::autograd::Function<TripletMargin> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& any_embeddings, const TripletOptions& options,
                            double margin) {
    const at::Tensor embeddings = any_embeddings.contiguous();
    const int64_t anchors = embeddings.size(0) / 3, width = embeddings.size(1);
    const at::Tensor d_embeddings = at::zeros(embeddings.sizes(), embeddings.options());
    const at::Tensor loss = at::zeros({}, embeddings.options());
    with_scalar(embeddings, [&](auto zero) {
      using Scalar = decltype(zero);
      const Scalar* const rows = embeddings.data_ptr<Scalar>();
      Scalar* const d_rows = d_embeddings.data_ptr<Scalar>();
      double sum = 0;
      for (int64_t i = 0; i < anchors; ++i) {
        const int64_t anchor = i * width, positive = (anchors + i) * width, negative = (2 * anchors + i) * width;
        const double near = euclidean(rows + anchor, rows + positive, width);
        const double far = euclidean(rows + anchor, rows + negative, width);
        const double excess = distance_of(options, i, near) - distance_of(options, i, far) + margin;
        if (excess < 0) continue;  // but NaN goes on, and is seen
        sum += excess;
        const auto add = [&](int64_t other, double apart, double sign) {
          if (apart < kLeastDistance) return;
          add_gradient(rows + anchor, rows + other, width,
                       sign * slope_of(options, i, apart) / (apart * static_cast<double>(anchors)), d_rows + anchor,
                       d_rows + other);
        };
        add(positive, near, 1);
        add(negative, far, -1);
      }
      *loss.data_ptr<Scalar>() = static_cast<Scalar>(sum / static_cast<double>(anchors));
    });
    context->save_for_backward({d_embeddings});
    return loss;
  }

  static variable_list backward(AutogradContext* context, variable_list d_outputs) {
    return {context->get_saved_variables()[0] * d_outputs[0], at::Tensor(), at::Tensor()};
  }
};

}  // namespace

TripletDistances triplet_distances(const at::Tensor& any_embeddings, const TripletOptions& options) {
  const at::Tensor embeddings = any_embeddings.detach().cpu().contiguous();
  const int64_t anchors = embeddings.size(0) / 3, width = embeddings.size(1);
  TripletDistances distances;
  with_scalar(embeddings, [&](auto zero) {
    const auto* const rows = embeddings.data_ptr<decltype(zero)>();
    for (int64_t i = 0; i < anchors; ++i) {
      const auto to = [&](int64_t row) {
        return distance_of(options, i, euclidean(rows + i * width, rows + row * width, width));
      };
      distances.positive.push_back(to(anchors + i));
      distances.negative.push_back(to(2 * anchors + i));
    }
  });
  return distances;
}

at::Tensor triplet_margin(const at::Tensor& embeddings, const TripletOptions& options, double margin) {
  DOTIN_ASSERT(embeddings.size(0) % 3 == 0);
  return TripletMargin::apply(embeddings.cpu(), options, margin);
}

}  // namespace dotin::ops
