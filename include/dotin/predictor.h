// Predictions and explanations by a trained model. Needs no libtorch: link with dotin::predictor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dotin/dataset.h"

namespace dotin {

namespace network {
class Predictor;
}

/// What a model says of one graph for one task. What a kind of task does not have is empty.
struct TaskPrediction {
  std::string task;                   // its name, e.g. "classify"
  std::string label;                  // classify: the most probable class
  double probability = 0;             // classify: of that class
  std::vector<std::string> classes;   // classify: by name, in the order of probabilities
  std::vector<double> probabilities;  // classify: by class; multilabel: by question
  std::vector<double> values;         // regress: in the target's own units
  std::vector<double> embedding;      // ged: distances between these tell how far graphs are apart
};

struct Prediction {
  int64_t graph = 0;  // its place in what was predicted
  std::string id;     // as the graph has it
  std::vector<TaskPrediction> tasks;

  /// `prediction["classify"].label`; dotin::Error for a task that the model does not have.
  const TaskPrediction& operator[](const std::string& task) const;
};

/// What one layer did with a graph's nodes, by their numbers in the graph.
struct ExplainedLayer {
  std::vector<int32_t> kept;     // stay as nodes of their own
  std::vector<int32_t> dropped;  // leave here: merged, or gone
  std::vector<int32_t> nodes;    // came in as nodes of their own
  std::vector<double> score;     // per place in `nodes`: what decided; empty in the last layer, which drops nothing
  std::vector<std::vector<double>> attentiveness;  // [task][place in `nodes`]
};

/// Which nodes a prediction needed.
struct Explanation {
  Prediction prediction;
  std::vector<ExplainedLayer> layers;
  std::vector<int32_t> departure;  // per node: the layer that dropped it; the number of layers where none did
};

struct PredictorOptions {
  int threads = 1;                     // that one call uses; 0: all processors
  bool ignore_unknown_labels = false;  // a label that training did not have counts as none; else it is an error
};

/// A loaded model. May be used from several threads at once, and goes on working after a call that threw.
class Predictor {
 public:
  /// A model file of `dotin train` or Model::save: `const dotin::Predictor predictor("model.safetensors");`
  /// dotin::Error for a file that is not one, and for a model of a compared method, which needs libtorch
  /// (Model::load, or the program dotin).
  explicit Predictor(const std::string& path, const PredictorOptions& options = {});
  /// For Model::predictor.
  explicit Predictor(std::shared_ptr<const network::Predictor> model, const PredictorOptions& options = {});

  /// One prediction for every graph, in order. The graphs need no targets.
  std::vector<Prediction> predict(const Dataset& graphs) const;
  std::vector<Prediction> predict(const std::vector<Graph>& graphs) const;
  Prediction predict(const Graph& graph) const;

  /// `for (const int32_t node : predictor.explain(graph).layers[0].kept) ...`
  std::vector<Explanation> explain(const Dataset& graphs) const;
  Explanation explain(const Graph& graph) const;

  /// Names of the tasks.
  std::vector<std::string> tasks() const;
  /// What the model was trained with.
  Options options() const;

 private:
  Dataset readable(const std::vector<Graph>& graphs) const;

  std::shared_ptr<const network::Predictor> model_;
  PredictorOptions options_;
};

}  // namespace dotin
