// The model file: what is in it, that it comes back whole, and that nothing else is taken for one.
#include "dotin/training/learner.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "dotin/core/error.h"
#include "dotin/io/safetensors.h"
#include "dotin/training/evaluate.h"
#include "training/small_run.h"

namespace dotin::training {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

Learner small_learner(const network::RunOptions& options) {
  return make_learner(options, data::View(small_dataset(24)));
}

/// Columns of these features.
int64_t width_of(const std::vector<std::string>& features, const char* task = "ged") {
  network::RunOptions options = small_options({task});
  options.data.features = features;
  return small_learner(options).features.width();
}

TEST(ModelFile, TensorsHaveTheirStableNamesAndShapes) {
  const TemporaryFolder folder;
  network::RunOptions options = small_options({"classify", "my-ged=ged"});
  options.model.layers = 2;
  save_model(small_learner(options), folder / "m.safetensors");
  const io::SafetensorsFile file(folder / "m.safetensors");
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, tensor] : file.tensors()) shapes[name] = tensor.shape;
  // Features: one attribute, how many neighbours have each of three labels, the labels, and for ged these together with
  // those of the neighbours.
  std::map<std::string, std::vector<int64_t>> expected = {
      {"input.weight", {8, 1 + 3 + 3 + 16}}, {"virtual", {2, 8}},
      {"heads.classify.weight", {2, 8}},     {"heads.classify.bias", {2}},
      {"heads.my-ged.weight", {8, 8}},       {"heads.my-ged.bias", {8}}};
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    expected[layer + "query.weight"] = {4, 8};
    expected[layer + "key.weight"] = {4, 8};
    expected[layer + "linear.weight"] = {8, 8};
    expected[layer + "linear.bias"] = {8};
    expected[layer + "norm.weight"] = {8};
    expected[layer + "norm.bias"] = {8};
  }
  EXPECT_EQ(shapes, expected);

  ASSERT_EQ(file.metadata().size(), 1u);
  const nlohmann::json about = nlohmann::json::parse(file.metadata().at("dotin"));
  EXPECT_EQ(about["format_version"], 1);
  EXPECT_EQ(about["options"]["hidden"], 8);
  EXPECT_EQ(about["features"]["blocks"][0]["values"], (std::vector<std::string>{"C", "N", "O"}));
  EXPECT_EQ(about["tasks"][0]["name"], "classify");
  EXPECT_EQ(about["tasks"][0]["kind"], "classify");
  EXPECT_EQ(about["tasks"][0]["target"], "label");
  EXPECT_EQ(about["tasks"][0]["fitted"]["classes"], (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(about["tasks"][1]["name"], "my-ged");
}

TEST(ModelFile, DoesNotSayWhereTheDataLayNorHowManyThreadsThereWere) {
  const TemporaryFolder folder;
  network::RunOptions options = small_options();
  save_model(small_learner(options), folder / "a.safetensors");
  options.data.data = "/some/private/place";
  options.train.threads = 5;
  save_model(small_learner(options), folder / "b.safetensors");
  EXPECT_EQ(read_text(folder / "a.safetensors"), read_text(folder / "b.safetensors"));
}

TEST(ModelFile, ARoundTripGivesEqualOutputs) {
  const TemporaryFolder folder;
  for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
    for (const char* const precision : {"float", "double"}) {
      network::RunOptions options = small_options({"classify:kind", "ged", "regress:attributes", "multilabel:tox"});
      options.model.backbone = core::from_word<dotin::Backbone>("backbone", backbone);
      options.model.precision = core::from_word<dotin::Precision>("precision", precision);
      const Learner learner = small_learner(options);
      const std::string path = folder / (std::string(backbone) + precision);
      save_model(learner, path);
      const Learner read = load_model(path);
      const auto dataset = small_dataset(10);
      const data::View view(dataset);
      for (const Learner* each : {&learner, &read}) ASSERT_EQ(each->tasks.size(), 4u);
      batch::Loader loader(view, bind(read, *dataset, data::UnknownLabels::error).encoder, loader_options(read, false));
      loader.start_epoch(0);
      const std::optional<batch::Batch> batch = loader.next();
      const models::Forward mine = learner.model->forward(*batch, {}), theirs = read.model->forward(*batch, {});
      for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(mine.outputs[k].equal(theirs.outputs[k])) << path << k;
      save_model(read, path + "2");
      EXPECT_EQ(read_text(path + "2"), read_text(path)) << "reading and writing changes nothing";
    }
  }
}

