// The method finds the truth where it is known: the nodes that decide the class survive the drop.
#include <gtest/gtest.h>

#include "dotin/data/generate.h"
#include "dotin/explain/predict.h"
#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

struct Found {
  std::vector<double> accuracy;  // of each task on the test graphs
  std::vector<double> survived;  // of each task's planted nodes there: the share that the first drop leaves
};

/// As `dotin data generate motif` and `dotin train --drop-ratio R` do it, with fewer epochs and no validation graphs:
/// the last epoch counts.
Found learned(double drop_ratio, int64_t tasks) {
  data::GenerateOptions generate;
  generate.tasks = tasks;
  core::NoProgress silent;
  training::TrainerInput input;
  input.dataset = std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", generate, silent), data::DuplicatePolicy::merge));
  input.split = data::stratified_split(data::classes_of(input.dataset->target("label")).of_graph, 0, 0.2, 0);
  input.options.task.tasks = tasks == 1 ? std::vector<std::string>{"classify:label"}
                                        : std::vector<std::string>{"a=classify:label", "b=classify:label2"};
  input.options.model.drop_ratio = {drop_ratio};
  input.options.train.epochs = 30;
  training::set_threads(1);
  const training::TrainResult trained = train_whole(input);
  const data::View test(input.dataset, input.split.test);
  const training::BoundData bound = training::bind(trained.learner, *input.dataset, data::UnknownLabels::error);
  const training::Evaluation evaluation = training::evaluate(trained.learner, bound, test, 1);
  Found found;
  for (std::size_t i = 0; i < trained.metrics.size(); ++i) {
    if (trained.metrics[i].metric == "accuracy") found.accuracy.push_back(evaluation.values[i]);
  }
  for (const Survival& survival : planted_survival(training::LearnerPredictor(trained.learner), test)) {
    EXPECT_EQ(survival.planted, 4 * test.size());
    EXPECT_EQ(survival.after_layer.size(), 2u);
    EXPECT_LE(survival.after_layer[1], survival.after_layer[0]);
    found.survived.push_back(static_cast<double>(survival.after_layer[0]) / static_cast<double>(survival.planted));
  }
  return found;
}

void expect_found(const Found& found, std::size_t tasks) {
  ASSERT_EQ(found.accuracy.size(), tasks);
  ASSERT_EQ(found.survived.size(), tasks);
  for (std::size_t k = 0; k < tasks; ++k) {
    EXPECT_GE(found.accuracy[k], 0.95) << k;
    EXPECT_GE(found.survived[k], 0.9) << k;
  }
}

TEST(Learning, TheMotifIsLearnedAndItsNodesSurviveTheDrop) { expect_found(learned(0.5, 1), 1); }

TEST(Learning, TheyDoWhereNineOfTenNodesLeave) { expect_found(learned(0.9, 1), 1); }

TEST(Learning, TwoTasksKeepTheNodesOfBoth) { expect_found(learned(0.5, 2), 2); }

}  // namespace
}  // namespace dotin::explain
