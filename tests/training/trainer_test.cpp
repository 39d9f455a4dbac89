#include "dotin/training/trainer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dotin/core/error.h"
#include "dotin/io/safetensors.h"
#include "dotin/network/memory.h"
#include "support/file_size_limit.h"
#include "training/small_run.h"

namespace dotin::training {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

/// All that a run remembers between steps is in use: dropout, averaged weights, moments, schedule, triplets.
network::RunOptions options_with_everything() {
  network::RunOptions options = small_options({"classify", "ged", "regress:attributes*0.5", "multilabel:tox"});
  options.model.dropout = 0.2;
  options.train.average = 0.9;
  options.train.clip = 0.5;
  options.train.clip_bursts = 1.5;
  options.train.schedule = LrSchedule::plateau;
  options.train.schedule_patience = 1;
  options.train.lr_warmup = 1.5;
  options.train.early_stop = 5;
  options.train.drop_warmup = 0.2;
  options.train.epochs = 7;
  options.train.lr = 0.1;
  return options;
}

TEST(Trainer, SameSeedSameBytes) {
  for (const int threads : {1, 2}) {
    set_threads(threads);
    network::RunOptions options = options_with_everything();
    options.train.epochs = 2;
    const TrainerInput input = small_input(options);
    const TrainResult first = train_whole(input), second = train_whole(input);
    EXPECT_EQ(model_bytes(first), model_bytes(second)) << threads << " threads";
    EXPECT_EQ(history_text(first.history), history_text(second.history));
    set_threads(1);
    options.train.seed = 1;
    EXPECT_NE(model_bytes(first), model_bytes(train_whole(small_input(options))));
  }
}

TEST(Trainer, ClippedGradientsMoveNoWeight) {
  // Adam takes the scale off gradients that are larger than its epsilon, so that only much smaller ones show it.
  network::RunOptions options = small_options();
  options.train.weight_decay = 0;
  options.train.average = 0;
  const auto moved = [&](double clip) {
    options.train.clip = clip;
    const TrainerInput input = small_input(options);
    const Learner before = make_learner(options, data::View(input.dataset, input.split.train));
    const TrainResult trained = train_whole(input);
    double most = 0;
    for (const auto& [name, value] : before.model->parameters().all())
      most = std::max(most, (trained.learner.model->parameters().get(name) - value).abs().max().item<double>());
    return most;
  };
  EXPECT_GT(moved(0), 0.01);
  EXPECT_LT(moved(1e-14), 1e-4);
}

TEST(Trainer, WideModelsLearnAtALowerRateUnlessOneIsGiven) {
  network::RunOptions options = small_options({"classify"});
  options.train.epochs = 1;
  options.model.hidden = 256;
  options.train.lr = 0;
  const TrainResult own = train_whole(small_input(options));
  EXPECT_DOUBLE_EQ(own.history.at(0).lr, 5e-4);
  options.train.lr = 5e-4;
  const TrainResult given = train_whole(small_input(options));
  EXPECT_EQ(model_bytes(own), model_bytes(given)) << "the rate that was used is in the model file";
}

TEST(Trainer, DoubleAndEveryBackboneAreDeterministicToo) {
  for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
    network::RunOptions options = small_options({"classify", "ged"});
    options.model.backbone = core::from_word<dotin::Backbone>("backbone", backbone);
    options.model.precision = Precision::float64;
    options.train.epochs = 1;
    const TrainerInput input = small_input(options, 12);
    EXPECT_EQ(model_bytes(train_whole(input)), model_bytes(train_whole(input))) << backbone;
  }
}

/// Stops after every `steps` steps until the run is done.
TrainResult train_in_pieces(TrainerInput input, int64_t steps, int& pieces) {
  const TemporaryFolder folder;
  input.checkpoint = folder / "c.safetensors";
  input.resume = true;
  for (pieces = 1;; ++pieces) {
    StopAfter observer(steps);
    TrainResult result = train(input, observer);
    if (!result.interrupted) return result;
  }
}

TEST(Trainer, ResumingIsAsIfTheRunHadNeverStopped) {
  network::RunOptions plain = small_options();
  plain.model.drop = Drop::random;
  plain.train.schedule = LrSchedule::cosine;
  plain.train.batch_budget = 60;
  for (const network::RunOptions& options : {options_with_everything(), plain}) {
    const TrainerInput input = small_input(options);
    const TrainResult whole = train_whole(input);
    ASSERT_FALSE(whole.interrupted);
    ASSERT_LT(whole.history.back().lr, options.train.lr) << "the schedule has something to remember";
    // Four batches an epoch: 5 stops in the middle of epochs, 4 at their ends, 1 everywhere.
    for (const int64_t steps : {1, 4, 5}) {
      int pieces = 0;
      const TrainResult resumed = train_in_pieces(input, steps, pieces);
      EXPECT_GT(pieces, 1);
      EXPECT_EQ(model_bytes(resumed), model_bytes(whole)) << "stopped after every " << steps << " steps";
      EXPECT_EQ(history_text(resumed.history), history_text(whole.history));
      EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
    }
  }
}

