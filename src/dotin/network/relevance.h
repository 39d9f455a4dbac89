// The scores by which nodes are ranked (docs/method.md, "Ranking by relevance"), on plain arrays: what
// models/relevance.h and training/ranking.h learn.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/output.h"
#include "dotin/network/parameters.h"

namespace dotin::network {

inline constexpr int64_t kRelevanceHidden = 32;  // columns of a row
inline constexpr int64_t kRelevanceLayers = 3;
inline constexpr int64_t kRelevanceChannels = 16;    // of a row that are averaged around a node
inline constexpr int64_t kRelevanceHops = 3;         // how far around
inline constexpr int64_t kEmbeddingStatements = 16;  // columns of evidence of a task that makes no statements

struct RelevanceShape {
  int64_t input_width = 0;  // of own columns (batch/own_columns.h)
  int64_t statements = 0;   // columns of evidence, of all tasks
  int64_t tasks = 0;
};

/// Columns of evidence of a task.
int64_t evidence_columns(const Output& output);
RelevanceShape relevance_shape(int64_t input_width, const std::vector<std::shared_ptr<Output>>& outputs);

/// What the detectors learn, but their gains. nodes: of a usual graph, whose evidence adds up to about 1/2 at first.
ParameterList detector_parameters(const RelevanceShape& shape, double nodes);
/// What is learned on top of their rows.
ParameterList ranker_parameters(const RelevanceShape& shape);
/// Both: the scorer, as model files have it.
ParameterList scorer_parameters(const RelevanceShape& shape);

/// The numbers of a parameter by its name, without "scorer."; never null.
template <class Scalar>
using FindParameter = std::function<const Scalar*(const std::string& name)>;

/// [nodes, tasks], row by row. batch: with own columns.
template <class Scalar>
std::vector<double> relevance_scores(const batch::Batch& batch, const RelevanceShape& shape,
                                     const FindParameter<Scalar>& find);

}  // namespace dotin::network
