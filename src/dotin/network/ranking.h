// Which nodes every layer keeps, known before the first one runs: from one score per node and task.
#pragma once

#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/model_options.h"
#include "dotin/network/trace.h"

namespace dotin::network {

/// scores: [nodes, tasks], row by row; their mean over the tasks decides. Layer l keeps the best of what is left, by
/// the rule of kernels/select.h, so that the sets are nested. A merged node has the scores of the best node that it
/// holds: none that stays is below it. drop_factor multiplies every drop ratio. The traces have offsets, scores and
/// `keep`; what became of the nodes is up to the engine.
std::vector<LayerTrace> choices_by_rank(const std::vector<double>& scores, int64_t tasks, const batch::Batch& batch,
                                        const ModelOptions& options, double drop_factor);

}  // namespace dotin::network
