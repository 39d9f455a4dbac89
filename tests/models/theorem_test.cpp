// Theorem 1 of the paper: "the node produced by attentive pooling is closer to x_g than the dropped ones are on
// average". Write q for the virtual node's query, p_i for the keys of the dropped nodes, s_i = q . p_i / tau, and
// p_new = sum_i lambda_i p_i for the merged node's key. What the proof shows, and when it holds:
//
// 1. |q - mean p_i|^2 <= mean |q - p_i|^2. Always (convexity): but this is the plain average, not the merged node.
// 2. sum_i lambda_i s_i >= mean s_i: the merged node has at least the attentiveness of the plain average. Holds
// whenever
//    lambda does not fall as s rises (Chebyshev's sum inequality), so for lambda from the softmaxed attentiveness and
//    from its logits, for K tasks with s summed over them, with own attentiveness. With smoothed attentiveness lambda
//    rises with the smoothed scores, and it holds for those.
// 3. |q - p_new|^2 <= mean |q - p_i|^2, what the theorem says, does not follow from 1 and 2 and is not true in general:
//    a long key has a large product with q and yet lies far from it. It holds if |q - p_i| does not rise with s_i among
//    the dropped, since then |q - p_new|^2 <= sum lambda_i |q - p_i|^2 <= mean |q - p_i|^2 (convexity, then Chebyshev);
//    keys of one length are such a case, as |q - p_i|^2 = |q|^2 + |p_i|^2 - 2 tau s_i.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "models/model_support.h"
#include "support/graphs.h"
#include "support/numeric_jacobian.h"

