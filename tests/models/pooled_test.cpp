// Models without virtual nodes: the methods that DOTIN is compared with, on every backbone.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "dotin/core/error.h"
#include "dotin/core/random.h"
#include "dotin/network/drop_methods.h"
#include "models/model_support.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::models {
namespace {

using dotin::testing::any_graphs;
using dotin::testing::batch_of;
using dotin::testing::heads_of;
using dotin::testing::Knobs;
using dotin::testing::outputs_of;
using dotin::testing::ragged_graphs;
using dotin::testing::SmallGraph;
using dotin::testing::traced;

constexpr int32_t kWidth = 2;

/// Every drop method that needs no virtual nodes with its own read-out, and every other read-out with none.
const std::vector<std::pair<std::string, std::string>>& methods() {
  static const std::vector<std::pair<std::string, std::string>> all = {
      {"gpool", "auto"},   {"sagpool", "auto"}, {"lapool", "auto"},  {"diffpool", "auto"}, {"mincut", "auto"},
      {"dropgnn", "auto"}, {"random", "mean"},  {"none", "set2set"}, {"none", "sortpool"}, {"none", "sagpool"},
      {"none", "mean"},    {"none", "sum"},     {"none", "max"},     {"none", "mean_max"},
  };
  return all;
}

network::ModelOptions options_of(const std::pair<std::string, std::string>& method, const std::string& backbone) {
  network::ModelOptions options = dotin::testing::small_options(backbone, Knobs::recommended);
  options.drop = core::from_word<dotin::Drop>("drop", method.first);
  options.readout = core::from_word<dotin::Readout>("readout", method.second);
  options.clusters = 3;
  options.sort_k = 10;
  options.dropgnn_runs = 2;
  options.dropgnn_p = 0.3;
  return options;
}

using Setting = std::tuple<std::pair<std::string, std::string>, std::string>;

class PooledModel : public ::testing::TestWithParam<Setting> {
 protected:
  network::ModelOptions options() const { return options_of(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};

TEST_P(PooledModel, HasTheGradientsOfEveryParameter) {
  const Model model(options(), kWidth, heads_of(2), 5);
  const auto graphs = ragged_graphs(kWidth);
  const batch::Batch batch = batch_of({graphs[3], graphs[1]}, kWidth);
  const std::vector<network::LayerTrace> choice = model.forward(batch, traced()).trace;
  ForwardOptions forward;
  if (!choice.empty()) forward.repeat = &choice;
  std::vector<at::Tensor> parameters;
  for (const auto& [name, parameter] : model.parameters().all()) {
    if (name.rfind("readout.", 0) != 0) parameters.push_back(parameter);  // those: tests/readout
  }
  EXPECT_TRUE(dotin::testing::gradients_match(
      [&] {
        const Forward result = model.forward(batch, forward);
        std::vector<at::Tensor> parts;
        for (const at::Tensor& output : result.outputs) parts.push_back(output.flatten());
        if (result.auxiliary.defined()) parts.push_back(result.auxiliary.view({1}));
        return at::cat(parts);
      },
      parameters, {1e-5, 1e-6, 1e-7}));
}

TEST_P(PooledModel, GivesAGraphTheSameAloneAndInABatch) {
  const Model model(options(), kWidth, heads_of(2), 5);
  const auto graphs = ragged_graphs(kWidth);
  const Forward together = model.forward(batch_of(graphs, kWidth), {});
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Forward alone = model.forward(batch_of({graphs[g]}, kWidth), {});
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_TRUE(at::allclose(alone.outputs[k][0], together.outputs[k][static_cast<int64_t>(g)], 1e-10, 1e-10));
    }
  }
}

TEST_P(PooledModel, GivesEveryTaskTheSameEmbedding) {
  const Model model(options(), kWidth, heads_of(3), 5);
  const Forward forward = model.forward(batch_of(ragged_graphs(kWidth), kWidth), {});
  ASSERT_EQ(forward.embeddings.size(), 3U);
  EXPECT_TRUE(forward.embeddings[0].equal(forward.embeddings[1]));
  EXPECT_TRUE(forward.embeddings[0].equal(forward.embeddings[2]));
  EXPECT_FALSE(model.parameters().has("virtual"));
}

std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
  const auto& [method, backbone] = info.param;
  return method.first + "_" + method.second + "_" + backbone;
}

