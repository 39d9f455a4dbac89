// What must hold for every graph, backbone and set of knobs.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "dotin/core/random.h"
#include "dotin/kernels/select.h"
#include "dotin/ops/reference/attention.h"
#include "models/model_support.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::models {
namespace {

using dotin::testing::any_graphs;
using dotin::testing::batch_of;
using dotin::testing::holders_of;
using dotin::testing::Knobs;
using dotin::testing::random_tensor;
using dotin::testing::set_parameter;
using dotin::testing::SmallGraph;
using dotin::testing::traced;

namespace ref = ops::reference;
using ref::EdgeWeights;

constexpr int32_t kWidth = 2;

network::ModelOptions any_options() {
  network::ModelOptions options = dotin::testing::small_options(
      *rc::gen::element<std::string>("gat", "gcn", "gin", "sage"), *rc::gen::element(Knobs::paper, Knobs::recommended));
  options.drop_ratio = {*rc::gen::element(0.0, 0.1, 0.3, 0.5, 0.9), *rc::gen::element(0.0, 0.5, 0.9), 0.0};
  options.merge = *rc::gen::arbitrary<bool>();
  options.edge_weights = core::from_word<dotin::EdgeWeights>(
      "edge_weights", *rc::gen::element<std::string>("softmax", "multiplicity", "none"));
  options.merge_weights =
      core::from_word<dotin::MergeWeights>("merge_weights", *rc::gen::element<std::string>("softmax", "logits"));
  return options;
}

Model any_model(const network::ModelOptions& options) {
  return Model(options, kWidth, dotin::testing::heads_of(*rc::gen::inRange<int64_t>(1, 4)),
               *rc::gen::arbitrary<uint64_t>());
}

double difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, (a[k] - b[k]).abs().max().item<double>());
  }
  return largest;
}

/// Whether some graph's lowest kept and highest dropped logit are closer than what select_nodes tells apart, with room.
bool ties_at_the_cut(const Forward& forward) {
  for (const network::LayerTrace& layer : forward.trace) {
    if (layer.logits.empty()) continue;  // the last layer decides nothing
    for (std::size_t g = 0; g + 1 < layer.raw_offsets.size(); ++g) {
      double kept = INFINITY, dropped = -INFINITY, largest = 0;
      for (int64_t i = layer.raw_offsets[g]; i < layer.raw_offsets[g + 1]; ++i) {
        largest = std::max(largest, std::abs(layer.logits[i]));
        if (layer.keep[i]) {
          kept = std::min(kept, layer.logits[i]);
        } else {
          dropped = std::max(dropped, layer.logits[i]);
        }
      }
      if (kept - dropped < 1e-5 * largest) return true;
    }
  }
  return false;
}

/// The batch with its nodes renamed at random within each graph, the model's answers to both, and where nodes went.
void expect_renaming_changes_order_only(const network::ModelOptions& options) {
  const Model model = any_model(options);
  const auto graphs = *any_graphs(kWidth);
  core::Rng rng(*rc::gen::arbitrary<uint64_t>());
  std::vector<SmallGraph> others;
  std::vector<int64_t> new_of_old;  // batch-wide
  for (const SmallGraph& graph : graphs) {
    std::vector<int32_t> names(static_cast<std::size_t>(graph.nodes));
    std::iota(names.begin(), names.end(), 0);
    rng.shuffle(names);
    others.push_back(dotin::testing::renamed(graph, names, kWidth));
    const auto first = static_cast<int64_t>(new_of_old.size());
    for (const int32_t name : names) new_of_old.push_back(first + name);
  }
  const Forward forward = model.forward(batch_of(graphs, kWidth), traced());
  RC_PRE(!ties_at_the_cut(forward));
  const Forward other = model.forward(batch_of(others, kWidth), traced());
  RC_ASSERT(difference(forward.outputs, other.outputs) < 1e-9);
  const auto holders = holders_of(forward), other_holders = holders_of(other);
  for (std::size_t l = 0; l < forward.trace.size(); ++l) {
    for (std::size_t i = 0; i < new_of_old.size(); ++i) {
      const int64_t here = holders[l][i], there = other_holders[l][static_cast<std::size_t>(new_of_old[i])];
      RC_ASSERT((here < 0) == (there < 0));
      if (here < 0) continue;
      if (l + 1 < forward.trace.size()) {
        RC_ASSERT(std::abs(forward.trace[l].logits[here] - other.trace[l].logits[there]) < 1e-9);
      }
      RC_ASSERT(forward.trace[l].keep[here] == other.trace[l].keep[there]);
    }
  }
}

