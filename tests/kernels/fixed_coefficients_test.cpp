// What gcn, gin and sage mix neighbours by, against dense matrices and central differences in double.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "dotin/kernels/edge_coefficients.h"
#include "kernels/coefficients_support.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

/// A backbone, its tasks, and whether these have gates.
class FixedCoefficients : public ::testing::TestWithParam<std::tuple<Backbone, int32_t, bool>> {
 protected:
  FixedCoefficients() : settings_(small_settings(std::get<0>(GetParam()), std::get<1>(GetParam()))) {}

  void check_all_rows(const Level& level, RowsForm form) const;
  void check_virtual_rows(const Level& level, RowsForm form) const;

  template <class Check>
  static void on_all_rows(const Check& check) {
    for (const auto& [name, level] : all_levels()) {
      for (const RowsForm form : kRowsForms) {
        SCOPED_TRACE(name + in_words(form));
        check(level, form);
      }
    }
  }

  LayerSettings settings_;
};

void FixedCoefficients::check_all_rows(const Level& level, RowsForm form) const {
  LayerInputs in(settings_, 5, std::get<2>(GetParam()), level, form);
  LayerTape<double> tape = tape_of(in.frame);
  const auto forward = [&] { fixed_coefficients(in.frame, settings_, in.weights, tape); };
  forward();
  expect_coefficients(tape, in.plain, in.frame);

  // Coefficients of edges between nodes, and of those to virtual nodes, depend on nothing that is learned.
  const NarrowGradients<double> d = drawn_gradients(in.frame, false, in.rng);
  std::vector<WeightProducts<double>> later(1);
  fixed_coefficients_backward(in.frame, settings_, in.weights, tape, d, in.parameters.gradients(later.data()),
                              in.entering.d_all.data());
  WeightProducts<double>::run(later);
  const auto loss = [&] {
    forward();
    return loss_of(tape, d);
  };
  in.expect_gradients_of(loss);
}

TEST_P(FixedCoefficients, AreTheWeightsAsTheBackboneScalesThemWithGradientsOfWhatIsLearned) {
  on_all_rows([this](const Level& level, RowsForm form) { check_all_rows(level, form); });
}

void FixedCoefficients::check_virtual_rows(const Level& level, RowsForm form) const {
  LayerInputs in(settings_, 5, std::get<2>(GetParam()), level, form);
  Numbers gates, from_row, self;
  const auto forward = [&] { fixed_virtual_rows(in.frame, settings_.backbone, in.weights, gates, from_row, self); };
  forward();
  expect_virtual_rows(from_row, self, in.plain, in.frame);

  const NarrowGradients<double> d = drawn_gradients(in.frame, false, in.rng);
  fixed_virtual_rows_backward(in.frame, in.weights, gates, from_row, d.from_row, d.virtual_self,
                              in.parameters.gradients(nullptr), in.entering.d_all.data());
  const auto loss = [&] {
    forward();
    return dot(d.from_row, from_row) + dot(d.virtual_self, self);
  };
  in.expect_gradients_of(loss);
}

TEST_P(FixedCoefficients, OfVirtualRowsAloneAreTheSame) {
  on_all_rows([this](const Level& level, RowsForm form) { check_virtual_rows(level, form); });
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, FixedCoefficients,
                         ::testing::Combine(::testing::Values(Backbone::gcn, Backbone::gin, Backbone::sage),
                                            ::testing::Values(1, 3), ::testing::Bool()),
                         [](const auto& test) {
                           return backbone_name(std::get<0>(test.param)) + std::to_string(std::get<1>(test.param)) +
                                  (std::get<2>(test.param) ? "WithGates" : "");
                         });

}  // namespace
}  // namespace dotin::kernels