INSTANTIATE_TEST_SUITE_P(Methods, PooledModel,
                         ::testing::Combine(::testing::ValuesIn(methods()),
                                            ::testing::Values("gat", "gcn", "gin", "sage")),
                         name_of);

/// Whether a choice between nodes hangs on less than rounding could tell apart.
bool close_choices(const Forward& forward) {
  for (const network::LayerTrace& layer : forward.trace) {
    for (std::size_t g = 0; !layer.logits.empty() && g + 1 < layer.raw_offsets.size(); ++g) {
      std::vector<double> scores(layer.logits.begin() + layer.raw_offsets[g],
                                 layer.logits.begin() + layer.raw_offsets[g + 1]);
      std::sort(scores.begin(), scores.end());
      for (std::size_t i = 1; i < scores.size(); ++i) {
        if (scores[i] - scores[i - 1] < 1e-5) return true;
      }
    }
  }
  return false;
}

RC_GTEST_PROP(PooledInvariants, RenamingNodesChangesNothing, ()) {
  // lapool goes by node order where symmetric nodes tie, and random methods by position.
  const auto method = *rc::gen::elementOf(methods());
  RC_PRE(method.first != "lapool" && method.first != "random" && method.first != "dropgnn");
  network::ModelOptions options = options_of(method, *rc::gen::element<std::string>("gat", "gcn", "gin", "sage"));
  // Nodes with the same neighbours have the same score in a GCN layer, and this read-out leaves no trace of it; the
  // next test has scores that differ.
  if (method.second == "sagpool") options.drop_ratio = {0};
  const Model model(options, kWidth, heads_of(1), *rc::gen::arbitrary<uint64_t>());
  const auto graphs = *any_graphs(kWidth);
  core::Rng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<SmallGraph> others;
  for (const SmallGraph& graph : graphs) {
    std::vector<int32_t> names(static_cast<std::size_t>(graph.nodes));
    std::iota(names.begin(), names.end(), 0);
    rng.shuffle(names);
    others.push_back(dotin::testing::renamed(graph, names, kWidth));
  }
  const Forward forward = model.forward(batch_of(graphs, kWidth), traced());
  RC_PRE(!close_choices(forward));
  const Forward other = model.forward(batch_of(others, kWidth), {});
  RC_ASSERT(at::allclose(forward.outputs[0], other.outputs[0], 1e-8, 1e-8));
}

/// On a path no two nodes have the same neighbours, so that with these features no scores tie.
SmallGraph path_without_ties() {
  return {5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {0.3F, -1, 2, 0.5F, -0.7F, 1, 0, 0.2F, 1.5F, -2}};
}

void expect_the_same_whatever_the_names(const network::ModelOptions& options) {
  const SmallGraph path = path_without_ties();
  const Model model(options, kWidth, heads_of(1), 5);
  const at::Tensor output = model.forward(batch_of({path}, kWidth), {}).outputs[0];
  for (const std::vector<int32_t>& names : {std::vector<int32_t>{4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}}) {
    const SmallGraph other = dotin::testing::renamed(path, names, kWidth);
    EXPECT_TRUE(at::allclose(model.forward(batch_of({other}, kWidth), {}).outputs[0], output, 1e-8, 1e-8))
        << core::word(options.drop) << " " << core::word(options.readout) << " " << core::word(options.backbone);
  }
}

TEST(PooledModels, GlobalSagPoolKeepsTheSameNodesWhateverTheirNames) {
  const batch::Batch batch = batch_of({path_without_ties()}, kWidth);
  for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
    network::ModelOptions options = options_of({"none", "sagpool"}, backbone);
    options.drop_ratio = {0.5};
    expect_the_same_whatever_the_names(options);
    network::ModelOptions all = options;
    all.drop_ratio = {0};
    EXPECT_FALSE(at::allclose(Model(all, kWidth, heads_of(1), 5).forward(batch, {}).outputs[0],
                              Model(options, kWidth, heads_of(1), 5).forward(batch, {}).outputs[0]))
        << "nothing was left out";
  }
}

