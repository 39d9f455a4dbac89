// Rows of a batch, reduced graph by graph. Graphs without nodes give 0.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/drop/pool.h"

namespace dotin::readout {

at::Tensor sum_rows(const drop::PoolLevel& level);
at::Tensor mean_rows(const drop::PoolLevel& level);
at::Tensor max_rows(const drop::PoolLevel& level);

/// The rows of all layers side by side: [nodes, layers D]. All layers must have the same nodes.
at::Tensor side_by_side(const std::vector<drop::PoolLevel>& layers);

}  // namespace dotin::readout
