// What include/dotin promises, through these headers alone.
#include <dotin/dotin.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "support/expect.h"
#include "support/temporary_folder.h"

namespace {

using dotin::testing::error_of;
using dotin::testing::TemporaryFolder;

/// Rings of "a", and of "a" with one "b": the class says which.
std::vector<dotin::Graph> rings(int64_t count) {
  std::vector<dotin::Graph> graphs;
  for (int64_t g = 0; g < count; ++g) {
    dotin::Graph graph;
    const int64_t nodes = 5 + g % 4;
    graph.id = "ring" + std::to_string(g);
    graph.labels = {std::vector<std::string>(static_cast<std::size_t>(nodes), "a")};
    if (g % 2 == 1) graph.labels[0][static_cast<std::size_t>(g % nodes)] = "b";
    for (int64_t i = 0; i < nodes; ++i) {
      graph.edges.emplace_back(i, (i + 1) % nodes);
      graph.attributes.push_back({static_cast<double>(i), 0.5});
    }
    graph.targets["label"] = g % 2 == 1 ? "with" : "without";
    graph.targets["size"] = static_cast<double>(nodes);
    graphs.push_back(graph);
  }
  return graphs;
}

dotin::Options small_options() {
  dotin::Options options;
  options.hidden = 8;
  options.epochs = 12;
  options.lr = 0.02;
  options.threads = 1;
  return options;
}

TEST(FrontDoor, GraphsComeBackAsTheyWereGiven) {
  const std::vector<dotin::Graph> graphs = rings(6);
  const dotin::Dataset data = dotin::dataset(graphs, "rings");
  EXPECT_EQ(data.size(), 6);
  EXPECT_EQ(data.name(), "rings");
  const dotin::Graph back = data[3];
  EXPECT_EQ(back.id, "ring3");
  EXPECT_EQ(back.nodes, 8);
  EXPECT_EQ(back.labels, graphs[3].labels);
  EXPECT_EQ(back.attributes, graphs[3].attributes);
  EXPECT_EQ(back.edges.size(), graphs[3].edges.size());
  EXPECT_EQ(back.targets.at("label").text, "with");
  EXPECT_EQ(back.targets.at("size").numbers, std::vector<double>{8});
  EXPECT_SAYS(error_of([&] { data[6]; }), "rings", "no graph 6");
}

TEST(FrontDoor, ASplitKeepsClassesInProportionAndEveryGraphOnce) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  const auto [train, test] = data.split(0.25, 3);
  EXPECT_EQ(train.size(), 30);
  EXPECT_EQ(test.size(), 10);
  int64_t with = 0;
  for (int64_t g = 0; g < test.size(); ++g) with += test[g].targets.at("label").text == "with" ? 1 : 0;
  EXPECT_EQ(with, 5);
  EXPECT_EQ(data.split(0.25, 3).second[0].id, test[0].id);
  EXPECT_SAYS(error_of([&] { data.split(1.0, 0); }), "test share");
}