TEST(PooledModels, LaPoolHasTheSameLeadersWhateverTheirNames) {
  for (const char* const backbone : {"gat", "gcn", "gin", "sage"}) {
    // One layer leaves two or three leaders at most, whose variations would tie in the next.
    network::ModelOptions options = options_of({"lapool", "auto"}, backbone);
    options.layers = 2;
    options.drop_ratio = {0.5};
    expect_the_same_whatever_the_names(options);
  }
}

TEST(PooledModels, DropWhatTheRatioSaysAfterEveryLayer) {
  for (const char* const drop : {"gpool", "sagpool"}) {
    network::ModelOptions options = options_of({drop, "auto"}, "gcn");
    options.drop_ratio = {0.5, 0.3, 0.9};
    const Model model(options, kWidth, heads_of(1), 5);
    const Forward forward = model.forward(batch_of({ragged_graphs(kWidth)[0]}, kWidth), traced());
    ASSERT_EQ(forward.trace.size(), 3U);  // of 6 nodes 3 leave, of 3 none (0.9 rounds down), of 3 two
    EXPECT_EQ(forward.trace[1].raw_offsets.back(), 3);
    EXPECT_EQ(forward.trace[2].raw_offsets.back(), 3);
    EXPECT_EQ(std::count(forward.trace[2].keep.begin(), forward.trace[2].keep.end(), 1), 1);
  }
}

TEST(PooledModels, TakeNoWarmUpUnlessTheyAreRandom) {
  ForwardOptions half = traced();
  half.drop_factor = 0.5;
  const batch::Batch batch = batch_of({ragged_graphs(kWidth)[0]}, kWidth);
  const auto left = [&](const char* drop, const char* readout) {
    const Model model(options_of({drop, readout}, "gcn"), kWidth, heads_of(1), 5);
    return model.forward(batch, half).trace[1].raw_offsets.back();
  };
  EXPECT_EQ(left("gpool", "auto"), 3);
  EXPECT_EQ(left("random", "mean"), 5);
}

TEST(Clusters, FallByTheDropRatioOfEachLayer) {
  network::ModelOptions options;
  options.drop = Drop::diffpool;
  options.layers = 4;
  options.drop_ratio = {0.5, 0.9, 0.25};
  options.fit({10, 30, 50});
  EXPECT_EQ(options.clusters, 15);
  EXPECT_EQ(options.clusters_of(0), 15);
  EXPECT_EQ(options.clusters_of(1), 2);
  EXPECT_EQ(options.clusters_of(2), 2);
  options.clusters = 7;
  options.fit({10, 30, 50});
  EXPECT_EQ(options.clusters, 7);
}

TEST(SortK, IsWhatSixtyPercentOfTheGraphsHave) {
  network::ModelOptions options;
  options.drop = Drop::none;
  options.readout = dotin::Readout::sortpool;
  options.fit({50, 20, 30, 40, 10});
  EXPECT_EQ(options.sort_k, 30);
  options.sort_k = 0;
  options.fit({3, 4, 5});
  EXPECT_EQ(options.sort_k, 10);  // what the filters need
}

TEST(DropGnn, IsTheMeanOfItsRunsAndTheSameForTheSameKey) {
  network::ModelOptions options = options_of({"dropgnn", "auto"}, "gin");
  const batch::Batch batch = batch_of(ragged_graphs(kWidth), kWidth);
  const auto embedding = [&](uint64_t key) {
    ForwardOptions forward;
    forward.random_key = key;
    return Model(options, kWidth, heads_of(1), 5).forward(batch, forward).embeddings[0];
  };
  options.dropgnn_runs = 1;
  const at::Tensor first = embedding(core::mix(9, 0)), other = embedding(core::mix(9, 1));
  EXPECT_FALSE(at::allclose(first, other));
  options.dropgnn_runs = 2;
  EXPECT_TRUE(embedding(9).equal(embedding(9)));
  EXPECT_FALSE(embedding(9).equal(embedding(10)));
  options.dropgnn_p = 0;
  const at::Tensor whole = embedding(9);
  options.drop = Drop::none;
  options.readout = dotin::Readout::sum;
  EXPECT_TRUE(at::allclose(embedding(9), whole, 1e-12, 1e-12));
}

