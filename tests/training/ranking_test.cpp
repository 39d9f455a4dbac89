// Learning which nodes matter, before the model is trained.
#include "dotin/training/ranking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dotin/data/generate.h"
#include "dotin/network/metrics.h"
#include "training/small_run.h"

namespace dotin::training {
namespace {

using dotin::testing::featureless_dataset;
using dotin::testing::model_bytes;
using dotin::testing::small_input;
using dotin::testing::small_options;
using dotin::testing::StopAfter;
using dotin::testing::TemporaryFolder;
using dotin::testing::train_whole;

network::RunOptions ranked_options(const std::vector<std::string>& tasks = {"classify"}) {
  network::RunOptions options = small_options(tasks);
  options.model.ranking = Ranking::relevance;
  options.train.ranking_steps = 20;
  options.train.epochs = 2;
  return options;
}

TEST(Ranking, FindsTheNodesThatDecideAndOnlyThose) {
  data::GenerateOptions generate;
  generate.graphs = 300;
  generate.nodes = 24;
  core::NoProgress silent;
  TrainerInput input;
  input.dataset = std::make_shared<const data::Dataset>(
      data::build_dataset(data::generate("motif", generate, silent), data::DuplicatePolicy::merge));
  for (int64_t g = 0; g < 300; ++g) (g < 250 ? input.split.train : input.split.validation).push_back(g);
  input.options = ranked_options();
  input.options.train.ranking_steps = 700;
  input.options.train.epochs = 1;
  const TrainResult result = train_whole(input);

  const data::Dataset& dataset = *input.dataset;
  const BoundData bound = bind(result.learner, dataset, data::UnknownLabels::error);
  double sum = 0;
  for (const int64_t g : input.split.validation) {
    const std::vector<int64_t> one = {g};
    const batch::Batch batch = batch::build_batch(dataset, *bound.encoder, one, {});
    const int64_t first = dataset.node_offsets[static_cast<std::size_t>(g)];
    std::vector<int32_t> truth;
    for (int32_t i = 0; i < batch.nodes(); ++i)
      truth.push_back(dataset.relevant[0].nodes[static_cast<std::size_t>(first) + i]);
    const std::vector<double> scores = result.learner.model->scorer()->scores(batch);
    sum += network::auc(scores, truth);
  }
  EXPECT_GT(sum / static_cast<double>(input.split.validation.size()), 0.95);
}

TEST(Ranking, SameSeedSameBytesHoweverOftenItIsStopped) {
  const TrainerInput whole = small_input(ranked_options({"classify", "regress:attributes", "multilabel:tox", "ged"}));
  const std::string expected = model_bytes(train_whole(whole));
  EXPECT_TRUE(model_bytes(train_whole(whole)) == expected);
  TrainerInput other = whole;
  other.options.train.seed = 1;
  EXPECT_NE(model_bytes(train_whole(other)), expected);

  const TemporaryFolder folder;
  TrainerInput input = whole;
  input.checkpoint = folder / "c.safetensors";
  input.resume = true;
  StopAfter while_ranking(7), later(60);
  EXPECT_TRUE(train(input, while_ranking).interrupted);
  EXPECT_TRUE(train(input, later).interrupted);
  EXPECT_TRUE(model_bytes(train_whole(input)) == expected);
}

TEST(Ranking, IsPartOfTheModelFile) {
  const TrainResult result = train_whole(small_input(ranked_options()));
  const TemporaryFolder folder;
  save_model(result.learner, folder / "m.safetensors");
  const Learner loaded = load_model(folder / "m.safetensors");
  ASSERT_NE(loaded.model->scorer(), nullptr);
  const auto& before = result.learner.model->scorer()->parameters().all();
  const auto& after = loaded.model->scorer()->parameters().all();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(before[i].second.equal(after[i].second)) << before[i].first;
}

TEST(Ranking, SingleNodesEdgelessAndFeaturelessGraphsAreRanked) {
  network::RunOptions options = ranked_options({"classify", "ged"});
  options.model.drop_ratio = {0.9};
  TrainerInput input = small_input(options);
  input.split.train = {3, 4, 8, 9};
  EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss));
  input.dataset = featureless_dataset(24);
  EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss));
  input.options.data.featureless = Featureless::constant;
  EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss));
}

TEST(Ranking, TellsHowItGoesOn) {
  struct Listener : TrainObserver {
    std::vector<int64_t> steps;
    void on_ranking(const RankingInfo& info) override {
      EXPECT_EQ(info.steps, 20);
      EXPECT_GT(info.loss, 0);
      EXPECT_GT(info.blind_loss, 0);
      steps.push_back(info.step);
    }
    void on_step(const StepInfo&) override { EXPECT_EQ(steps.size(), 20u) << "it comes before the first epoch"; }
  } listener;
  train(small_input(ranked_options()), listener);
  EXPECT_EQ(listener.steps.front(), 1);
  EXPECT_EQ(listener.steps.back(), 20);
}

}  // namespace
}  // namespace dotin::training