TEST(Trainer, ARunThatWasKilledGoesOnFromItsLastCheckpoint) {
  const TrainerInput whole = small_input(options_with_everything());
  const TemporaryFolder folder;
  TrainerInput input = whole;
  input.checkpoint = folder / "c.safetensors";
  input.checkpoint_seconds = 0;
  input.resume = true;
  struct Killed {};
  for (const int64_t epoch : {1, 2}) {
    StopAfter killed(-1, [&](const StepInfo& step) {
      if (step.epoch == epoch && step.batch == 2) throw Killed();
    });
    EXPECT_THROW(train(input, killed), Killed);
  }
  const TrainResult resumed = train_whole(input);
  EXPECT_EQ(model_bytes(resumed), model_bytes(train_whole(whole)));
  EXPECT_EQ(resumed.history.size(), train_whole(whole).history.size());
  EXPECT_EQ(model_bytes(train_whole(input)), model_bytes(resumed)) << "a finished run is finished at once";
}

TEST(Trainer, ACheckpointOfAnotherRunIsRefused) {
  const TemporaryFolder folder;
  TrainerInput input = small_input(small_options());
  input.checkpoint = folder / "c.safetensors";
  input.resume = true;
  StopAfter observer(2);
  ASSERT_TRUE(train(input, observer).interrupted);
  const std::string before = read_text(input.checkpoint);

  TrainerInput options = input;
  options.options.train.lr = 0.02;
  TrainerInput split = input;
  std::swap(split.split.validation, split.split.test);
  TrainerInput data = input;
  io::Records records = small_records(24);
  std::vector<double> labels(records.targets[0].values.begin(), records.targets[0].values.end());
  std::swap(labels[0], labels[1]);
  records.targets[0].values = labels;
  data.dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
  for (const TrainerInput* other : {&options, &split, &data}) {
    EXPECT_SAYS(error_of([&] { train_whole(*other); }), "this checkpoint is of a run with other options or other data");
  }
  EXPECT_EQ(read_text(input.checkpoint), before);

  TrainerInput threads = input;
  threads.options.train.threads = 7;
  threads.options.data.data = "moved/elsewhere";
  EXPECT_EQ(error_of([&] { train_whole(threads); }), "no error") << "neither is part of the run";
}

TEST(Trainer, ALossThatIsNotFiniteStopsAndNamesTheBatch) {
  io::Records records = small_records(24);
  std::vector<float> attributes(records.node_attributes.values.begin(), records.node_attributes.values.end());
  attributes[static_cast<std::size_t>(records.node_offsets[9])] = 3e38f;
  records.node_attributes.values = attributes;
  TrainerInput input = small_input(small_options());
  input.options.data.standardize = false;
  input.options.train.batch = 2;
  input.dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
  const std::string message = error_of([&] { train_whole(input); });
  // The loss or its gradient, whichever the engine's sums run over first.
  EXPECT_SAYS(message, " in epoch 1/4, batch ");
  EXPECT_TRUE(message.find("(graphs 9, ") != std::string::npos || message.find(", 9)") != std::string::npos) << message;
}

TEST(Trainer, WeightsThatAreNotFiniteAreNeverKept) {
  const TemporaryFolder folder;
  TrainerInput input = small_input(small_options());
  input.options.train.batch = 100;
  input.options.train.epochs = 1;
  input.options.train.lr = 1e39;  // the only loss is that of the first weights, which are sound
  input.checkpoint = folder / "c.safetensors";
  EXPECT_SAYS(error_of([&] { train_whole(input); }), "the weights stopped being finite in epoch 1/1, batch 1/1");
  StopAfter observer(1);
  EXPECT_SAYS(error_of([&] { train(input, observer); }), "the weights stopped being finite");
  EXPECT_EQ(read_text(input.checkpoint), "");
}