/// A model file, and ways to spoil it.
class SpoiltModel : public ::testing::Test {
 protected:
  SpoiltModel() : path_(folder_ / "m.safetensors") { save_model(small_learner(small_options()), path_); }

  std::string reading() {
    std::string message = "no error";
    try {
      load_model(path_);
    } catch (const core::UsageError& error) {
      ADD_FAILURE() << "the file is wrong, not the usage: " << error.what();
    } catch (const core::Error& error) {
      message = error.what();
      EXPECT_EQ(message.rfind(path_, 0), 0u) << message;
    }
    return message;
  }

  struct Content {
    std::map<std::string, std::pair<std::vector<int64_t>, std::vector<float>>> tensors;
    nlohmann::json about;
  };

  /// Writes the file anew with something changed.
  void edit(const std::function<void(Content&)>& change) {
    Content content;
    {
      const io::SafetensorsFile file(original());
      for (const auto& [name, tensor] : file.tensors()) {
        const auto* const values = static_cast<const float*>(tensor.data);
        content.tensors[name] = {tensor.shape, {values, values + tensor.elements}};
      }
      content.about = nlohmann::json::parse(file.metadata().at("dotin"));
    }
    change(content);
    std::vector<io::TensorToWrite> tensors;
    for (const auto& [name, tensor] : content.tensors)
      tensors.push_back(io::tensor_to_write(name, tensor.first, tensor.second.data()));
    io::write_safetensors(path_, tensors, {{"dotin", content.about.dump()}});
  }

  std::string original() {
    const std::string path = folder_ / "original.safetensors";
    if (read_text(path).empty()) save_model(small_learner(small_options()), path);
    return path;
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(SpoiltModel, UnchangedItIsRead) {
  edit([](Content&) {});
  EXPECT_EQ(reading(), "no error");
}

TEST_F(SpoiltModel, CutShortOrLengthenedIsRefused) {
  const std::string content = read_text(path_);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{100}, content.size() - 1}) {
    std::ofstream(path_, std::ios::binary) << content.substr(0, size);
    EXPECT_NE(reading(), "no error") << size;
  }
  std::ofstream(path_, std::ios::binary) << content << "x";
  EXPECT_SAYS(reading(), "1 bytes after the last tensor");
  std::ofstream(path_, std::ios::binary) << "epoch,loss\n0,1.5\n";
  EXPECT_SAYS(reading(), "safetensors");
}

TEST_F(SpoiltModel, OtherTensorsAreRefused) {
  edit([](Content& content) { content.tensors.erase("layers.1.key.weight"); });
  EXPECT_SAYS(reading(), "no tensor 'layers.1.key.weight' in it");
  edit([](Content& content) { content.tensors["extra"] = {{1}, {0}}; });
  EXPECT_SAYS(reading(), "tensor 'extra' is not part of this model");
  edit([](Content& content) { content.tensors["virtual"] = {{8}, std::vector<float>(8)}; });
  EXPECT_SAYS(reading(), "tensor 'virtual' has shape [8], expected [1, 8]");
  edit([](Content& content) { content.tensors["virtual"].second[3] = std::nanf(""); });
  EXPECT_SAYS(reading(), "tensor 'virtual' has values that are not finite");
  edit([](Content& content) { content.about["options"]["precision"] = "double"; });
  EXPECT_SAYS(reading(), "is F32, expected F64");
}

