// How much memory a model and one batch of it take, before anything is allocated.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/network/head.h"
#include "dotin/network/model_options.h"

namespace dotin::network {

/// About how many numbers a model learns.
int64_t predicted_parameters(const ModelOptions& options, int64_t input_width, const std::vector<Head>& heads);

/// About how many numbers one batch of this size takes, with its gradients.
int64_t predicted_activations(const ModelOptions& options, int64_t tasks, int64_t batch_nodes,
                              int64_t batch_directed_edges);

}  // namespace dotin::network
