// One layer forward against dense matrices with a row for every node, and backward against central differences, in
// double.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "dotin/kernels/fused_layer.h"
#include "kernels/gradient_check.h"
#include "kernels/layer_support.h"
#include "kernels/level_support.h"
#include "kernels/plain_layer.h"

namespace dotin::kernels {
namespace {

using namespace dotin::testing;

constexpr int64_t kLayerWidth = 7;  // that of the layer: rows that are not on a basis

/// A layer with all that goes in.
struct Subject {
  Subject(const LayerSettings& given, const Level& entering_level, RowsForm form, bool norm = true,
          bool task_gates = true, int64_t width = kLayerWidth)
      : rng(51),
        settings(given),
        level(entering_level),
        parameters(settings, width, norm, task_gates, rng),
        entering(level, settings.tasks, width, form, rng) {}

  void on_a_basis() {
    entering.basis = numbers<double>(rng, entering.width * settings.hidden);
    d_basis = begun(entering.basis.size());
  }

  /// The layer's rows and gradients are those of the plain layer.
  void expect_exact();
  void expect_exact_last_layer();

  core::Rng rng;
  LayerSettings settings;
  const Level& level;
  LayerNumbers parameters;
  EnteringRows entering;
  Dropout dropout;
  Numbers d_basis;

 private:
  void expect_gradients(const std::function<double()>& loss);
};

void Subject::expect_gradients(const std::function<double()>& loss) {
  EXPECT_TRUE(gradient_agrees("rows", entering.all, added(entering.d_all), loss));
  parameters.expect_gradients_of(loss);
  EXPECT_TRUE(gradient_agrees("basis", entering.basis, added(d_basis), loss));
}

void Subject::expect_exact() {
  const LayerWeights<double> weights = parameters.weights();
  const LayerRows<double> rows = entering.rows();
  LayerTape<double> tape;
  Numbers logits;
  const Choose<double> choose = [&logits](const double* scores, const Level& of, uint8_t* keep) {
    logits.assign(scores, scores + of.nodes());
    keep_few(of, keep);
  };
  const auto forward = [&] { layer_forward(settings, weights, rows, level, choose, dropout, tape); };
  forward();
  const PlainLayer plain(settings, weights, rows, level);
  expect_close(logits, plain.logits, "logits that choose");
  expect_close(tape.next, plain.next(tape.keep, dropout).values, "rows that leave");
  EXPECT_EQ(tape.rows_left * settings.hidden, static_cast<int64_t>(tape.next.size()));

  const Numbers d_next = numbers<double>(rng, static_cast<int64_t>(tape.next.size()));
  std::vector<WeightProducts<double>> later(1);
  LayerGradients<double> gradients = parameters.gradients(later.data());
  gradients.basis = d_basis.empty() ? nullptr : d_basis.data();
  layer_backward(settings, weights, rows, level, tape, d_next.data(), gradients, entering.d_all.data());
  WeightProducts<double>::run(later);
  expect_gradients([&] {
    forward();
    return dot(d_next, tape.next);
  });
}

void Subject::expect_exact_last_layer() {
  const LayerWeights<double> weights = parameters.weights();
  const LayerRows<double> rows = entering.rows();
  LastLayerTape<double> tape;
  const auto forward = [&] { last_layer_forward(settings, weights, rows, level, dropout, tape); };
  forward();
  const PlainLayer plain(settings, weights, rows, level);
  Numbers expected = plain.next(std::vector<uint8_t>(static_cast<std::size_t>(level.nodes()), 1), dropout).values;
  expected.resize(static_cast<std::size_t>(plain.virtual_rows() * settings.hidden));
  expect_close(tape.next, expected, "virtual rows");
  expect_close(tape.logits_by_task,
               Numbers(plain.own.values.begin() + plain.virtual_rows() * settings.tasks, plain.own.values.end()),
               "attentiveness");

  const Numbers d_next = numbers<double>(rng, static_cast<int64_t>(tape.next.size()));
  std::vector<WeightProducts<double>> later(1);
  last_layer_backward(settings, weights, rows, level, tape, d_next.data(), parameters.gradients(later.data()),
                      entering.d_all.data());
  WeightProducts<double>::run(later);
  expect_gradients([&] {
    forward();
    return dot(d_next, tape.next);
  });
}

/// A backbone and its tasks.
class Layer : public ::testing::TestWithParam<std::tuple<Backbone, int32_t>> {
 protected:
  Layer() : settings_(small_settings(std::get<0>(GetParam()), std::get<1>(GetParam()))) {}