RC_GTEST_PROP(Invariants, RenamingNodesChangesTheirOrderOnly, ()) {
  network::ModelOptions options = any_options();
  options.backbone = dotin::Backbone::gat;
  options.attentiveness =
      core::from_word<dotin::Attentiveness>("attentiveness", *rc::gen::element<std::string>("smoothed", "both"));
  expect_renaming_changes_order_only(options);
}

RC_GTEST_PROP(Invariants, RenamingNodesChangesTheirOrderOnlyOnEveryBackboneWithoutTies, ()) {
  // With fixed edge weights, nodes with the same neighbours aggregate the same and tie when smoothed, so own scores.
  network::ModelOptions options = any_options();
  options.attentiveness = Attentiveness::own;
  options.residual = true;
  expect_renaming_changes_order_only(options);
}

RC_GTEST_PROP(Invariants, AGraphGivesTheSameAloneAndInABatch, ()) {
  const Model model = any_model(any_options());
  const auto graphs = *any_graphs(kWidth);
  const Forward together = model.forward(batch_of(graphs, kWidth), traced());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Forward alone = model.forward(batch_of({graphs[g]}, kWidth), traced());
    for (std::size_t k = 0; k < alone.outputs.size(); ++k) {
      RC_ASSERT((together.outputs[k][static_cast<int64_t>(g)] - alone.outputs[k][0]).abs().max().item<double>() <
                1e-10);
    }
    for (std::size_t l = 0; l < alone.trace.size(); ++l) {
      const auto begin = together.trace[l].keep.begin() + together.trace[l].raw_offsets[g];
      RC_ASSERT(std::equal(alone.trace[l].keep.begin(), alone.trace[l].keep.end(), begin));
    }
  }
}

RC_GTEST_PROP(Invariants, EachLayerLeavesTheCountOfNodesItMust, ()) {
  network::ModelOptions options = any_options();
  options.drop = core::from_word<dotin::Drop>("drop", *rc::gen::element<std::string>("dotin", "random"));
  const Model model = any_model(options);
  const auto graphs = *any_graphs(kWidth);
  const Forward forward = model.forward(batch_of(graphs, kWidth), traced());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    int64_t nodes = graphs[g].nodes;
    for (std::size_t l = 0; l < forward.trace.size(); ++l) {
      const network::LayerTrace& layer = forward.trace[l];
      RC_ASSERT(layer.raw_offsets[g + 1] - layer.raw_offsets[g] == nodes);
      const auto percent = static_cast<int64_t>(std::lround(100 * options.drop_ratio[l]));
      const int64_t drops = std::min(nodes * percent / 100, nodes - 1);
      const auto begin = layer.keep.begin() + layer.raw_offsets[g];
      RC_ASSERT(std::count(begin, begin + nodes, 0) == drops);
      nodes = nodes - drops + (options.merge && drops > 0 ? 1 : 0);
    }
  }
}

RC_GTEST_PROP(Invariants, KeptNodesAndMergedSetsMakeUpTheOriginalNodes, ()) {
  network::ModelOptions options = any_options();
  options.merge = true;
  const Model model = any_model(options);
  const auto graphs = *any_graphs(kWidth);
  const Forward forward = model.forward(batch_of(graphs, kWidth), traced());
  const auto holders = holders_of(forward);
  for (std::size_t l = 0; l < forward.trace.size(); ++l) {
    const network::LayerTrace& layer = forward.trace[l];
    std::set<int64_t> held(holders[l].begin(), holders[l].end());
    // Every original node is held by a node of its own graph, and every node holds at least one.
    RC_ASSERT(*held.begin() == 0);
    RC_ASSERT(static_cast<int64_t>(held.size()) == layer.raw_offsets.back());
    std::size_t i = 0;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (int32_t n = 0; n < graphs[g].nodes; ++n, ++i) {
        RC_ASSERT(holders[l][i] >= layer.raw_offsets[g]);
        RC_ASSERT(holders[l][i] < layer.raw_offsets[g + 1]);
      }
    }
  }
}