/// Of two nodes a run leaves out none, the first or the second, so that what is mixed in is known.
TEST(DropGnn, MixesItsRunsInEqualParts) {
  network::ModelOptions options = options_of({"dropgnn", "auto"}, "gin");
  options.dropgnn_p = 0.5;
  const batch::Batch pair = batch_of({{2, {{0, 1}}, {0.3f, -1.2f, 0.8f, 0.4f}, 0}}, kWidth);
  const auto embedding = [&](uint64_t key, int64_t runs) {
    options.dropgnn_runs = runs;
    ForwardOptions forward;
    forward.random_key = key;
    return Model(options, kWidth, heads_of(1), 5).forward(pair, forward).embeddings[0];
  };
  const auto near = [](const at::Tensor& a, const at::Tensor& b) { return at::allclose(a, b, 1e-9, 1e-9); };
  std::vector<at::Tensor> outcomes;  // of one run
  const auto known = [&](const at::Tensor& outcome) {
    return std::any_of(outcomes.begin(), outcomes.end(), [&](const at::Tensor& o) { return near(o, outcome); });
  };
  for (uint64_t key = 0; key < 200; ++key) {
    const at::Tensor one = embedding(key, 1);
    if (!known(one)) outcomes.push_back(one);
  }
  ASSERT_EQ(outcomes.size(), 3u);
  int different = 0;
  for (uint64_t key = 0; key < 20; ++key) {
    const at::Tensor first = embedding(key, 1), second = 2 * embedding(key, 2) - first;
    EXPECT_TRUE(known(second)) << key;
    if (!near(first, second)) ++different;
  }
  EXPECT_GT(different, 5) << "runs draw anew";
}

TEST(PooledModels, KnowWhichOptionsTheyDoNotUse) {
  const auto unused = [](const char* drop, const char* backbone) {
    return options_of({drop, "auto"}, backbone).without_effect();
  };
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has(unused("gpool", "gcn"), "gate"));
  EXPECT_TRUE(has(unused("gpool", "gcn"), "merge"));
  EXPECT_TRUE(has(unused("gpool", "gcn"), "attention_dim"));
  EXPECT_FALSE(has(unused("gpool", "gat"), "attention_dim"));
  EXPECT_FALSE(has(unused("gpool", "gcn"), "drop_ratio"));
  EXPECT_TRUE(has(unused("lapool", "gcn"), "drop_ratio"));
  EXPECT_FALSE(has(unused("mincut", "gcn"), "clusters"));
  EXPECT_TRUE(has(unused("dotin", "gat"), "clusters"));
  EXPECT_FALSE(has(unused("dotin", "gat"), "gate"));
}

TEST(PooledModels, ParameterNamesAreThoseOfTheModelFile) {
  const auto model = [](const char* drop, const char* readout) {
    return Model(options_of({drop, readout}, "gcn"), 5, heads_of(1), 0);
  };
  using Shape = std::vector<int64_t>;
  const auto shape = [](const Model& made, const char* name) { return made.parameters().get(name).sizes().vec(); };
  EXPECT_EQ(shape(model("gpool", "auto"), "layers.2.score.weight"), (Shape{3}));
  EXPECT_EQ(shape(model("gpool", "auto"), "heads.task0.weight"), (Shape{2, 6}));
  EXPECT_EQ(shape(model("diffpool", "auto"), "layers.0.assign.weight"), (Shape{3, 3}));
  EXPECT_EQ(shape(model("mincut", "auto"), "layers.1.assign.bias"), (Shape{2}));
  EXPECT_EQ(shape(model("lapool", "auto"), "layers.1.cluster.weight"), (Shape{3, 3}));
  EXPECT_EQ(shape(model("none", "set2set"), "readout.lstm.input.weight"), (Shape{12, 6}));
  EXPECT_EQ(shape(model("none", "sagpool"), "readout.score.weight"), (Shape{9}));
  EXPECT_EQ(shape(model("none", "sortpool"), "readout.dense.weight"), (Shape{3, 32}));
  EXPECT_FALSE(model("gpool", "auto").parameters().has("layers.0.query.weight"));
}

}  // namespace
}  // namespace dotin::models
