#include "dotin/explain/predict.h"

#include <algorithm>

#include "dotin/batch/loader.h"
#include "dotin/core/error.h"
#include "dotin/network/drop_methods.h"
#include "dotin/network/metrics.h"

namespace dotin::explain {

namespace {

constexpr int64_t kFewestGraphs = 32;  // in a batch

std::vector<std::string> explainable_methods() {
  std::vector<std::string> names;
  for (const network::DropMethod& method : network::drop_methods()) {
    if (method.has(network::DropTrait::chooses_nodes)) names.push_back(method.name);
  }
  return names;
}

}  // namespace

bool can_explain(const network::Description& description) {
  return network::about(description.options.model.drop).has(network::DropTrait::chooses_nodes);
}

void predict(const network::Predictor& predictor, const data::FeatureEncoder& encoder, const data::View& view,
             bool explain, core::Progress& progress, const std::function<void(const Prediction&)>& take) {
  const network::Description& description = predictor.description();
  if (explain && !can_explain(description)) {
    core::fail_usage(
        "this model cannot be explained: {} drops no nodes that could be listed; train with one of the methods that "
        "choose nodes: {}",
        core::word(description.options.model.drop), fmt::join(explainable_methods(), ", "));
  }
  batch::LoaderOptions loader_options;
  loader_options.batch_graphs = std::max(description.options.train.batch, kFewestGraphs);
  loader_options.shuffle = false;
  batch::Loader loader(view, std::make_shared<const data::FeatureEncoder>(encoder), loader_options);
  loader.start_epoch(0);
  const auto tasks = static_cast<int64_t>(description.outputs.size());
  int64_t done = 0;
  while (const std::optional<batch::Batch> batch = loader.next()) {
    const network::BatchOutputs outputs = predictor.outputs(*batch, explain);
    std::vector<GraphExplanation> explanations;
    if (explain) explanations = explain_batch(*batch, outputs.trace, tasks);
    for (int32_t g = 0; g < batch->anchors; ++g) {
      Prediction prediction;
      prediction.graph = batch->graph_index[g];
      for (const std::vector<double>& output : outputs.by_task) {
        const auto width = static_cast<std::ptrdiff_t>(output.size()) / batch->graphs();
        prediction.outputs.emplace_back(output.begin() + g * width, output.begin() + (g + 1) * width);
      }
      if (explain) prediction.explanation = std::move(explanations[static_cast<std::size_t>(g)]);
      take(prediction);
    }
    done += batch->anchors;
    progress.update(done, view.size(), "");
  }
}

std::vector<Survival> planted_survival(const network::Predictor& predictor, const data::View& view) {
  const network::Description& description = predictor.description();
  std::vector<Survival> result;
  const data::Dataset& dataset = view.dataset();
  for (const io::RelevantNodes& relevant : dataset.relevant) {
    Survival survival;
    survival.target = relevant.target;
    survival.after_layer.assign(static_cast<std::size_t>(description.options.model.layers - 1), 0);
    result.push_back(survival);
  }
  if (result.empty() || !can_explain(description)) return {};
  std::vector<double> auc_sum(result.size(), 0), auc_graphs(result.size(), 0);
  core::NoProgress silent;
  const data::FeatureEncoder encoder(description.features, dataset, data::UnknownLabels::error);
  predict(predictor, encoder, view, true, silent, [&](const Prediction& prediction) {
    const int64_t first = dataset.node_offsets[static_cast<std::size_t>(prediction.graph)];
    for (std::size_t t = 0; t < result.size(); ++t) {
      std::vector<int32_t> truth;
      for (std::size_t i = 0; i < prediction.explanation.departure.size(); ++i)
        truth.push_back(dataset.relevant[t].nodes[static_cast<std::size_t>(first) + i] != 0 ? 1 : 0);
      const LayerExplanation& layer = prediction.explanation.layers.front();
      if (layer.score.size() == truth.size() &&
          std::count(truth.begin(), truth.end(), truth[0]) < static_cast<std::ptrdiff_t>(truth.size())) {
        auc_sum[t] += network::auc(layer.score, truth);
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