RC_GTEST_PROP(Invariants, MergeWeightsSumToOne, ()) {
  // All nodes have the same features and layers hand rows on as they are, so a merged node is like the others exactly
  // if its weights sum to 1: then all logits of layer 1 are equal, before smoothing.
  network::ModelOptions options = any_options();
  options.backbone = dotin::Backbone::gat;
  options.attentiveness = Attentiveness::smoothed;
  options.norm = Norm::none;
  options.residual = true;
  options.merge = true;
  const Model model = any_model(options);
  set_parameter(model, "layers.0.linear.weight", std::vector<double>(9, 0));
  set_parameter(model, "layers.0.linear.bias", std::vector<double>(3, 0));
  auto graphs = *any_graphs(kWidth);
  for (SmallGraph& graph : graphs) std::fill(graph.features.begin(), graph.features.end(), 1.5f);
  const network::LayerTrace layer = model.forward(batch_of(graphs, kWidth), traced()).trace[1];
  for (std::size_t i = 0; i < layer.logits_by_task.size(); ++i) {
    const auto tasks = static_cast<std::size_t>(model.tasks());
    const std::size_t node = i / tasks;
    const auto graph = std::upper_bound(layer.raw_offsets.begin(), layer.raw_offsets.end(), node) - 1;
    const double first = layer.logits_by_task[static_cast<std::size_t>(*graph) * tasks + i % tasks];
    RC_ASSERT(std::abs(layer.logits_by_task[i] - first) < 1e-12);
  }
}

RC_GTEST_PROP(Invariants, RowsOfAttentionSumToOne, ()) {
  const auto edge_weights = *rc::gen::element(EdgeWeights::softmax, EdgeWeights::multiplicity, EdgeWeights::none);
  const bool merge = *rc::gen::arbitrary<bool>();
  ref::Structure structure = ref::structure_of(batch_of(*any_graphs(kWidth), kWidth), *rc::gen::inRange<int64_t>(1, 4));
  core::Rng rng(*rc::gen::arbitrary<uint64_t>());
  for (int drops = *rc::gen::inRange(0, 3); drops > 0; --drops) {
    std::vector<uint8_t> keep(static_cast<std::size_t>(structure.raw_nodes()));
    for (uint8_t& kept : keep) kept = rng.chance(0.6) ? 1 : 0;
    structure = ref::coarsen(structure, keep, merge, edge_weights).structure;
  }
  const ref::EdgeTensors edges = ref::edge_tensors(structure, at::empty({0}, at::kDouble));
  const double scale = *rc::gen::element(0.1, 1.0, 30.0);
  const at::Tensor q = scale * random_tensor({edges.rows, 2}, rng.bits()),
                   p = random_tensor({edges.rows, 2}, rng.bits());
  const at::Tensor s = ref::attention(q, p, edges, 1.3, edge_weights);
  RC_ASSERT(s.min().item<double>() >= 0);
  RC_ASSERT((ref::segment_sum(s, edges.row, edges.rows) - 1).abs().max().item<double>() < 1e-13);
}