  LayerSettings settings_;
};

TEST_P(Layer, IsThatOfTheDefinitionForRowsOfAnyForm) {
  for (const auto& [name, level] : small_levels()) {
    for (const RowsForm form : kRowsForms) {
      SCOPED_TRACE(name + in_words(form));
      Subject(settings_, level, form).expect_exact();
    }
  }
}

TEST_P(Layer, IsThatOfTheDefinitionForGraphsOfAwkwardSizes) {
  core::Rng rng(52);
  settings_.hidden = 5;
  for (const Level& level : {weighed(level_of({7, 8, 9}, 0.4, rng), rng), level_of({0, 2, 0}, 1, rng),
                             level_of({31, 33}, 0.05, rng), level_of({}, 0, rng)})
    Subject(settings_, level, {false, false}, true, true, 5).expect_exact();
}

TEST_P(Layer, IsThatOfTheDefinitionWithEveryWayToDecideAndToMerge) {
  const Level level = small_levels().back().level;
  for (const Attentiveness attentiveness : {Attentiveness::own, Attentiveness::smoothed, Attentiveness::both}) {
    for (const bool gate : {false, true}) {
      for (const bool softmax_merge_weights : {false, true}) {
        SCOPED_TRACE(::testing::Message() << "attentiveness " << static_cast<int>(attentiveness) << ", gate " << gate
                                          << ", softmaxed merge weights " << softmax_merge_weights);
        settings_.attentiveness = attentiveness;
        settings_.gate = gate;
        settings_.softmax_merge_weights = softmax_merge_weights;
        settings_.edge_weights = gate ? EdgeWeights::softmax : EdgeWeights::multiplicity;
        Subject(settings_, level, {false, false}).expect_exact();
      }
    }
  }
}

TEST_P(Layer, IsThatOfTheDefinitionWithoutMergingResidualNormOrGatesOfTasks) {
  settings_.merge = settings_.residual = settings_.gate = false;
  settings_.edge_weights = EdgeWeights::none;
  const Level level = small_levels()[3].level;
  for (const RowsForm form : kRowsForms) {
    SCOPED_TRACE(in_words(form));
    Subject(settings_, level, form, false, false).expect_exact();
  }
}

TEST_P(Layer, IsTheSameWithoutItsSavings) {
  settings_.savings.pair_table = settings_.savings.linear_first = false;
  const Level level = small_levels().back().level;
  Subject(settings_, level, {true, true}).expect_exact();
}

TEST_P(Layer, TakesRowsOnABasisForWhatTheyStandFor) {
  const Level level = small_levels().back().level;
  for (const bool residual : {false, true}) {
    settings_.residual = residual;
    Subject subject(settings_, level, {false, true}, true, true, 4);
    subject.on_a_basis();
    subject.expect_exact();
  }
}

TEST_P(Layer, DropsTheSameNumbersOutOnTheWayBack) {
  const Level level = small_levels().back().level;
  Subject subject(settings_, level, {false, false}), last(settings_, level, {false, false});
  subject.dropout = last.dropout = {0.4, 9};
  subject.expect_exact();
  last.expect_exact_last_layer();
}

TEST_P(Layer, OfVirtualRowsAloneIsTheSame) {
  settings_.gate = false;  // there is none in the last layer
  for (const auto& [name, level] : all_levels()) {
    for (const RowsForm form : kRowsForms) {
      SCOPED_TRACE(name + in_words(form));
      Subject(settings_, level, form).expect_exact_last_layer();
    }
  }
}

TEST_P(Layer, OfVirtualRowsAloneIsTheSameWithoutResidualNormOrGatesOfTasks) {
  settings_.gate = settings_.residual = false;
  settings_.edge_weights = EdgeWeights::softmax;
  const Level level = small_levels().back().level;
  Subject(settings_, level, {false, false}, false, false).expect_exact_last_layer();
}

INSTANTIATE_TEST_SUITE_P(OfBackbone, Layer,
                         ::testing::Combine(::testing::ValuesIn(kBackbones), ::testing::Values(1, 3)),
                         [](const auto& test) {
                           return backbone_name(std::get<0>(test.param)) + std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace dotin::kernels