TEST(FrontDoor, TrainsSavesLoadsPredictsAndExplains) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  const auto [train, test] = data.split(0.2, 0);
  std::vector<int64_t> numbers;
  const dotin::Model model = dotin::train(train, small_options(), [&](const dotin::Epoch& epoch) {
    numbers.push_back(epoch.number);
    EXPECT_EQ(epoch.epochs, 12);
    EXPECT_EQ(epoch.validation.at(0).name, "accuracy");
    return true;
  });
  EXPECT_EQ(numbers.size(), 12u);
  EXPECT_EQ(numbers.front(), 1);
  EXPECT_GE(model.best_epoch(), 1);
  EXPECT_EQ(model.history().size(), 12u);

  const TemporaryFolder folder;
  model.save(folder / "m.safetensors");
  const dotin::Predictor predictor(folder / "m.safetensors");
  EXPECT_EQ(predictor.tasks(), std::vector<std::string>{"classify"});
  EXPECT_EQ(predictor.options().hidden, 8);
  const std::vector<dotin::Prediction> predictions = predictor.predict(test);
  ASSERT_EQ(predictions.size(), 8u);
  double right = 0;
  for (const dotin::Prediction& p : predictions) {
    const dotin::TaskPrediction& task = p["classify"];
    EXPECT_EQ(p.id, test[p.graph].id);
    EXPECT_EQ(task.classes, (std::vector<std::string>{"with", "without"}));
    EXPECT_NEAR(task.probabilities[0] + task.probabilities[1], 1, 1e-6);
    EXPECT_EQ(task.probability, task.probabilities[task.label == "with" ? 0 : 1]);
    right += task.label == test[p.graph].targets.at("label").text ? 1 : 0;
    const dotin::Prediction alone = predictor.predict(test[p.graph]);
    EXPECT_NEAR(alone["classify"].probability, task.probability, 1e-5);
  }
  EXPECT_NEAR(model.evaluate(test).at(0).value, right / 8, 1e-12);
  EXPECT_EQ(model.predictor().predict(test)[0]["classify"].probability, predictions[0]["classify"].probability);
  EXPECT_SAYS(error_of([&] { predictions[0]["other"]; }), "no task 'other'", "classify");

  const dotin::Explanation why = predictor.explain(test[0]);
  ASSERT_EQ(why.layers.size(), 3u);
  const auto nodes = static_cast<std::size_t>(test[0].nodes);
  EXPECT_EQ(why.layers[0].kept.size() + why.layers[0].dropped.size(), nodes);
  EXPECT_EQ(why.layers[0].score.size(), nodes);
  EXPECT_EQ(why.departure.size(), nodes);
  EXPECT_EQ(predictor.explain(test).size(), 8u);
}

TEST(FrontDoor, ACallbackStopsTraining) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  int64_t epochs = 0;
  const dotin::Model model = dotin::train(data, small_options(), [&](const dotin::Epoch&) { return ++epochs < 8; });
  EXPECT_EQ(epochs, 8);
  EXPECT_EQ(model.history().size(), 8u);
  EXPECT_SAYS(error_of([&] { dotin::train(data, small_options(), [](const dotin::Epoch&) { return false; }); }),
              "stopped before");
}

TEST(FrontDoor, CrossValidatesTheGraphsItIsGiven) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  dotin::Options options = small_options();
  options.folds = 3;
  options.epochs = 4;
  const std::vector<dotin::FoldScores> scores = dotin::cross_validate(data.split(0.25, 0).first, options);
  ASSERT_FALSE(scores.empty());
  EXPECT_EQ(scores[0].task, "classify");
  EXPECT_EQ(scores[0].name, "accuracy");
  EXPECT_EQ(scores[0].folds.size(), 3u);
}

TEST(FrontDoor, NamesTheGraphThatMakesNoSense) {
  const auto refusal = [](const std::function<void(dotin::Graph&)>& spoil) {
    std::vector<dotin::Graph> graphs = rings(4);
    spoil(graphs[2]);
    return error_of([&] { dotin::dataset(graphs); });
  };
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.edges.emplace_back(0, 99); }), "graph 2 ('ring2')", "(0, 99)");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.edges.emplace_back(-1, 0); }), "graph 2 ('ring2')", "(-1, 0)");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.labels[0].pop_back(); }), "graph 2", "rows of attributes");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.labels.clear(); }), "graph 2", "0 columns of labels");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.attributes[1][0] = std::nan(""); }), "graph 2", "node 1", "finite");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.attributes[1].push_back(1); }), "graph 2", "node 1 has 3 attributes");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.nodes = -1; }), "graph 2", "-1 nodes");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.targets["label"] = 3.0; }), "graph 2", "target 'label'");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.id = "\xff"; }), "graph 2", "UTF-8");
  EXPECT_SAYS(error_of([] { dotin::dataset({}); }), "there is no graph");
  EXPECT_SAYS(error_of([] { dotin::dataset({dotin::Graph()}); }), "graph 0", "no nodes");
}