RC_GTEST_PROP(Invariants, BothEnginesMixByRowsThatSumToOne, ()) {
  // The first column of all rows is the same number, which the maps hand on: mixing leaves it alone exactly if rows of
  // S, and weights of merging, sum to 1. The other columns are anything, and decide attention.
  network::ModelOptions options = any_options();
  options.backbone = dotin::Backbone::gat;
  options.engine = core::from_word<dotin::Engine>("engine", *rc::gen::element<std::string>("fused", "reference"));
  options.norm = Norm::none;
  options.residual = options.gate = false;
  const Model model = any_model(options);
  const at::NoGradGuard no_gradients;
  const auto parameter = [&](const std::string& name) { return model.parameters().get(name); };
  const auto set_first = [](const at::Tensor& rows, std::vector<double> values) {
    rows.select(0, 0).copy_(at::tensor(values, at::kDouble));
  };
  set_first(parameter("input.weight"), {1, 0});
  parameter("virtual").select(1, 0).fill_(1.5);
  const double sharpness = *rc::gen::element(0.1, 1.0, 10.0);
  for (const char* layer : {"layers.0", "layers.1", "layers.2"}) {
    set_first(parameter(layer + std::string(".linear.weight")), {1, 0, 0});
    parameter(layer + std::string(".linear.bias")).select(0, 0).zero_();
    parameter(layer + std::string(".query.weight")).mul_(sharpness);
  }
  auto graphs = *any_graphs(kWidth);
  for (SmallGraph& graph : graphs) {
    for (std::size_t i = 0; i < graph.features.size(); i += kWidth) graph.features[i] = 1.5f;
  }
  for (const at::Tensor& embedding : model.forward(batch_of(graphs, kWidth), traced()).embeddings) {
    RC_ASSERT((embedding.select(1, 0) - 1.5).abs().max().item<double>() < 1e-12);
  }
}

RC_GTEST_PROP(Invariants, RepeatingTheChoiceAModelMadeChangesNothing, ()) {
  const Model model = any_model(any_options());
  const batch::Batch batch = batch_of(*any_graphs(kWidth), kWidth);
  const Forward chosen = model.forward(batch, traced());
  ForwardOptions options;
  options.repeat = &chosen.trace;
  RC_ASSERT(difference(chosen.outputs, model.forward(batch, options).outputs) == 0);
}

RC_GTEST_PROP(Invariants, RandomDropDependsOnTheKeyAndTheGraphAlone, ()) {
  network::ModelOptions options = any_options();
  options.drop = Drop::random;
  const Model model = any_model(options);
  auto graphs = *any_graphs(kWidth);
  ForwardOptions forward = traced();
  forward.random_key = *rc::gen::arbitrary<uint64_t>();
  const Forward together = model.forward(batch_of(graphs, kWidth), forward);
  const Forward alone = model.forward(batch_of({graphs.back()}, kWidth), forward);
  for (std::size_t l = 0; l < alone.trace.size(); ++l) {
    const network::LayerTrace& layer = together.trace[l];
    const auto begin = layer.keep.begin() + layer.raw_offsets[graphs.size() - 1];
    RC_ASSERT(std::equal(alone.trace[l].keep.begin(), alone.trace[l].keep.end(), begin));
  }
}

TEST(RandomDrop, DrawsAnewForAnotherKeyGraphAndLayer) {
  network::ModelOptions options = dotin::testing::small_options("gat", Knobs::recommended);
  options.drop = Drop::random;
  options.merge = false;
  const Model model(options, kWidth, dotin::testing::heads_of(1), 0);
  const auto keep = [&](uint64_t key, int64_t index, std::size_t layer) {
    const SmallGraph graph = {64, {}, std::vector<float>(128, 1.0f), index};
    ForwardOptions forward = traced();
    forward.random_key = key;
    return model.forward(batch_of({graph}, kWidth), forward).trace[layer].keep;
  };
  EXPECT_EQ(keep(1, 5, 0), keep(1, 5, 0));
  EXPECT_NE(keep(1, 5, 0), keep(2, 5, 0));
  EXPECT_NE(keep(1, 5, 0), keep(1, 6, 0));
  const std::vector<uint8_t> first = keep(1, 5, 0);
  EXPECT_NE(keep(1, 5, 1), std::vector<uint8_t>(first.begin(), first.begin() + 32));
}

TEST(DropFactor, ScalesEveryDropRatio) {
  network::ModelOptions options = dotin::testing::small_options("gat", Knobs::recommended);
  options.merge = false;
  const Model model(options, kWidth, dotin::testing::heads_of(1), 0);
  const batch::Batch batch = batch_of({{8, {{0, 1}}, std::vector<float>(16, 1.0f), 0}}, kWidth);
  const auto left = [&](double factor) {
    ForwardOptions forward = traced();
    forward.drop_factor = factor;
    return model.forward(batch, forward).trace[2].keep.size();
  };
  EXPECT_EQ(left(0), 8U);
  EXPECT_EQ(left(0.5), 5U);  // 8 - 2, then 6 - 1
  EXPECT_EQ(left(1), 2U);    // 8 - 4, then 4 - 2
}