namespace dotin::models {
namespace {

using dotin::testing::Knobs;
using dotin::testing::random_tensor;
using dotin::testing::set_parameter;

/// Layers that hand their rows on as they are (residual, a linear map of zeros) and share query and key: then a merged
/// node enters layer 1 as sum lambda_i x_i, and its logit there is sum lambda_i s_i.
Model transparent_model(int64_t tasks, const std::string& attentiveness, const std::string& merge_weights,
                        uint64_t seed) {
  network::ModelOptions options = dotin::testing::small_options("gat", Knobs::paper);
  options.layers = 2;
  options.residual = true;
  options.attentiveness = core::from_word<dotin::Attentiveness>("attentiveness", attentiveness);
  options.merge_weights = core::from_word<dotin::MergeWeights>("merge_weights", merge_weights);
  Model model(options, 2, dotin::testing::heads_of(tasks), seed);
  for (const char* layer : {"layers.0", "layers.1"}) {
    const std::string prefix = layer;
    set_parameter(model, prefix + ".linear.weight", std::vector<double>(9, 0));
    set_parameter(model, prefix + ".linear.bias", std::vector<double>(3, 0));
  }
  for (const char* name : {"query.weight", "key.weight"}) {
    const at::Tensor& first = model.parameters().get(std::string("layers.0.") + name);
    set_parameter(model, std::string("layers.1.") + name, dotin::testing::numbers_of(first));
  }
  return model;
}

double sum_over_tasks(const network::LayerTrace& layer, int64_t node, int64_t tasks) {
  const auto begin = layer.logits_by_task.begin() + node * tasks;
  return std::accumulate(begin, begin + tasks, 0.0);
}

RC_GTEST_PROP(Theorem1, ThePlainAverageIsCloserThanTheDroppedNodesAreOnAverage, ()) {
  const auto graphs = *dotin::testing::any_graphs(2);
  const Model model = transparent_model(1, "own", "softmax", *rc::gen::arbitrary<uint64_t>());
  const batch::Batch batch = dotin::testing::batch_of(graphs, 2);
  const network::LayerTrace trace = model.forward(batch, dotin::testing::traced()).trace[0];
  const auto weight = [&](const char* name) { return model.parameters().get(name).detach(); };
  const at::Tensor x =
      ops::reference::feature_rows(batch, 2, at::empty({0}, at::kDouble)).mm(weight("input.weight").t());
  const at::Tensor keys = x.mm(weight("layers.0.key.weight").t());
  const at::Tensor query = weight("virtual").mm(weight("layers.0.query.weight").t());
  for (int64_t g = 0; g < batch.graphs(); ++g) {
    std::vector<int64_t> dropped;
    for (int64_t i = trace.raw_offsets[g]; i < trace.raw_offsets[g + 1]; ++i) {
      if (!trace.keep[i]) dropped.push_back(i);
    }
    if (dropped.empty()) continue;
    const at::Tensor p = keys.index_select(0, at::tensor(dropped, at::kLong));
    const double of_average = (query - p.mean(0, true)).square().sum().item<double>();
    const double average = (query - p).square().sum(1).mean().item<double>();
    RC_ASSERT(of_average <= average + 1e-12);
  }
}

RC_GTEST_PROP(Theorem1, TheMergedNodeIsAtLeastAsAttentiveAsThePlainAverage, ()) {
  const auto graphs = *dotin::testing::any_graphs(2);
  const auto tasks = *rc::gen::inRange<int64_t>(1, 4);
  const std::string merge_weights = *rc::gen::element<std::string>("softmax", "logits");
  const Model model = transparent_model(tasks, "own", merge_weights, *rc::gen::arbitrary<uint64_t>());
  const std::vector<network::LayerTrace> trace =
      model.forward(dotin::testing::batch_of(graphs, 2), dotin::testing::traced()).trace;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    double all = 0, sum = 0, weighted = 0, lambdas = 0;
    int64_t dropped = 0, merged = -1;
    for (int64_t i = trace[0].raw_offsets[g]; i < trace[0].raw_offsets[g + 1]; ++i) all += std::exp(trace[0].logits[i]);
    for (int64_t i = trace[0].raw_offsets[g]; i < trace[0].raw_offsets[g + 1]; ++i) {
      if (trace[0].keep[i]) continue;
      const double s = trace[0].logits[i];
      RC_ASSERT(std::abs(s - sum_over_tasks(trace[0], i, tasks)) < 1e-12);
      const double lambda = std::exp(merge_weights == "logits" ? s : std::exp(s) / all);
      sum += s;
      weighted += lambda * s;
      lambdas += lambda;
      merged = trace[0].new_raw_of_raw[i];
      ++dropped;
    }
    if (dropped == 0) continue;
    const double of_merged = sum_over_tasks(trace[1], merged, tasks);
    RC_ASSERT(std::abs(of_merged - weighted / lambdas) < 1e-10);
    RC_ASSERT(of_merged >= sum / static_cast<double>(dropped) - 1e-12);
  }
}

struct Distances {
  double merged, average;
};

/// |q - p_new|^2 and the mean of |q - p_i|^2 for keys of which the first `dropped` are dropped; tau = 1.
Distances distances(const at::Tensor& query, const at::Tensor& keys, int64_t dropped, bool from_logits) {
  const auto softmax = [](const at::Tensor& values) {
    return ops::reference::segment_softmax(values, at::zeros({values.size(0)}, at::kLong), 1);
  };
  const at::Tensor logits = keys.mv(query);
  const at::Tensor lambda = softmax((from_logits ? logits : softmax(logits)).narrow(0, 0, dropped));
  const at::Tensor p = keys.narrow(0, 0, dropped);
  return {(query - lambda.unsqueeze(0).mm(p).squeeze(0)).square().sum().item<double>(),
          (query - p).square().sum(1).mean().item<double>()};
}

RC_GTEST_PROP(Theorem1, WithKeysOfOneLengthTheMergedNodeIsCloser, (uint64_t seed, bool from_logits)) {
  const auto nodes = *rc::gen::inRange<int64_t>(1, 20);
  const at::Tensor query = random_tensor({3}, seed);
  at::Tensor keys = random_tensor({nodes, 3}, seed + 1);
  keys = keys / keys.norm(2, 1, true) * (0.1 + 5 * query[0].abs());
  const Distances found = distances(query, keys, *rc::gen::inRange<int64_t>(1, nodes + 1), from_logits);
  RC_ASSERT(found.merged <= found.average + 1e-12);
}

TEST(Theorem1, FailsForTheMergedNodeWhenALongKeyDrawsTheWeight) {
  // q = (1, 0); dropped keys (10, 0) and (1, 0), kept (30, 0). From logits lambda is (0.9999, 0.0001): the merged key
  // lies where the far one was, at a squared distance of 81, against 40.5 on average.
  const at::Tensor far = at::tensor(std::vector<double>{10, 0, 1, 0, 30, 0}, at::kDouble).reshape({3, 2});
  const Distances logits = distances(at::tensor(std::vector<double>{1, 0}, at::kDouble), far, 2, true);
  EXPECT_DOUBLE_EQ(logits.average, 40.5);
  EXPECT_NEAR(logits.merged, 81, 0.1);

  // The paper's softmax of a softmax weighs nearly evenly, and fails where the keys differ little in distance:
  // q = (40, 0); dropped (41.1, 0) and (41, 0), kept (41.11, 0). Squared distances 1.21 and 1, on average 1.105.
  const at::Tensor close = at::tensor(std::vector<double>{41.1, 0, 41, 0, 41.11, 0}, at::kDouble).reshape({3, 2});
  const Distances softmax = distances(at::tensor(std::vector<double>{40, 0}, at::kDouble), close, 2, false);
  EXPECT_NEAR(softmax.average, 1.105, 1e-9);
  EXPECT_GT(softmax.merged, softmax.average);
}

}  // namespace
}  // namespace dotin::models