TEST_F(SpoiltModel, OtherMetadataIsRefusedWithTheReason) {
  edit([](Content& content) { content.about["format_version"] = 2; });
  EXPECT_SAYS(reading(), "model format 2 is not known to this version of dotin (it knows 1)");
  edit([](Content& content) { content.about["options"]["hiden"] = 8; });
  EXPECT_SAYS(reading(), "unknown option 'hiden' (did you mean 'hidden'?)");
  edit([](Content& content) { content.about["options"]["hidden"] = -8; });
  EXPECT_SAYS(reading(), "must be from 1 to 65536");
  edit([](Content& content) { content.about["tasks"][0]["kind"] = "guess"; });
  EXPECT_SAYS(reading(), "unknown task 'guess'");
  edit([](Content& content) { content.about["tasks"] = nlohmann::json::array(); });
  EXPECT_SAYS(reading(), "a model needs at least one task");
  edit([](Content& content) { content.about.erase("features"); });
  EXPECT_SAYS(reading(), "the metadata of the model is damaged");
  edit([](Content& content) { content.about["features"]["blocks"][0]["values"] = {"C", "C", "O"}; });
  EXPECT_SAYS(reading(), "damaged feature map");
  edit([](Content& content) { content.about["features"]["blocks"][0]["values"] = {"C", "O"}; });
  EXPECT_SAYS(reading(), "tensor 'input.weight' has shape [8, 4], expected [8, 3]");
  edit([](Content& content) { content.about["tasks"][0]["fitted"]["classes"] = {"a", "b", "c"}; });
  EXPECT_SAYS(reading(), "tensor 'heads.classify.weight' has shape [2, 8], expected [3, 8]");
  edit([](Content& content) { content.about["tasks"][0]["fitted"]["classes"] = nlohmann::json::array(); });
  EXPECT_SAYS(reading(), "task 'classify' has 0 class(es)");
  edit([](Content& content) { content.about = "text"; });
  EXPECT_SAYS(reading(), "the metadata of the model is damaged");
  const float value = 1;
  io::write_safetensors(path_, {io::tensor_to_write("a", {1}, &value)}, {{"dotin_data", "{}"}});
  EXPECT_SAYS(reading(), "not a dotin model: its metadata has no 'dotin'");
}

TEST_F(SpoiltModel, OneThatAsksForMoreThanItHoldsIsRefusedBeforeAnythingIsAllocated) {
  edit([](Content& content) {
    content.about["options"]["hidden"] = 65536;
    content.about["options"]["layers"] = 64;
  });
  EXPECT_SAYS(reading(), "its options ask for about ");
  edit([](Content& content) {
    content.about["tasks"][0]["kind"] = "multilabel";
    content.about["tasks"][0]["fitted"] = {{"width", 1'000'000}};
  });
  EXPECT_SAYS(reading(), "its options ask for about ");
  edit([](Content& content) {
    content.about["tasks"][0]["kind"] = "multilabel";
    content.about["tasks"][0]["fitted"] = {{"width", -1}};
  });
  EXPECT_SAYS(reading(), "has -1 labels");
}

