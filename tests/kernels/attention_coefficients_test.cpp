// What gat mixes neighbours by, against softmax over a dense matrix and central differences in double.
#include <gtest/gtest.h>

#include <vector>

#include "dotin/kernels/edge_coefficients.h"
#include "kernels/coefficients_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

LayerSettings settings_of(int32_t tasks, EdgeWeights mode, bool pair_table) {
  LayerSettings settings = small_settings(Backbone::gat, tasks);
  settings.edge_weights = mode;
  settings.savings.pair_table = pair_table;
  return settings;
}

void check_attention(const LayerSettings& settings, const Level& level, RowsForm form) {
  LayerInputs in(settings, 5, false, level, form);
  // Queries and keys are what this kernel reads: project_rows makes them.
  RowProducts<double> products;
  project_rows(settings, in.weights, in.rows, products);
  LayerTape<double> tape = tape_of(in.frame);
  const auto forward = [&] { attention_coefficients(in.frame, settings, products, tape); };
  forward();
  EXPECT_EQ(tape.pair_table, settings.savings.pair_table && form.coded && 16 <= 2 * (in.frame.edges + in.frame.nodes));
  expect_coefficients(tape, in.plain, in.frame);

  const NarrowGradients<double> d = drawn_gradients(in.frame, true, in.rng);
  NarrowGradients<double> used = d;
  RowGradients<double> d_products(products);
  d_products.q = begun(products.q.size());
  d_products.p = begun(products.p.size());
  attention_coefficients_backward(in.frame, settings, products, tape, used, d_products);
  const auto loss = [&] {
    forward();
    return loss_of(tape, d);
  };
  EXPECT_TRUE(gradient_agrees("queries", products.q, added(d_products.q), loss));
  EXPECT_TRUE(gradient_agrees("keys", products.p, added(d_products.p), loss));
}

class AttentionCoefficients : public ::testing::TestWithParam<int32_t> {};

TEST_P(AttentionCoefficients, AreTheSoftmaxOverEveryRowWithGradientsOfQueriesAndKeys) {
  for (const auto& [name, level] : all_levels()) {
    for (const EdgeWeights mode : {EdgeWeights::softmax, EdgeWeights::multiplicity, EdgeWeights::none}) {
      if (mode == EdgeWeights::none && level.weighted) continue;  // there are no weights then
      for (const RowsForm form : kRowsForms) {
        SCOPED_TRACE(::testing::Message() << name << ", weights " << static_cast<int>(mode) << in_words(form));
        check_attention(settings_of(GetParam(), mode, true), level, form);
      }
    }
  }
}

TEST_P(AttentionCoefficients, AreTheSameWithoutATableOfPairs) {
  for (const auto& [name, level] : small_levels()) {
    SCOPED_TRACE(name);
    check_attention(settings_of(GetParam(), EdgeWeights::multiplicity, false), level, {true, true});
  }
}

INSTANTIATE_TEST_SUITE_P(OfTasks, AttentionCoefficients, ::testing::Values(1, 3));

}  // namespace
}  // namespace dotin::kernels