TEST(FrontDoor, APredictorRefusesGraphsThatItsModelCannotReadAndGoesOn) {
  dotin::Options options = small_options();
  options.epochs = 3;
  const TemporaryFolder folder;
  dotin::train(dotin::dataset(rings(40)), options).save(folder / "m.safetensors");
  const dotin::Predictor predictor(folder / "m.safetensors");
  const dotin::Graph good = rings(1)[0];
  const double before = predictor.predict(good)["classify"].probability;
  const auto refusal = [&](const std::function<void(dotin::Graph&)>& spoil) {
    std::vector<dotin::Graph> graphs = rings(3);
    spoil(graphs[1]);
    return error_of([&] { predictor.predict(graphs); });
  };
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.labels[0][0] = "z"; }), "graph 1 ('ring1')", "'z' of node 0", "a, b");
  EXPECT_SAYS(refusal([](dotin::Graph& g) { g.edges.emplace_back(0, 50); }), "graph 1", "(0, 50)");
  EXPECT_SAYS(error_of([&] { predictor.predict(std::vector<dotin::Graph>()); }), "there is no graph");
  std::vector<dotin::Graph> narrow = rings(2);
  for (dotin::Graph& graph : narrow) graph.attributes.clear();
  EXPECT_SAYS(error_of([&] { predictor.predict(narrow); }), "attributes");
  EXPECT_EQ(predictor.predict(good)["classify"].probability, before);

  dotin::PredictorOptions lenient;
  lenient.ignore_unknown_labels = true;
  dotin::Graph unknown = good;
  unknown.labels[0][0] = "z";
  EXPECT_EQ(dotin::Predictor(folder / "m.safetensors", lenient).predict(unknown).tasks.size(), 1u);
}

TEST(FrontDoor, RefusesOptionsByTheirNames) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  dotin::Options options = small_options();
  options.drop_ratio = {1.5};
  EXPECT_SAYS(error_of([&] { dotin::train(data, options); }), "`drop_ratio` must be in [0, 1)");
  options = small_options();
  options.schedule = static_cast<dotin::LrSchedule>(17);
  EXPECT_SAYS(error_of([&] { dotin::train(data, options); }), "schedule", "cosine");
  EXPECT_SAYS(error_of([&] { dotin::train(data.subset({0}), small_options()); }), "too few");
}

TEST(FrontDoor, AModelOfAComparedMethodOpensWithLibtorchOnly) {
  dotin::Options options = small_options();
  options.drop = dotin::Drop::gpool;
  options.epochs = 2;
  const dotin::Dataset data = dotin::dataset(rings(40));
  const TemporaryFolder folder;
  dotin::train(data, options).save(folder / "m.safetensors");
  EXPECT_SAYS(error_of([&] { dotin::Predictor{folder / "m.safetensors"}; }), "m.safetensors", "needs libtorch");
  EXPECT_EQ(dotin::Model::load(folder / "m.safetensors").predictor().predict(data).size(), 40u);
}

TEST(FrontDoor, OnePredictorServesManyThreads) {
  const dotin::Dataset data = dotin::dataset(rings(40));
  dotin::Options options = small_options();
  options.epochs = 2;
  const TemporaryFolder folder;
  dotin::train(data, options).save(folder / "m.safetensors");
  const dotin::Predictor predictor(folder / "m.safetensors");
  const double expected = predictor.predict(data)[7]["classify"].probability;
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& mine : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) mine += predictor.predict(data)[7]["classify"].probability == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(FrontDoor, DefaultsAreThoseOfThePreset) {
  EXPECT_EQ(dotin::defaults(dotin::Preset::recommended).norm, dotin::Norm::layer);
  EXPECT_EQ(dotin::defaults(dotin::Preset::paper).norm, dotin::Norm::none);
  EXPECT_EQ(dotin::defaults(dotin::Preset::paper).lr, 1e-3);
}

}  // namespace