TEST(Learner, NeighboursJoinTheFeaturesForGedAndWhereTheyAreFew) {
  EXPECT_EQ(width_of({"auto"}, "classify"), 1 + 3);
  EXPECT_EQ(width_of({"auto"}), 1 + 3 + 1024);
  // Beside another task one for ten training graphs, at least 16.
  const auto beside = [](int64_t graphs, const char* features) {
    network::RunOptions options = small_options({"classify", "ged"});
    options.data.features = {features};
    return make_learner(options, data::View(small_dataset(graphs))).features.parts().back().second;
  };
  EXPECT_EQ(beside(24, "auto"), 16);
  EXPECT_EQ(beside(300, "auto"), 30);
  EXPECT_EQ(beside(300, "neighbours"), 1024) << "as it was asked for";
  network::RunOptions options = small_options({"classify"});
  const data::View many(small_dataset(400));
  // Three labels, with none, one or two neighbours of three labels: no more than 3 (1 + 3 + 6).
  const int64_t width = make_learner(options, many).features.width();
  EXPECT_GT(width, 1 + 3);
  EXPECT_LE(width, 1 + 3 + 30);
  options.data.features = {"labels", "attributes"};
  EXPECT_EQ(make_learner(options, many).features.width(), 1 + 3);
  EXPECT_EQ(width_of({"degree"}), 65);
  EXPECT_EQ(width_of({"labels"}), 3);
  EXPECT_EQ(width_of({"degree-log"}), 1);
}

TEST(Learner, NeighboursAreCountedForOtherTasksBesideGedWhereColoursAreMany) {
  const auto counted = [](const std::vector<std::string>& tasks, int64_t graphs, const char* features) {
    network::RunOptions options = small_options(tasks);
    options.data.features = {"auto", features};
    return make_learner(options, data::View(small_dataset(graphs))).features.neighbour_counts;
  };
  EXPECT_TRUE(counted({"classify", "ged"}, 24, "auto"));
  EXPECT_FALSE(counted({"classify", "ged"}, 400, "auto"));
  EXPECT_FALSE(counted({"ged"}, 24, "auto"));
  EXPECT_FALSE(counted({"classify"}, 24, "auto"));
  EXPECT_TRUE(counted({"classify"}, 400, "neighbour-counts"));
  network::RunOptions unlabelled = small_options({"classify"});
  unlabelled.data.features = {"neighbour-counts"};
  EXPECT_SAYS(error_of([&] { small_learner(unlabelled); }), "add labels: `features` labels,neighbour-counts");
}

TEST(Evaluate, MakesSeveralTripletsOfEachGraphAndTakesItsClassOnce) {
  const auto dataset = small_dataset(24);
  network::RunOptions options = small_options({"classify", "ged"});
  options.task.ged_triplets = 3;
  const Learner learner = make_learner(options, data::View(dataset));
  const Evaluation evaluation =
      evaluate(learner, bind(learner, *dataset, data::UnknownLabels::error), data::View(dataset), 1);
  const int64_t classes = learner.tasks[0]->output().width(0);
  EXPECT_EQ(evaluation.collected[0].outputs.size(), static_cast<std::size_t>(24 * classes));
  const std::vector<double>& d_pos = evaluation.collected[1].d_pos;
  ASSERT_EQ(d_pos.size(), 3u * 24);
  EXPECT_NE(std::vector<double>(d_pos.begin(), d_pos.begin() + 24),
            std::vector<double>(d_pos.begin() + 24, d_pos.begin() + 48))
      << "every round has triplets of its own";
}

TEST(Learner, TheLearningRateFallsWithTheWidthUnlessItIsGiven) {
  network::RunOptions options = small_options({"classify"});
  const auto rate = [&](int64_t hidden, double lr) {
    options.model.hidden = hidden;
    options.train.lr = lr;
    return small_learner(options).options.train.lr;
  };
  EXPECT_EQ(network::RunOptions().train.lr, 0);
  EXPECT_EQ(rate(8, 0), 1e-3);
  EXPECT_EQ(rate(64, 0), 1e-3);
  EXPECT_DOUBLE_EQ(rate(256, 0), 5e-4);
  EXPECT_EQ(rate(256, 0.02), 0.02);
  EXPECT_EQ(network::preset(Preset::paper).train.lr, 1e-3);
}

TEST(Learner, ADeviceThatIsNotThereIsWrongUsage) {
  if (at::hasCUDA()) GTEST_SKIP() << "this machine has CUDA: nothing to refuse";
  network::RunOptions options = small_options({"classify"});
  options.train.device = Device::cuda;
  EXPECT_SAYS(error_of([&] { small_learner(options); }), "`device` cuda: this libtorch has no CUDA");
}

