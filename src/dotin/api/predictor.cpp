#include "dotin/predictor.h"

#include <omp.h>

#include "dotin/api/graphs.h"
#include "dotin/core/denormals.h"
#include "dotin/core/error.h"
#include "dotin/core/host.h"
#include "dotin/data/dataset.h"
#include "dotin/explain/predict.h"
#include "dotin/network/predictor.h"
#include "dotin/runtime/model.h"

namespace dotin {

namespace {

/// Sets the threads of OpenMP for as long as it lives.
class ThreadsOfCall {
 public:
  explicit ThreadsOfCall(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(core::usable_threads(threads));
  }
  ~ThreadsOfCall() { omp_set_num_threads(before_); }
  ThreadsOfCall(const ThreadsOfCall&) = delete;
  ThreadsOfCall& operator=(const ThreadsOfCall&) = delete;

 private:
  int before_;
};

TaskPrediction task_prediction(const network::Output& output, const std::vector<double>& row) {
  network::Reading reading = output.read(row.data(), static_cast<int64_t>(row.size()));
  TaskPrediction prediction;
  prediction.task = output.name();
  if (const auto* const classes = dynamic_cast<const network::ClassOutput*>(&output)) {
    prediction.classes = classes->classes;
    for (std::size_t c = 0; c < prediction.classes.size(); ++c) {
      if (prediction.classes[c] == reading.label) prediction.probability = reading.probabilities[c];
    }
  }
  prediction.label = std::move(reading.label);
  prediction.probabilities = std::move(reading.probabilities);
  prediction.values = std::move(reading.values);
  prediction.embedding = std::move(reading.embedding);
  return prediction;
}

std::vector<ExplainedLayer> explained_layers(const explain::GraphExplanation& explanation) {
  std::vector<ExplainedLayer> layers;
  for (const explain::LayerExplanation& layer : explanation.layers)
    layers.push_back({layer.kept, layer.dropped, layer.entered, layer.score, layer.attentiveness});
  return layers;
}

/// Calls take(prediction, explanation) for every graph in order.
template <class Take>
void run(const network::Predictor& model, const PredictorOptions& options, const Dataset& graphs, bool explained,
         const Take& take) {
  const ThreadsOfCall threads(options.threads);
  const core::FlushDenormals flush;
  const network::Description& about = model.description();
  const data::Dataset& dataset = graphs.view().dataset();
  const data::FeatureEncoder encoder(
      about.features, dataset,
      options.ignore_unknown_labels ? data::UnknownLabels::ignore : data::UnknownLabels::error);
  core::NoProgress silent;
  int64_t next = 0;
  explain::predict(model, encoder, graphs.view(), explained, silent, [&](const explain::Prediction& raw) {
    Prediction prediction;
    prediction.graph = next++;
    if (!dataset.graph_ids.empty()) prediction.id = dataset.graph_ids[static_cast<std::size_t>(raw.graph)];
    for (std::size_t k = 0; k < about.outputs.size(); ++k)
      prediction.tasks.push_back(task_prediction(*about.outputs[k], raw.outputs[k]));
    take(std::move(prediction), raw.explanation);
  });
}

}  // namespace

const TaskPrediction& Prediction::operator[](const std::string& task) const {
  std::vector<std::string> names;
  for (const TaskPrediction& prediction : tasks) {
    if (prediction.task == task) return prediction;
    names.push_back(prediction.task);
  }
  core::fail("the model has no task '{}'; it has: {}", task, fmt::join(names, ", "));
}

Predictor::Predictor(const std::string& path, const PredictorOptions& options)
    : Predictor(std::shared_ptr<const network::Predictor>(runtime::Model::load(path)), options) {}

Predictor::Predictor(std::shared_ptr<const network::Predictor> model, const PredictorOptions& options)
    : model_(std::move(model)), options_(options) {
  DOTIN_CHECK(options.threads >= 0, "`threads` must not be negative ({})", options.threads);
}

std::vector<Prediction> Predictor::predict(const Dataset& graphs) const {
  std::vector<Prediction> predictions;
  run(*model_, options_, graphs, false,
      [&](Prediction prediction, const explain::GraphExplanation&) { predictions.push_back(std::move(prediction)); });
  return predictions;
}

std::vector<Prediction> Predictor::predict(const std::vector<Graph>& graphs) const { return predict(readable(graphs)); }

Prediction Predictor::predict(const Graph& graph) const {
  return std::move(predict(std::vector<Graph>{graph}).front());
}

std::vector<Explanation> Predictor::explain(const Dataset& graphs) const {
  std::vector<Explanation> explanations;
  run(*model_, options_, graphs, true, [&](Prediction prediction, const explain::GraphExplanation& explanation) {
    explanations.push_back({std::move(prediction), explained_layers(explanation), explanation.departure});
  });
  return explanations;
}

Explanation Predictor::explain(const Graph& graph) const { return std::move(explain(readable({graph})).front()); }

std::vector<std::string> Predictor::tasks() const {
  std::vector<std::string> names;
  for (const auto& output : model_->description().outputs) names.push_back(output->name());
  return names;
}

Options Predictor::options() const { return network::options_of(model_->description().options); }

Dataset Predictor::readable(const std::vector<Graph>& graphs) const {
  const network::Description& about = model_->description();
  io::Records records = api::records_of(graphs, "graphs", {&about.features, options_.ignore_unknown_labels});
  auto dataset =
      std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), about.options.data.duplicates));
  return Dataset(std::make_shared<const data::View>(std::move(dataset)));
}

}  // namespace dotin