TEST(Trainer, AnExplodingRunKeepsItsLastGoodCheckpoint) {
  const TemporaryFolder folder;
  TrainerInput input = small_input(small_options());
  // The rate rises from 0, so that the first epochs are sound: the first step is one of rate 0.
  input.options.train.batch = 100;
  input.options.train.lr_warmup = 100;
  input.options.train.lr = 1e32;
  input.checkpoint = folder / "c.safetensors";
  input.checkpoint_seconds = 0;
  const std::string message = error_of([&] { train_whole(input); });
  EXPECT_TRUE(message.find("the loss became") == 0 || message.find("the weights stopped") == 0) << message;
  EXPECT_SAYS(message, "lower `lr` (1e+32)");
  const std::string kept = read_text(input.checkpoint);
  const io::SafetensorsFile file(input.checkpoint);
  for (const auto& [name, tensor] : file.tensors()) {
    const at::Tensor values = at::from_blob(const_cast<void*>(tensor.data), {tensor.elements}, at::kFloat);
    if (name.rfind("parameter.", 0) == 0) {
      EXPECT_TRUE(values.isfinite().all().item<bool>()) << name;
    }
  }
  input.resume = true;
  EXPECT_EQ(error_of([&] { train_whole(input); }), message);
  EXPECT_EQ(read_text(input.checkpoint), kept);
}

TEST(Trainer, AFullDiskLeavesTheOldCheckpoint) {
  const TemporaryFolder folder;
  TrainerInput input = small_input(small_options());
  input.checkpoint = folder / "c.safetensors";
  input.checkpoint_seconds = 0;
  input.resume = true;
  StopAfter observer(5);
  ASSERT_TRUE(train(input, observer).interrupted);
  const std::string before = read_text(input.checkpoint);
  std::string message;
  {
    const FileSizeLimit full(1000);
    message = error_of([&] { train_whole(input); });
  }
  EXPECT_SAYS(message, "c.safetensors: cannot write: File too large");
  EXPECT_EQ(read_text(input.checkpoint), before);
  EXPECT_EQ(model_bytes(train_whole(input)), model_bytes(train_whole(small_input(small_options()))))
      << "once there is room it goes on";
}

TEST(Trainer, WhatWouldNotFitIntoMemoryIsRefusedBeforeItIsAllocated) {
  network::RunOptions options = small_options();
  options.model.hidden = 65536;
  options.model.layers = 64;
  const std::string message = error_of([&] { train_whole(small_input(options)); });
  EXPECT_SAYS(message, "this model needs about ");
  EXPECT_SAYS(message, "TiB for its largest batch, and ");
  EXPECT_SAYS(message, "reduce `hidden` (65536), `layers` (64) or `batch` (4)");
}

TEST(Trainer, PredictedMemoryDependsOnTheEngineAndOnTheBudgetOfABatch) {
  const data::View all(small_dataset(24));
  network::RunOptions options = small_options();
  options.model.hidden = 256;
  options.train.batch = 24;
  const int64_t fused = predicted_bytes(make_learner(options, all), all);
  options.train.batch_budget = 100;
  EXPECT_LT(predicted_bytes(make_learner(options, all), all), fused);
  options.train.batch_budget = 1000000;
  EXPECT_EQ(predicted_bytes(make_learner(options, all), all), fused) << "no batch is so large";
  options.model.engine = Engine::reference;
  EXPECT_GT(predicted_bytes(make_learner(options, all), all), fused) << "it has a row for every edge";
}

TEST(Trainer, PredictedParametersAreAboutThoseOfTheModel) {
  const data::View all(small_dataset(24));
  for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
    network::RunOptions options = small_options({"classify", "ged"});
    options.model.backbone = core::from_word<dotin::Backbone>("backbone", backbone);
    options.model.hidden = 64;
    const Learner learner = make_learner(options, all);
    const auto learned = static_cast<double>(learner.model->parameters().count());
    const int64_t predicted =
        network::predicted_parameters(options.model, learner.features.width(), learner.model->heads());
    EXPECT_NEAR(static_cast<double>(predicted) / learned, 1, 0.02) << backbone;
  }
}

TEST(Trainer, EarlyStoppingCountsFromTheBestEpoch) {
  network::RunOptions options = small_options();
  options.train.epochs = 30;
  options.train.drop_warmup = 0.2;
  options.train.early_stop = 2;
  options.train.lr = 1e-12;  // nothing ever gets better
  const TrainResult result = train_whole(small_input(options));
  EXPECT_EQ(result.best_epoch, 5) << "the first at the full drop ratio";
  EXPECT_EQ(result.history.size(), 8u);
}

TEST(Trainer, EpochsBelowTheFullDropRatioAreNeverChosen) {
  network::RunOptions options = small_options();
  options.train.drop_warmup = 1;
  const TrainResult result = train_whole(small_input(options));
  EXPECT_EQ(result.best_epoch, 3);
  EXPECT_EQ(result.history[0].drop_factor, 0.25);
  EXPECT_EQ(result.history[3].drop_factor, 1);
}