TEST(Learner, GedWeighsLessBesideOtherTasks) {
  const auto weights_of = [](const network::RunOptions& options) {
    std::vector<double> weights;
    for (const auto& task : small_learner(options).tasks) weights.push_back(task->spec().weight);
    return weights;
  };
  EXPECT_EQ(weights_of(small_options({"ged"})), (std::vector<double>{1}));
  EXPECT_EQ(weights_of(small_options({"classify*3", "ged*2"})), (std::vector<double>{3, 0.2}));
  network::RunOptions equal = small_options({"classify", "ged"});
  equal.task.ged_weight = network::preset(Preset::paper).task.ged_weight;
  EXPECT_EQ(weights_of(equal), (std::vector<double>{1, 1}));
}

TEST(Learner, OptionsThatMakeNoSenseAreWrongUsage) {
  const std::vector<std::pair<std::function<void(network::RunOptions&)>, std::string>> cases = {
      {[](network::RunOptions& o) { o.train.epochs = 0; }, "`epochs` must be at least 1"},
      {[](network::RunOptions& o) { o.train.batch = 0; }, "`batch` must be at least 1"},
      {[](network::RunOptions& o) { o.train.batch_budget = -1; }, "`batch_budget` must not be negative"},
      {[](network::RunOptions& o) { o.train.lr = -1; }, "`lr` must be a positive number"},
      {[](network::RunOptions& o) { o.train.lr = INFINITY; }, "`lr` must be a positive number"},
      {[](network::RunOptions& o) { o.train.clip = -1; }, "`clip` must be a number from 0 on"},
      {[](network::RunOptions& o) { o.train.clip_bursts = 1; }, "`clip_bursts` must be 0 or a number above 1"},
      {[](network::RunOptions& o) { o.train.early_stop = -1; }, "`early_stop` must not be negative"},
      {[](network::RunOptions& o) { o.train.schedule_step = 0; }, "`schedule_step` must be at least 1"},
      {[](network::RunOptions& o) { o.train.drop_warmup = 1.5; }, "`drop_warmup` must be in [0, 1]"},
      {[](network::RunOptions& o) { o.train.drop_explore = -1; }, "`drop_explore` must be a number from 0 on"},
      {[](network::RunOptions& o) { o.train.average = 1; }, "`average` must be in [0, 1)"},
      {[](network::RunOptions& o) { o.task.ged_margin = std::nan(""); }, "`ged_margin` must be a number from 0 on"},
      {[](network::RunOptions& o) { o.task.ged_weight = 0; }, "`ged_weight` must be a positive number"},
      {[](network::RunOptions& o) { o.task.ged_triplets = 0; }, "`ged_triplets` must be from 1 to 1000"},
      {[](network::RunOptions& o) { o.task.ged_k_n = 1; }, "`ged_k_n` (1) must be larger than `ged_k_p` (1)"},
      {[](network::RunOptions& o) { o.data.folds = 2; }, "`folds` must be at least 3"},
      {[](network::RunOptions& o) { o.data.degree_cap = 0; }, "`degree_cap` must be from 1"},
      {[](network::RunOptions& o) { o.data.features.clear(); }, "`features` is empty"},
      {[](network::RunOptions& o) { o.data.validation = 0.6, o.data.test = 0.4; }, "must leave something to train on"},
      {[](network::RunOptions& o) { o.model.drop_ratio = {1.0}; }, "`drop_ratio` must be in [0, 1)"},
      {[](network::RunOptions& o) { o.model.layers = 65; }, "`layers` must be from 1 to 64"},
  };
  for (const auto& [change, message] : cases) {
    network::RunOptions options = small_options();
    change(options);
    try {
      options.validate();
      ADD_FAILURE() << message;
    } catch (const core::UsageError& error) {
      EXPECT_SAYS(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace dotin::training