TEST(EdgeCases, SmallAndEmptyGraphsGoThroughThreeLayersAtDropNineTenths) {
  for (const char* backbone : {"gat", "gcn", "gin", "sage"}) {
    for (const Knobs knobs : {Knobs::paper, Knobs::recommended}) {
      for (const bool merge : {false, true}) {
        network::ModelOptions options = dotin::testing::small_options(backbone, knobs);
        options.drop_ratio = {0.9};
        options.merge = merge;
        const Model model(options, kWidth, dotin::testing::heads_of(2), 1);
        std::vector<SmallGraph> graphs = dotin::testing::ragged_graphs(kWidth);
        graphs.push_back({0, {}, {}, 9});
        graphs.push_back({2, {{0, 1}}, {1, 2, 3, 4}, 10});
        const Forward forward = model.forward(batch_of(graphs, kWidth), traced());
        (forward.outputs[0].square().sum() + forward.outputs[1].square().sum()).backward();
        SCOPED_TRACE(std::string(backbone) + (merge ? " merge" : " no merge"));
        EXPECT_TRUE(at::isfinite(forward.outputs[0]).all().item<bool>());
        for (const auto& [name, parameter] : model.parameters().all()) {
          const bool finite = !parameter.grad().defined() || at::isfinite(parameter.grad()).all().item<bool>();
          EXPECT_TRUE(finite) << name;
        }
        // 6 -> 1 + merged, 1, 4 -> 1 + merged, 5 -> 1 + merged, none, 2 -> 1 + merged
        const std::vector<int64_t> expected =
            merge ? std::vector<int64_t>{0, 2, 3, 5, 7, 7, 9} : std::vector<int64_t>{0, 1, 2, 3, 4, 4, 5};
        EXPECT_EQ(forward.trace[1].raw_offsets, expected);
      }
    }
  }
}

TEST(EdgeCases, ABatchWithoutFeaturesStillHasStructure) {
  const Model model(dotin::testing::small_options("gat", Knobs::recommended), 0, dotin::testing::heads_of(1), 1);
  const Forward forward = model.forward(batch_of({{3, {{0, 1}}, {}, 0}}, 0), {});
  EXPECT_TRUE(at::isfinite(forward.outputs[0]).all().item<bool>());
}

TEST(Dropout, ActsInTrainingOnlyAndFollowsItsKey) {
  network::ModelOptions options = dotin::testing::small_options("gat", Knobs::recommended);
  options.dropout = 0.5;
  const Model model(options, kWidth, dotin::testing::heads_of(1), 1);
  const batch::Batch batch = batch_of(dotin::testing::ragged_graphs(kWidth), kWidth);
  const auto outputs = [&](bool training, uint64_t key) {
    ForwardOptions forward;
    forward.training = training;
    forward.random_key = key;
    return model.forward(batch, forward).outputs;
  };
  EXPECT_EQ(difference(outputs(false, 1), outputs(false, 2)), 0);
  EXPECT_EQ(difference(outputs(true, 1), outputs(true, 1)), 0);
  EXPECT_GT(difference(outputs(true, 1), outputs(true, 2)), 1e-3);
  EXPECT_GT(difference(outputs(true, 1), outputs(false, 1)), 1e-3);
}

TEST(Precision, FloatFollowsDouble) {
  for (const char* backbone : {"gat", "gcn", "gin", "sage"}) {
    network::ModelOptions options = dotin::testing::small_options(backbone, Knobs::recommended);
    const Model exact(options, kWidth, dotin::testing::heads_of(2), 4);
    options.precision = Precision::float32;
    const Model coarse(options, kWidth, dotin::testing::heads_of(2), 4);
    const batch::Batch batch = batch_of(dotin::testing::ragged_graphs(kWidth), kWidth);
    const Forward forward = coarse.forward(batch, {});
    EXPECT_EQ(forward.outputs[0].scalar_type(), at::kFloat);
    EXPECT_LT(difference(forward.outputs, exact.forward(batch, {}).outputs), 1e-4) << backbone;
  }
}

}  // namespace
}  // namespace dotin::models
