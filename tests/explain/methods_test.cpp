// Every method goes all the way: trained, saved, loaded, resumed, and explained where there is something to explain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dotin/explain/predict.h"
#include "dotin/network/drop_methods.h"
#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

using Setting = std::pair<std::string, std::string>;  // drop, readout

class EveryMethod : public ::testing::TestWithParam<Setting> {
 protected:
  network::RunOptions options(const std::vector<std::string>& tasks) const {
    network::RunOptions options = small_options(tasks);
    options.model.drop = core::from_word<dotin::Drop>("drop", GetParam().first);
    options.model.readout = core::from_word<dotin::Readout>("readout", GetParam().second);
    options.model.dropgnn_runs = 2;
    options.train.epochs = 2;
    return options;
  }
};

std::vector<Prediction> predictions_of(const training::Learner& learner, bool explain) {
  const auto dataset = small_dataset(24);
  const data::FeatureEncoder encoder(learner.features, *dataset, data::UnknownLabels::error);
  core::NoProgress silent;
  std::vector<Prediction> all;
  predict(training::LearnerPredictor(learner), encoder, data::View(dataset), explain, silent,
          [&](const Prediction& prediction) { all.push_back(prediction); });
  return all;
}

TEST_P(EveryMethod, PredictsTheSameFromItsModelFile) {
  for (const auto& tasks : {std::vector<std::string>{"classify"}, std::vector<std::string>{"classify", "ged"}}) {
    const training::TrainResult trained = train_whole(small_input(options(tasks)));
    for (const training::EpochRecord& record : trained.history) EXPECT_TRUE(std::isfinite(record.train_loss));
    const TemporaryFolder folder;
    training::save_model(trained.learner, folder / "model.safetensors");
    const training::Learner loaded = training::load_model(folder / "model.safetensors");
    const std::vector<Prediction> before = predictions_of(trained.learner, false),
                                  after = predictions_of(loaded, false);
    ASSERT_EQ(before.size(), 24U);
    ASSERT_EQ(after.size(), 24U);
    for (std::size_t g = 0; g < before.size(); ++g) EXPECT_EQ(before[g].outputs, after[g].outputs) << "graph " << g;
  }
}

TEST_P(EveryMethod, ResumesToTheSameBits) {
  training::TrainerInput input = small_input(options({"classify"}));
  const std::string whole = model_bytes(train_whole(input));
  const TemporaryFolder folder;
  input.checkpoint = folder / "run.ckpt";
  StopAfter three(3);
  EXPECT_TRUE(training::train(input, three).interrupted);
  input.resume = true;
  EXPECT_EQ(model_bytes(train_whole(input)), whole);
}

TEST_P(EveryMethod, ListsWhatItKeptAndDroppedOrSaysThatItCannot) {
  const training::Learner learner = training::make_learner(options({"classify"}), data::View(small_dataset(24)));
  if (!network::about(core::from_word<Drop>("drop", GetParam().first)).has(network::DropTrait::chooses_nodes)) {
    const std::string message = error_of([&] { predictions_of(learner, true); });
    for (const char* const part : {GetParam().first.c_str(), "cannot be explained", "gpool"})
      EXPECT_SAYS(message, part);
    return;
  }
  for (const Prediction& prediction : predictions_of(learner, true)) {
    const GraphExplanation& explanation = prediction.explanation;
    ASSERT_EQ(explanation.layers.size(), 3U);
    for (std::size_t l = 0; l < 3; ++l) {
      const LayerExplanation& layer = explanation.layers[l];
      EXPECT_EQ(layer.kept.size() + layer.dropped.size(), layer.entered.size());
      EXPECT_TRUE(l == 0 || layer.entered == explanation.layers[l - 1].kept);
      EXPECT_EQ(layer.attentiveness.empty(), !learner.options.model.has_virtual_nodes());
    }
  }
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& name : core::words<Drop>()) all.emplace_back(name, "auto");
  for (const char* const readout : {"mean", "sum", "max", "mean_max", "set2set", "sortpool", "sagpool"})
    all.emplace_back("none", readout);
  all.emplace_back("random", "mean");
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
  return info.param.first + "_" + info.param.second;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, ::testing::ValuesIn(settings()), name_of);

