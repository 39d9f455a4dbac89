// The same model file gives the same bits in prediction, without libtorch, as on training's engine.
#include "dotin/runtime/model.h"

#include <gtest/gtest.h>

#include <thread>

#include "dotin/training/learner.h"
#include "support/expect.h"
#include "training/small_run.h"

namespace dotin::runtime {
namespace {

using dotin::testing::error_of;
using dotin::testing::small_dataset;
using dotin::testing::small_options;
using dotin::testing::TemporaryFolder;

batch::Batch batch_of(const network::Description& about, const data::Dataset& dataset) {
  std::vector<int64_t> all;
  for (int64_t g = 0; g < dataset.graphs(); ++g) all.push_back(g);
  const data::FeatureEncoder encoder(about.features, dataset, data::UnknownLabels::error);
  return batch::build_batch(dataset, encoder, all, {});
}

/// Saves a model of these options with fresh weights and gives its outputs on both engines.
void expect_same_bits(const network::RunOptions& options) {
  const auto dataset = small_dataset(24);
  const training::Learner learner = training::make_learner(options, data::View(dataset));
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  training::save_model(learner, path);
  set_threads(1);
  const std::unique_ptr<Model> model = Model::load(path);
  const batch::Batch batch = batch_of(model->description(), *dataset);
  const network::BatchOutputs expected = training::LearnerPredictor(learner).outputs(batch, true);
  const network::BatchOutputs outputs = model->outputs(batch, true);
  EXPECT_EQ(outputs.by_task, expected.by_task);
  ASSERT_EQ(outputs.trace.size(), expected.trace.size());
  for (std::size_t l = 0; l < outputs.trace.size(); ++l) {
    EXPECT_EQ(outputs.trace[l].logits, expected.trace[l].logits);
    EXPECT_EQ(outputs.trace[l].logits_by_task, expected.trace[l].logits_by_task);
    EXPECT_EQ(outputs.trace[l].keep, expected.trace[l].keep);
  }
}

TEST(RuntimeModel, GivesTheBitsOfTrainingsEngineForEveryBackbonePresetAndPrecision) {
  for (const Backbone backbone : {Backbone::gat, Backbone::gcn, Backbone::gin, Backbone::sage}) {
    for (const Preset preset : {Preset::recommended, Preset::paper}) {
      for (const Precision precision : {Precision::float32, Precision::float64}) {
        SCOPED_TRACE(core::word(backbone) + " " + core::word(preset) + " " + core::word(precision));
        network::RunOptions options = network::preset(preset);
        options.task.tasks = {"classify:kind", "regress:attributes", "ged"};
        options.model.hidden = 8;
        options.model.backbone = backbone;
        options.model.precision = precision;
        expect_same_bits(options);
      }
    }
  }
}

TEST(RuntimeModel, GivesTheBitsOfTrainingsEngineForEveryMethodThatChoosesByVirtualNodes) {
  for (const Drop drop : {Drop::dotin, Drop::random, Drop::none}) {
    for (const bool merge : {true, false}) {
      network::RunOptions options = small_options();
      options.model.drop = drop;
      options.model.merge = merge;
      expect_same_bits(options);
    }
  }
  network::RunOptions ranked = small_options({"classify", "ged"});
  ranked.model.ranking = Ranking::relevance;
  expect_same_bits(ranked);
}

TEST(RuntimeModel, RefusesWhatNeedsLibtorch) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  for (const auto& change : std::vector<std::function<void(network::RunOptions&)>>{
           [](network::RunOptions& o) { o.model.drop = Drop::gpool; },
           [](network::RunOptions& o) { o.model.engine = Engine::reference; },
           [](network::RunOptions& o) {
             o.model.drop = Drop::none;
             o.model.readout = Readout::mean;
           }}) {
    network::RunOptions options = small_options();
    change(options);
    training::save_model(training::make_learner(options, data::View(small_dataset(24))), path);
    EXPECT_FALSE(can_run(path));
    EXPECT_SAYS(error_of([&] { Model::load(path); }), path, "needs libtorch");
  }
}

TEST(RuntimeModel, ServesManyThreadsAtOnce) {
  const auto dataset = small_dataset(24);
  const TemporaryFolder folder;
  const std::string path = folder / "model.safetensors";
  training::save_model(training::make_learner(small_options(), data::View(dataset)), path);
  const std::unique_ptr<Model> model = Model::load(path);
  const batch::Batch batch = batch_of(model->description(), *dataset);
  set_threads(1);
  const auto expected = model->outputs(batch, false).by_task;
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& mine : wrong) {
    threads.emplace_back([&] {
      set_threads(1);
      for (int i = 0; i < 20; ++i) mine += model->outputs(batch, false).by_task == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace dotin::runtime
