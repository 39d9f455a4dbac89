// The maps that mixed rows go through in each backbone, against plain loops and central differences in double.
#include "dotin/kernels/row_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr int64_t kMapSizes[][2] = {{1, 1}, {3, 8}, {8, 7}, {9, 3}, {33, 31}};  // D and W
constexpr int64_t kMapRows[] = {0, 1, 7, 33, 65};  // the last: more than a sum takes at a time

class RowMap : public ::testing::TestWithParam<Backbone> {
 protected:
  /// Calls check(parameters, rows, D, W, rng) for all sizes.
  template <class Check>
  static void on_all_sizes(const Check& check) {
    for (const auto& [d, w] : kMapSizes) {
      for (const int64_t rows : kMapRows) {
        if (rows > 33 && d > 9) continue;
        SCOPED_TRACE(::testing::Message() << rows << " rows, D " << d << ", W " << w);
        LayerSettings settings;
        settings.backbone = GetParam();
        settings.hidden = d;
        settings.attention = 2;
        core::Rng rng(static_cast<uint64_t>(rows + 100 * d));
        LayerNumbers parameters(settings, w, false, false, rng);
        check(parameters, rows, d, w, rng);
      }
    }
  }
};

/// rows map^T + bias
DenseMatrix plain_affine(const DenseMatrix& rows, const Numbers& map, const Numbers& bias) {
  DenseMatrix out = times_transposed(rows, DenseMatrix(static_cast<int64_t>(bias.size()), rows.columns, map.data()));
  for (int64_t r = 0; r < out.rows; ++r) {
    for (int64_t c = 0; c < out.columns; ++c) out(r, c) += bias[c];
  }
  return out;
}

TEST_P(RowMap, MapsMixedRowsAndForSageTheRowsOwnInput) {
  on_all_sizes([](LayerNumbers& parameters, int64_t rows, int64_t d, int64_t w, core::Rng& rng) {
    const bool gin = GetParam() == Backbone::gin, sage = GetParam() == Backbone::sage;
    Numbers mixed = numbers<double>(rng, rows * w), inputs = numbers<double>(rng, rows * w), out;
    const LayerWeights<double> weights = parameters.weights();
    const auto forward = [&] { map_mixed(rows, d, w, weights, mixed.data(), inputs.data(), out); };
    forward();
    const auto& values = parameters.values;
    Numbers expected = plain_affine(DenseMatrix(rows, w, mixed.data()), gin ? values.inner : values.linear,
                                    gin ? values.inner_bias : values.bias)
                           .values;
    if (sage) {
      const DenseMatrix own =
          times_transposed(DenseMatrix(rows, w, inputs.data()), DenseMatrix(d, w, values.self.data()));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += own.values[i];
    }
    expect_close(out, expected, "mapped rows");

    const Numbers d_out = numbers<double>(rng, rows * d);
    Numbers d_mixed = unset(mixed.size()), d_inputs = begun(inputs.size());
    std::vector<WeightProducts<double>> later(1);
    map_mixed_backward(rows, d, w, weights, mixed.data(), inputs.data(), d_out, parameters.gradients(later.data()),
                       d_mixed.data(), d_inputs.data());
    WeightProducts<double>::run(later);
    const auto loss = [&] {
      forward();
      return dot(d_out, out);
    };
    EXPECT_TRUE(gradient_agrees("mixed rows", mixed, d_mixed, loss));
    EXPECT_TRUE(gradient_agrees("inputs", inputs, added(d_inputs), loss));
    // Biases get theirs in finish_map_backward.
    Numbers& d_bias = gin ? parameters.d_values.inner_bias : parameters.d_values.bias;
    EXPECT_EQ(d_bias, begun(d_bias.size()));
    for (int64_t i = 0; i < rows * d; ++i) d_bias[i % d] += d_out[i];
    parameters.expect_gradients_of(loss);
  });
}

TEST_P(RowMap, FinishesAfterTheFirstMapWithItsBiasAndForGinWithEluAndASecondMap) {
  on_all_sizes([](LayerNumbers& parameters, int64_t rows, int64_t d, int64_t, core::Rng& rng) {
    const bool gin = GetParam() == Backbone::gin;
    Numbers first = numbers<double>(rng, rows * d), z;
    for (double& number : first) number += 0.01;  // ELU bends at 0
    const LayerWeights<double> weights = parameters.weights();
    InnerTape<double> tape;
    const auto forward = [&] {
      z = first;
      add_first_bias(rows, d, weights, z);
      finish_map(rows, d, weights, tape, z);
    };
    forward();
    const auto& values = parameters.values;
    DenseMatrix expected(rows, d, first.data());
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < d; ++c) {
        double& number = expected(r, c);
        number += gin ? values.inner_bias[c] : values.bias[c];
        if (gin && number < 0) number = std::exp(number) - 1;
      }
    }
    if (gin) expected = plain_affine(expected, values.linear, values.bias);
    expect_close(z, expected.values, "finished rows");

    const Numbers d_out = numbers<double>(rng, rows * d);
    Numbers d_first = d_out;
    std::vector<WeightProducts<double>> later(1);
    finish_map_backward(rows, d, weights, tape, parameters.gradients(later.data()), d_first);
    WeightProducts<double>::run(later);
    const auto loss = [&] {
      forward();
      return dot(d_out, z);
    };
    EXPECT_TRUE(gradient_agrees("rows", first, d_first, loss));
    parameters.expect_gradients_of(loss);
  });
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, RowMap, ::testing::ValuesIn(kBackbones),
                         [](const auto& test) { return backbone_name(test.param); });

}  // namespace
}  // namespace dotin::kernels
