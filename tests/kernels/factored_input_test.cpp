// The first layer's rows on a basis, against rows written out and central differences in double.
#include "dotin/kernels/factored_input.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr int64_t kFeatures = 11;  // F: two dense columns, then codes, of which 4 and 8 never occur

/// A backbone, tasks, nodes.
class FactoredInputs : public ::testing::TestWithParam<std::tuple<Backbone, int32_t, int32_t>> {
 protected:
  FactoredInputs()
      : settings_(small_settings(std::get<0>(GetParam()), std::get<1>(GetParam()))),
        nodes_(std::get<2>(GetParam())),
        rng_(71),
        parameters_(settings_, settings_.hidden, true, true, rng_),
        input_(numbers<double>(rng_, settings_.hidden * kFeatures)),
        virtual_rows_(numbers<double>(rng_, settings_.tasks * settings_.hidden)) {
    const int32_t some[] = {2, 3, -1, 5, 6, 7, 9, 10};
    for (int32_t i = 0; i < nodes_; ++i) {
      codes_.push_back(some[rng_.below(8)]);
      codes_.push_back(i == 0 ? codes_[0] : some[rng_.below(8)]);  // node 0 has one twice
      for (int c = 0; c < 2; ++c) dense_.push_back(static_cast<float>(rng_.normal()));
    }
  }

  void factor() {
    const InputFeatures features = {codes_.data(), 2, dense_.data(), 2, nodes_};
    factor_input(settings_, features, kFeatures, input_.data(), virtual_rows_.data(), parameters_.weights(), factored_);
  }

  /// What enters the first layer: virtual rows, then W_in X_i.
  DenseMatrix plain_rows() const {
    DenseMatrix features(nodes_, kFeatures);
    for (int32_t i = 0; i < nodes_; ++i) {
      for (int c = 0; c < 2; ++c) {
        features(i, c) = dense_[2 * i + c];
        if (codes_[2 * i + c] >= 0) features(i, codes_[2 * i + c]) += 1;
      }
    }
    const DenseMatrix raw = times_transposed(features, DenseMatrix(settings_.hidden, kFeatures, input_.data()));
    DenseMatrix rows(settings_.tasks + nodes_, settings_.hidden);
    rows.values = virtual_rows_;
    rows.values.insert(rows.values.end(), raw.values.begin(), raw.values.end());
    return rows;
  }

  /// Calls f(name, whether rows meet the parameter, others...) for all parameters.
  template <class F, class... Sets>
  void for_each_named(const F& f, Sets&&... sets) const {
    LayerParameters<bool> met;
    met.query = met.key = met.self = met.inner = met.task_gate = true;
    met.linear = parameters_.values.inner.empty();
    for_each_parameter(f, kParameterNames, met, sets...);
  }

  LayerSettings settings_;
  int32_t nodes_;
  core::Rng rng_;
  LayerNumbers parameters_;
  Numbers input_, virtual_rows_;
  std::vector<int32_t> codes_;
  std::vector<float> dense_;
  FactoredInput<double> factored_;
};

TEST_P(FactoredInputs, StandForTheRowsThatEnterTheFirstLayer) {
  factor();
  const LayerRows<double> rows = factored_.rows(settings_.tasks);
  EXPECT_EQ(rows.virtual_count, settings_.tasks);
  EXPECT_EQ(rows.table_rows, nodes_);
  EXPECT_EQ(rows.code, nullptr);
  EXPECT_TRUE(rows.shared_virtual);
  EXPECT_EQ(rows.width, static_cast<int64_t>(factored_.columns.size()) + settings_.tasks);
  const DenseMatrix on_basis(rows.count(), rows.width, rows.all), basis(rows.width, settings_.hidden, rows.basis);
  expect_close(times(on_basis, basis).values, plain_rows().values, "rows");
}

TEST_P(FactoredInputs, MultiplyTheParametersThatRowsMeetAndNoOthers) {
  factor();
  const DenseMatrix basis(factored_.width, settings_.hidden, factored_.basis.data());
  const LayerWeights<double> weights = factored_.weights(parameters_.weights());
  for_each_named(
      [&](const char* name, bool met, const Numbers& value, const double* own, const double* used) {
        if (!met || value.empty()) {
          EXPECT_EQ(used, own) << name;
          return;
        }
        const DenseMatrix map(static_cast<int64_t>(value.size()) / settings_.hidden, settings_.hidden, value.data());
        const Numbers product = times_transposed(map, basis).values;
        expect_close(Numbers(used, used + product.size()), product, name);
      },
      parameters_.values, parameters_.weights(), weights);
}

TEST_P(FactoredInputs, SpreadGradientsOverParametersInputAndVirtualRows) {
  factor();
  FactoredGradients<double> of_factors(settings_, factored_);
  const LayerGradients<double> first_layer = parameters_.gradients(nullptr);
  const LayerGradients<double> gradients = of_factors.gradients(first_layer);
  // Any numbers do for the gradients of the products and of the basis.
  const auto draw = [this](std::size_t size, double* to) {
    const Numbers drawn = numbers<double>(rng_, static_cast<int64_t>(size));
    for (std::size_t i = 0; i < size; ++i) to[i] += drawn[i];
    return drawn;
  };
  LayerParameters<Numbers> d_products;
  for_each_named(
      [&](const char* name, bool met, double* gradient, double* own, const Numbers& product, Numbers& d) {
        if (!met) {
          EXPECT_EQ(gradient, own) << name;
        }
        d = draw(product.size(), gradient);
      },
      gradients, first_layer, factored_.products, d_products);
  const Numbers d_basis = draw(factored_.basis.size(), gradients.basis);

  Numbers d_input = begun(input_.size()), d_virtual_rows = begun(virtual_rows_.size());
  of_factors.spread(parameters_.weights(), first_layer, kFeatures, d_input.data(), d_virtual_rows.data());
  const auto loss = [&] {
    factor();
    double sum = dot(d_basis, factored_.basis);
    for_each_parameter([&](const Numbers& d, const Numbers& product) { sum += dot(d, product); }, d_products,
                       factored_.products);
    return sum;
  };
  EXPECT_TRUE(gradient_agrees("input", input_, added(d_input), loss));
  EXPECT_TRUE(gradient_agrees("virtual rows", virtual_rows_, added(d_virtual_rows), loss));
  parameters_.expect_gradients_of(loss);
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, FactoredInputs,
                         ::testing::Combine(::testing::ValuesIn(kBackbones), ::testing::Values(1, 3),
                                            ::testing::Values(1, 9, 33)),
                         [](const auto& test) {
                           return backbone_name(std::get<0>(test.param)) + std::to_string(std::get<1>(test.param)) +
                                  "Nodes" + std::to_string(std::get<2>(test.param));
                         });

TEST(FactoringPays, WhereDenseColumnsAreFewAndRowsAreMany) {
  LayerSettings settings;
  settings.hidden = 64;
  const std::vector<int32_t> codes(100, 5);
  const auto pays = [&](int32_t dense_width, int64_t table_rows) {
    return factoring_pays(settings, {codes.data(), 1, nullptr, dense_width, 100}, table_rows, 200);
  };
  EXPECT_FALSE(pays(0, 100)) << "codes alone";
  EXPECT_TRUE(pays(3, 100));
  EXPECT_FALSE(pays(64, 100)) << "as many columns as D";
  EXPECT_FALSE(pays(3, 5)) << "few rows in the table";
}

}  // namespace
}  // namespace dotin::kernels
