#include "dotin/explain/predict.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "dotin/batch/loader.h"
#include "dotin/core/error.h"
#include "dotin/drop/methods.h"
#include "dotin/tasks/metrics.h"

namespace dotin::explain {

namespace {

std::vector<std::string> explainable_methods() {
  std::vector<std::string> names;
  for (const drop::MethodAbout& method : drop::methods()) {
    if (method.has(drop::Trait::chooses_nodes)) names.push_back(method.name);
  }
  return names;
}

}  // namespace

bool can_explain(const training::Learner& learner) {
  return drop::about(learner.options.model.drop).has(drop::Trait::chooses_nodes);
}

void predict(const training::Learner& learner, const data::FeatureEncoder& encoder, const data::View& view,
             bool explain, core::Progress& progress, const std::function<void(const Prediction&)>& take) {
  if (explain && !can_explain(learner)) {
    core::fail_usage(
        "this model cannot be explained: {} drops no nodes that could be listed; train with one of the methods that "
        "choose nodes: {}",
        learner.options.model.drop, fmt::join(explainable_methods(), ", "));
  }
  const at::NoGradGuard no_gradients;
  batch::LoaderOptions loader_options = training::loader_options(learner, false);
  loader_options.build.triplets = false;
  batch::Loader loader(view, std::make_shared<const data::FeatureEncoder>(encoder), loader_options);
  models::ForwardOptions options;
  options.trace = explain;
  options.random_key = static_cast<uint64_t>(learner.options.train.seed);
  loader.start_epoch(0);
  int64_t done = 0;
  while (const std::optional<batch::Batch> batch = loader.next()) {
    const models::Forward forward = learner.model->forward(*batch, options);
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& output : forward.outputs) outputs.push_back(output.to(at::kCPU, at::kDouble).contiguous());
    std::vector<GraphExplanation> explanations;
    if (explain) explanations = explain_batch(*batch, forward, learner.model->tasks());
    for (int32_t g = 0; g < batch->anchors; ++g) {
      Prediction prediction;
      prediction.graph = batch->graph_index[g];
      for (const at::Tensor& output : outputs) {
        const double* const row = output.data_ptr<double>() + g * output.size(1);
        prediction.outputs.emplace_back(row, row + output.size(1));
      }
      if (explain) prediction.explanation = std::move(explanations[static_cast<std::size_t>(g)]);
      take(prediction);
    }
    done += batch->anchors;
    progress.update(done, view.size(), "");
  }
}

std::vector<Survival> planted_survival(const training::Learner& learner, const data::View& view) {
  std::vector<Survival> result;
  const data::Dataset& dataset = view.dataset();
  for (const io::RelevantNodes& relevant : dataset.relevant) {
    Survival survival;
    survival.target = relevant.target;
    survival.after_layer.assign(static_cast<std::size_t>(learner.options.model.layers - 1), 0);
    result.push_back(survival);
  }
  if (result.empty() || !can_explain(learner)) return {};
  std::vector<double> auc_sum(result.size(), 0), auc_graphs(result.size(), 0);
  core::NoProgress silent;
  const data::FeatureEncoder encoder(learner.features, dataset, data::UnknownLabels::error);
  predict(learner, encoder, view, true, silent, [&](const Prediction& prediction) {
    const int64_t first = dataset.node_offsets[static_cast<std::size_t>(prediction.graph)];
    for (std::size_t t = 0; t < result.size(); ++t) {
      std::vector<int32_t> truth;
      for (std::size_t i = 0; i < prediction.explanation.departure.size(); ++i)
        truth.push_back(dataset.relevant[t].nodes[static_cast<std::size_t>(first) + i] != 0 ? 1 : 0);
      const LayerExplanation& layer = prediction.explanation.layers.front();
      if (layer.score.size() == truth.size() &&
          std::count(truth.begin(), truth.end(), truth[0]) < static_cast<std::ptrdiff_t>(truth.size())) {
        auc_sum[t] += tasks::auc(layer.score, truth);
        ++auc_graphs[t];
      }
      for (std::size_t i = 0; i < prediction.explanation.departure.size(); ++i) {
        if (truth[i] == 0) continue;
        ++result[t].planted;
        for (std::size_t l = 0; l < result[t].after_layer.size(); ++l) {
          if (prediction.explanation.departure[i] > static_cast<int32_t>(l)) ++result[t].after_layer[l];
        }
      }
    }
  });
  for (std::size_t t = 0; t < result.size(); ++t) result[t].auc = auc_sum[t] / auc_graphs[t];
  return result;
}

}  // namespace dotin::explain
