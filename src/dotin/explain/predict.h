// Predictions for graphs, with or without explanations.
#pragma once

#include <functional>
#include <vector>

#include "dotin/core/progress.h"
#include "dotin/explain/explanation.h"
#include "dotin/training/learner.h"

namespace dotin::explain {

struct Prediction {
  int64_t graph = 0;
  std::vector<std::vector<double>> outputs;  // per task: what the head gives
  GraphExplanation explanation;              // empty unless asked for
};

/// Whether its method chooses nodes, so that there is something to list.
bool can_explain(const training::Learner& learner);

/// Calls `take` for every graph of the view, in order. The data needs no targets. core::UsageError where explanations
/// are asked for and cannot be given.
void predict(const training::Learner& learner, const data::FeatureEncoder& encoder, const data::View& view,
             bool explain, core::Progress& progress, const std::function<void(const Prediction&)>& take);

/// How many of the planted nodes of generated data survived each drop; nothing where the model cannot be explained.
struct Survival {
  std::string target;
  int64_t planted = 0;
  std::vector<int64_t>
      after_layer;  // still nodes of their own after layer l; the last layer drops nothing and is left out
};
std::vector<Survival> planted_survival(const training::Learner& learner, const data::View& view);

}  // namespace dotin::explain
