// The scores by which nodes are ranked (docs/method.md, "Ranking by relevance"), on plain arrays: what
// models/relevance.h learns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dotin/batch/batch.h"

namespace dotin::network {

/// Sizes of the scorer, which the reference in models/relevance.h shares.
inline constexpr int64_t kScorerHidden = 16;
inline constexpr int64_t kScorerLayers = 3;

/// The numbers of a parameter by its name, without "scorer."; never null.
template <class Scalar>
using FindParameter = std::function<const Scalar*(const std::string& name)>;

/// [nodes, tasks], row by row. batch: with own columns (batch/part.h), input_width of them.
template <class Scalar>
std::vector<double> relevance_scores(const batch::Batch& batch, int64_t input_width, int64_t tasks,
                                     const FindParameter<Scalar>& find);

}  // namespace dotin::network
