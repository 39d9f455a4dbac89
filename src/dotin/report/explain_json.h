// Explanations as JSON: what `dotin explain --json` prints, and what its pages show (docs/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dotin/explain/summary.h"
#include "dotin/explain/verify.h"

namespace dotin::report {

/// What every explanation is of: dataset, tasks (for ged with the distance of embeddings), and how the model drops.
nlohmann::json model_json(const network::Description& about, const data::Dataset& dataset);

/// Per layer nodes, kept, dropped and attentiveness, as in predictions.
nlohmann::json layers_json(const explain::GraphExplanation& explanation, const network::Description& about);

/// What a model says of one graph for one task: logits, probabilities, label, value or embedding, as in predictions.
nlohmann::json reading_json(const network::Reading& reading);

/// One graph with its structure, labels and attributes, true and predicted values, and its explanation with ranks,
/// deciding scores and merged nodes.
nlohmann::json graph_json(const explain::Prediction& prediction, const network::Description& about,
                          const data::Dataset& dataset);

nlohmann::json summary_json(const explain::DatasetSummary& summary);

nlohmann::json verification_json(const explain::Verification& verification);

}  // namespace dotin::report
