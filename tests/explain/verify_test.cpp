#include "dotin/explain/verify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dotin/data/generate.h"
#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

Verification verified(const training::Learner& learner, const data::View& view, uint64_t seed = 1) {
  core::NoProgress silent;
  return verify(training::LearnerPredictor(learner), data::UnknownLabels::error, view, seed, silent);
}

training::Learner learner_with(double drop_ratio, const std::vector<std::string>& tasks = {"classify", "ged"}) {
  network::RunOptions options = small_options(tasks);
  options.model.drop_ratio = {drop_ratio};
  return training::make_learner(options, data::View(small_dataset(24)));
}

TEST(Bootstrap, IntervalHoldsTheMeanAndShrinksWithMoreGraphs) {
  EXPECT_TRUE(std::isnan(bootstrap({}, 0).mean));
  const Interval same = bootstrap({2, 2, 2}, 0);
  EXPECT_EQ(same.low, 2);
  EXPECT_EQ(same.high, 2);
  std::vector<double> few, many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(i % 10);
    if (i < 50) few.push_back(i % 10);
  }
  const Interval wide = bootstrap(few, 0), narrow = bootstrap(many, 0);
  EXPECT_NEAR(wide.mean, 4.5, 1e-12);
  EXPECT_NEAR(narrow.mean, 4.5, 1e-12);
  // Standard error sqrt(8.25 / n), 1.96 of them to each side; a bootstrap of 1,000 is within a tenth of that.
  EXPECT_NEAR(wide.high - wide.low, 2 * 1.96 * std::sqrt(8.25 / 50), 0.2);
  EXPECT_NEAR(narrow.high - narrow.low, 2 * 1.96 * std::sqrt(8.25 / 1000), 0.05);
}

TEST(Verify, GraphsWithNothingToMaskAreLeftOut) {
  const data::View view(small_dataset(24));
  const Verification none = verified(learner_with(0), view);
  EXPECT_EQ(none.graphs, 0) << "nothing was dropped";
  EXPECT_EQ(none.left_out, 24);
  ASSERT_EQ(none.fidelity.size(), 2u);
  EXPECT_EQ(none.fidelity[0].task, "classify");

  const Verification half = verified(learner_with(0.5), view);
  EXPECT_EQ(half.graphs + half.left_out, 24);
  EXPECT_GE(half.left_out, 1) << "graph 3 is a single node, of which nothing can be dropped";
  EXPECT_GE(half.graphs, 20);
}

TEST(Verify, TheSameSeedGivesTheSameNumbers) {
  const training::Learner learner = learner_with(0.5);
  const data::View view(small_dataset(24));
  const Verification a = verified(learner, view, 1), b = verified(learner, view, 1), c = verified(learner, view, 2);
  EXPECT_EQ(a.fidelity[0].plus[2].mean, b.fidelity[0].plus[2].mean);
  EXPECT_EQ(a.fidelity[1].minus_gain.low, b.fidelity[1].minus_gain.low);
  EXPECT_NE(a.fidelity[1].plus[2].mean, c.fidelity[1].plus[2].mean) << "other nodes are drawn";
  EXPECT_EQ(a.fidelity[1].plus[0].mean, c.fidelity[1].plus[0].mean) << "the kept ones are what they are";
}

TEST(Verify, GainsComparePairByPair) {
  const Verification result = verified(learner_with(0.5), data::View(small_dataset(24)));
  for (const Fidelity& fidelity : result.fidelity) {
    EXPECT_NEAR(fidelity.plus_gain.mean, fidelity.plus[0].mean - fidelity.plus[2].mean, 1e-9);
    EXPECT_NEAR(fidelity.minus_gain.mean, fidelity.minus[2].mean - fidelity.minus[0].mean, 1e-9);
  }
}

// A model that has learned the motif: without the nodes it kept it errs, and it finds the planted ones.
TEST(Verify, KeptNodesOfALearnedModelWereNeeded) {
  data::GenerateOptions generate;
  generate.graphs = 400;
  generate.nodes = 30;
  core::NoProgress silent;
  training::TrainerInput input;
  input.dataset = std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", generate, silent), data::DuplicatePolicy::merge));
  input.split = data::stratified_split(data::classes_of(input.dataset->target("label")).of_graph, 0, 0.25, 0);
  input.options.model.hidden = 32;
  input.options.model.layers = 2;
  input.options.model.drop_ratio = {0.75};
  input.options.train.epochs = 20;
  input.options.train.lr = 2e-3;
  training::set_threads(1);
  const training::TrainResult trained = train_whole(input);
  const Verification result = verified(trained.learner, data::View(input.dataset, input.split.test));
  ASSERT_EQ(result.fidelity.size(), 1u);
  EXPECT_GT(result.fidelity[0].plus_gain.low, 0) << "better than taking as many at random";
  EXPECT_GT(result.fidelity[0].plus[0].mean, result.fidelity[0].plus[1].mean);
  ASSERT_EQ(result.planted.size(), 1u) << "one target, one layer that drops";
  EXPECT_EQ(result.planted[0].target, "label");
  EXPECT_GT(result.planted[0].recall.low, result.planted[0].chance_recall);
  EXPECT_GT(result.planted[0].precision.low, result.planted[0].chance_precision);
  EXPECT_NEAR(result.planted[0].chance_recall, 0.25, 0.05);
}

}  // namespace
}  // namespace dotin::explain
