// Predictions for graphs, with or without explanations.
#pragma once

#include <functional>
#include <vector>

#include "dotin/core/progress.h"
#include "dotin/explain/explanation.h"
#include "dotin/network/predictor.h"

namespace dotin::explain {

struct Prediction {
  int64_t graph = 0;
  std::vector<std::vector<double>> outputs;  // per task: what the head gives
  GraphExplanation explanation;              // empty unless asked for
};

/// Whether its method chooses nodes, so that there is something to list.
bool can_explain(const network::Description& description);

/// Calls `take` for every graph of the view, in order. The data needs no targets. core::UsageError where explanations
/// are asked for and cannot be given.
void predict(const network::Predictor& predictor, const data::FeatureEncoder& encoder, const data::View& view,
             bool explain, core::Progress& progress, const std::function<void(const Prediction&)>& take);

/// How well the nodes that decide, where data says which they are, were told from the others; nothing where the model
/// cannot be explained.
struct Survival {
  std::string target;
  /// Of the score that decides the first drop, as a test for those nodes: the mean over the graphs in which some nodes
  /// decide and some do not. NaN where there is no such graph.
  double auc = 0;
  int64_t planted = 0;
  std::vector<int64_t>
      after_layer;  // still nodes of their own after layer l; the last layer drops nothing and is left out
};
std::vector<Survival> planted_survival(const network::Predictor& predictor, const data::View& view);

}  // namespace dotin::explain
