// What a layer's weights make of a table's rows before neighbours are mixed, against plain products and central
// differences in double.
#include <gtest/gtest.h>

#include <vector>

#include "dotin/kernels/layer_steps.h"
#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/level_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr int64_t kTableWidth = 5;

class RowProductsOf : public ::testing::TestWithParam<Backbone> {
 protected:
  RowProductsOf()
      : settings_(small_settings(GetParam(), 3)),
        rng_(61),
        level_(level_of({6, 2}, 0.5, rng_)),
        parameters_(settings_, kTableWidth, false, false, rng_),
        entering_(level_, settings_.tasks, kTableWidth, {true, true}, rng_) {}

  /// left: rows that leave the layer.
  RowProducts<double> products(int64_t left) const {
    RowProducts<double> products;
    products.transformed = {1, 2, 3};  // of an earlier use
    project_rows(settings_, parameters_.weights(), entering_.rows(), products);
    map_rows(settings_, parameters_.weights(), entering_.rows(), left, products);
    return products;
  }

  /// All rows times map^T.
  Numbers mapped(const Numbers& map) const {
    const DenseMatrix rows(entering_.rows().count(), kTableWidth, entering_.all.data());
    return times_transposed(rows, DenseMatrix(static_cast<int64_t>(map.size()) / kTableWidth, kTableWidth, map.data()))
        .values;
  }

  LayerSettings settings_;
  core::Rng rng_;
  Level level_;
  LayerNumbers parameters_;
  EnteringRows entering_;
};

TEST_P(RowProductsOf, AreQueriesAndKeysForGatAloneAndRowsThroughTheFirstMaps) {
  const RowProducts<double> made = products(entering_.table_rows + 1);
  const auto& values = parameters_.values;
  if (GetParam() == Backbone::gat) {
    Numbers queries = mapped(values.query);
    for (double& number : queries) number /= settings_.tau;
    expect_close(made.q, queries, "queries");
    expect_close(made.p, mapped(values.key), "keys");
  } else {
    EXPECT_TRUE(made.q.empty() && made.p.empty());
  }
  ASSERT_TRUE(made.table_first);
  expect_close(made.transformed, mapped(GetParam() == Backbone::gin ? values.inner : values.linear), "mapped rows");
  if (GetParam() == Backbone::sage) {
    expect_close(made.transformed_self, mapped(values.self), "rows through their own map");
  } else {
    EXPECT_TRUE(made.transformed_self.empty());
  }
}

TEST_P(RowProductsOf, AreMappedFirstOnlyWhereTheTableHasFewerRowsThanLeave) {
  EXPECT_FALSE(products(entering_.table_rows).table_first);
  EXPECT_TRUE(products(entering_.table_rows).transformed.empty());
  settings_.savings.linear_first = false;
  EXPECT_FALSE(products(1000).table_first);
  settings_.savings.linear_first = true;
  entering_.form.coded = false;
  EXPECT_FALSE(products(1000).table_first) << "without codes every node has a row of its own";
}

TEST_P(RowProductsOf, HaveGradientsOfWeightsAndRowsAddedUpOverParts) {
  for (const int64_t left : {int64_t{1}, entering_.table_rows + 1}) {
    SCOPED_TRACE(left);
    const auto untouched = parameters_.d_values;
    entering_.d_all = begun(entering_.all.size());
    const RowProducts<double> made = products(left);
    const auto drawn = [&] {
      RowGradients<double> d(made);
      for (Numbers* const one : {&d.q, &d.p, &d.transformed, &d.transformed_self})
        *one = numbers<double>(rng_, static_cast<int64_t>(one->size()));
      return d;
    };
    const RowGradients<double> one = drawn(), other = drawn();
    RowGradients<double> d = one;
    d.add(other);
    std::vector<WeightProducts<double>> later(1);
    row_products_backward(settings_, parameters_.weights(), entering_.rows(), made, d,
                          parameters_.gradients(later.data()), entering_.d_all.data());
    WeightProducts<double>::run(later);
    const auto loss = [&] {
      const RowProducts<double> now = products(left);
      double sum = 0;
      for (const RowGradients<double>* const part : {&one, &other}) {
        sum += dot(part->q, now.q) + dot(part->p, now.p) + dot(part->transformed, now.transformed) +
               dot(part->transformed_self, now.transformed_self);
      }
      return sum;
    };
    EXPECT_TRUE(gradient_agrees("rows", entering_.all, added(entering_.d_all), loss));
    parameters_.expect_gradients_of(loss);
    parameters_.d_values = untouched;
  }
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, RowProductsOf, ::testing::ValuesIn(kBackbones),
                         [](const auto& test) { return backbone_name(test.param); });

}  // namespace
}  // namespace dotin::kernels