TEST(Trainer, TheBestEpochIsTheOneWithTheBestValidationScore) {
  network::RunOptions options = small_options();
  options.train.epochs = 12;
  options.train.drop_warmup = 0.25;
  options.train.lr = 0.05;
  const TrainResult result = train_whole(small_input(options));
  std::size_t best = 2;
  for (std::size_t e = 2; e < result.history.size(); ++e) {
    const EpochRecord &candidate = result.history[e], &so_far = result.history[best];
    if (candidate.score > so_far.score ||
        (candidate.score == so_far.score && candidate.validation_loss < so_far.validation_loss))
      best = e;
  }
  EXPECT_EQ(result.best_epoch, static_cast<int64_t>(best));
  const TrainerInput input = small_input(options);
  const BoundData bound = bind(result.learner, *input.dataset, data::UnknownLabels::error);
  const Evaluation again = evaluate(result.learner, bound, data::View(input.dataset, input.split.validation), 1);
  EXPECT_EQ(again.values, result.history[best].validation) << "the learner has that epoch's weights";
}

TEST(Trainer, WithoutAScoreTheLastEpochIsTheBest) {
  TrainerInput none = small_input(small_options());
  none.split.validation.clear();
  TrainerInput unknown = small_input(small_options());
  unknown.split.validation = {4};  // the graph without targets
  unknown.options.train.early_stop = 1;
  for (const TrainerInput& input : {none, unknown}) {
    const TrainResult result = train_whole(input);
    EXPECT_EQ(result.best_epoch, 3);
    EXPECT_EQ(result.history.size(), 4u);
    EXPECT_TRUE(std::isnan(result.history[3].validation[0]));
  }
}

TEST(Trainer, TheTestGraphsAreLookedAtOnlyIfAskedFor) {
  TrainerInput input = small_input(small_options());
  const TrainResult without = train_whole(input);
  EXPECT_TRUE(without.history[0].test.empty());
  input.test_every_epoch = true;
  const TrainResult with = train_whole(input);
  EXPECT_EQ(with.history[0].test.size(), with.metrics.size());
  EXPECT_EQ(model_bytes(with), model_bytes(without)) << "looking changes nothing";
  input.split.test.clear();
  EXPECT_TRUE(std::isnan(train_whole(input).history[0].test[0]));
}

TEST(Trainer, SingleNodesEdgelessAndFeaturelessGraphsTrain) {
  for (const char* const drop : {"dotin", "random", "none"}) {
    network::RunOptions options = small_options({"classify", "ged"});
    options.model.drop = core::from_word<dotin::Drop>("drop", drop);
    options.model.drop_ratio = {0.9};
    options.train.epochs = 2;
    TrainerInput input = small_input(options);
    input.split.train = {3, 4, 8, 9};
    EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss)) << drop;
    input.dataset = featureless_dataset(24);
    EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss)) << drop;
    input.options.data.featureless = Featureless::constant;
    EXPECT_TRUE(std::isfinite(train_whole(input).history[1].train_loss)) << drop;
  }
}

TEST(Trainer, TasksWithoutTargetsAndTooFewGraphsAreRefused) {
  TrainerInput input = small_input(small_options({"regress:logp"}));
  EXPECT_SAYS(error_of([&] { train_whole(input); }), "'logp'");
  input.options.task.tasks.clear();
  EXPECT_SAYS(error_of([&] { train_whole(input); }), "`tasks` is empty");
  input = small_input(small_options());
  input.split.train.clear();
  EXPECT_SAYS(error_of([&] { train_whole(input); }), "no training graphs");
}

TEST(Trainer, WeightsOfTasksScaleTheirLosses) {
  const auto first_loss = [](const std::vector<std::string>& tasks) {
    network::RunOptions options = small_options(tasks);
    options.train.epochs = 1;
    options.train.lr = 1e-12;
    return train_whole(small_input(options)).history[0].train_loss;
  };
  const double one = first_loss({"a=classify"});
  EXPECT_NEAR(first_loss({"a=classify*3"}), 3 * one, 1e-5);
  const double both = first_loss({"a=classify", "b=regress:attributes"});
  const double heavy = first_loss({"a=classify", "b=regress:attributes*5"});
  const double heavier = first_loss({"a=classify", "b=regress:attributes*9"});
  EXPECT_NEAR(heavier - heavy, heavy - both, 1e-4) << "(1/K) sum_k w_k loss_k is linear in each weight";
}

}  // namespace
}  // namespace dotin::training