TEST(DropEdge, ChangesTrainingAndIsRefusedWithGed) {
  network::RunOptions options = small_options();
  const std::string without = model_bytes(train_whole(small_input(options)));
  options.train.drop_edge = 0.5;
  EXPECT_NE(model_bytes(train_whole(small_input(options))), without);
  options.task.tasks = {"classify", "ged"};
  EXPECT_SAYS(error_of([&] { train_whole(small_input(options)); }), "`drop_edge` with a ged task");
  options.train.drop_edge = 1;
  EXPECT_SAYS(error_of([&] { options.validate(); }), "`drop_edge` must be in [0, 1)");
}

TEST(DropEdge, LeavesEvaluationItsEdges) {
  const auto evaluated = [](double share) {
    network::RunOptions options = small_options();
    options.train.drop_edge = share;
    const auto dataset = small_dataset(24);
    const training::Learner learner = training::make_learner(options, data::View(dataset));
    const training::BoundData bound = training::bind(learner, *dataset, data::UnknownLabels::error);
    return training::evaluate(learner, bound, data::View(dataset), 1).loss;
  };
  EXPECT_EQ(evaluated(0.9), evaluated(0));
}

TEST(Auxiliary, LossesReachTheObjective) {
  for (const char* const drop : {"diffpool", "mincut"}) {
    network::RunOptions options = small_options();
    options.model.drop = core::from_word<dotin::Drop>("drop", drop);
    options.train.epochs = 1;
    const double with = train_whole(small_input(options)).history[0].train_loss;
    options.model.auxiliary_weight = 0;
    EXPECT_GT(std::abs(train_whole(small_input(options)).history[0].train_loss - with), 1e-3) << drop;
  }
}

TEST(Clusters, ThatALaterLayerCannotHoldAreRefusedBeforeTraining) {
  network::RunOptions options = small_options();
  options.model.drop = Drop::mincut;
  options.model.layers = 4;
  options.model.clusters = 400;
  options.model.drop_ratio = {0, 0, 0, 0};
  // 8 nodes into 400 clusters fit, 400 into 400 do not.
  options.model.dense_limit = 4;
  EXPECT_SAYS(error_of([&] { training::make_learner(options, data::View(small_dataset(24))); }),
              "a graph of 400 nodes");
}

/// Small graphs without features, and a path of so many nodes behind them.
std::shared_ptr<const data::Dataset> with_a_long_path(int64_t graphs, int32_t nodes) {
  io::Records records = small_records(graphs);
  const auto first = static_cast<int32_t>(records.nodes());
  for (int32_t i = 0; i + 1 < nodes; ++i) {
    records.edge_from.push_back(first + i);
    records.edge_to.push_back(first + i + 1);
  }
  records.node_offsets.push_back(first + nodes);
  records.node_labels.clear();
  records.node_attributes = {};
  std::vector<double> label(records.targets[0].values.begin(), records.targets[0].values.end());
  label.push_back(1);
  records.targets = {{"label", 1, std::move(label), {}}};
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
}

TEST(Clusters, AGraphThatOnlyTheTestSetHasIsRefusedBeforeTrainingToo) {
  network::RunOptions options = small_options();
  options.model.drop = Drop::diffpool;
  options.model.dense_limit = 1;
  options.model.clusters = 50;
  const auto dataset = with_a_long_path(24, 5748);
  std::vector<int64_t> small;
  for (int64_t g = 0; g < 24; ++g) small.push_back(g);
  const std::string refusal = error_of([&] { training::make_learner(options, data::View(dataset, small)); });
  EXPECT_SAYS(refusal, "a graph of 5748 nodes");
  EXPECT_SAYS(refusal, "`dense_limit`");
}

TEST(Clusters, ThatAreTooManyAreRefused) {
  network::RunOptions options = small_options();
  options.model.drop = Drop::diffpool;
  options.model.dense_limit = 1;
  options.model.clusters = 1000;
  EXPECT_SAYS(error_of([&] { training::make_learner(options, data::View(small_dataset(24))); }), "`dense_limit`");
}

}  // namespace
}  // namespace dotin::explain
