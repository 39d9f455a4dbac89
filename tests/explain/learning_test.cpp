// The method finds the truth where it is known: the nodes that decide the class survive the drop.
#include <gtest/gtest.h>

#include "dotin/data/generate.h"
#include "dotin/explain/predict.h"
#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

// No validation graphs: the last epoch counts.
TEST(Learning, TheMotifIsLearnedAndItsNodesSurviveTheDrop) {
  data::GenerateOptions generate;
  generate.graphs = 400;
  generate.nodes = 20;
  core::NoProgress silent;
  training::TrainerInput input;
  input.dataset = std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", generate, silent), data::DuplicatePolicy::merge));
  input.split = data::stratified_split(data::classes_of(input.dataset->target("label")).of_graph, 0, 0.25, 0);
  input.options.model.hidden = 32;
  input.options.model.layers = 3;
  input.options.model.drop_ratio = {0.5};
  input.options.train.epochs = 20;
  input.options.train.lr = 2e-3;
  training::set_threads(1);
  const training::TrainResult trained = train_whole(input);
  const data::View test(input.dataset, input.split.test);
  const training::BoundData bound = training::bind(trained.learner, *input.dataset, data::UnknownLabels::error);
  EXPECT_GE(training::evaluate(trained.learner, bound, test, 1).values[0], 0.9);
  const std::vector<Survival> survival = planted_survival(trained.learner, test);
  ASSERT_EQ(survival.size(), 1u);
  EXPECT_EQ(survival[0].planted, 4 * test.size());
  ASSERT_EQ(survival[0].after_layer.size(), 2u);
  EXPECT_GE(survival[0].after_layer[0], survival[0].planted * 9 / 10);
  EXPECT_LE(survival[0].after_layer[1], survival[0].after_layer[0]);
}

}  // namespace
}  // namespace dotin::explain
