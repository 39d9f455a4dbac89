// Products of the virtual nodes' queries with keys that nobody writes down, against queries and keys in double.
#include "dotin/kernels/reach.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/coefficients_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

struct ReachSizes {
  int64_t width, attention;
  int32_t tasks;
};

class ReachOfSizes : public ::testing::TestWithParam<ReachSizes> {
 protected:
  static void check(const Level& level, RowsForm form);
};

void ReachOfSizes::check(const Level& level, RowsForm form) {
  LayerSettings settings;
  settings.hidden = 2;
  settings.attention = GetParam().attention;
  settings.tasks = GetParam().tasks;
  settings.tau = 1.7;
  const int64_t k = settings.tasks;
  LayerInputs in(settings, GetParam().width, false, level, form);

  Reach<double> reach;
  Numbers logits;
  const auto forward = [&] { reach_nodes(in.frame, settings.tau, in.weights, reach, logits); };
  forward();
  const auto first = in.plain.own.values.begin() + in.plain.virtual_rows() * k;
  expect_close(logits, Numbers(first, in.plain.own.values.end()), "logits");
  const DenseMatrix query =
      times_transposed(DenseMatrix(in.entering.virtual_count, in.rows.width, in.rows.virtual_rows()),
                       DenseMatrix(settings.attention, in.rows.width, in.weights.query));
  Numbers expected_query = query.values;
  for (double& number : expected_query) number /= settings.tau;
  expect_close(reach.query, expected_query, "queries");

  const Numbers d_logits = numbers<double>(in.rng, level.nodes() * k);
  const Numbers d_reach = numbers<double>(in.rng, static_cast<int64_t>(reach.row.size()));
  std::vector<WeightProducts<double>> later(1);
  reach_nodes_backward(in.frame, settings.tau, in.weights, reach, d_logits, d_reach,
                       in.parameters.gradients(later.data()), in.entering.d_all.data());
  WeightProducts<double>::run(later);
  const auto loss = [&] {
    forward();
    return dot(d_logits, logits) + dot(d_reach, reach.row);
  };
  in.expect_gradients_of(loss);
}

TEST_P(ReachOfSizes, IsTheProductOfQueriesAndKeysWithItsGradients) {
  for (const auto& [name, level] : all_levels()) {
    for (const RowsForm form : kRowsForms) {
      SCOPED_TRACE(name + in_words(form));
      check(level, form);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfSizes, ReachOfSizes,
                         ::testing::Values(ReachSizes{1, 1, 1}, ReachSizes{3, 8, 1}, ReachSizes{9, 1, 3},
                                           ReachSizes{8, 7, 3}, ReachSizes{33, 9, 1}),
                         [](const auto& test) {
                           return "Width" + std::to_string(test.param.width) + "Attention" +
                                  std::to_string(test.param.attention) + "Tasks" + std::to_string(test.param.tasks);
                         });

}  // namespace
}  // namespace dotin::kernels
