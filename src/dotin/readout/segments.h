// Rows of a batch, reduced graph by graph. Graphs without nodes give 0.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "dotin/drop/pool.h"

namespace dotin::readout {

at::Tensor sum_rows(const drop::PoolLevel& level);
at::Tensor mean_rows(const drop::PoolLevel& level);
at::Tensor max_rows(const drop::PoolLevel& level);
at::Tensor mean_max_rows(const drop::PoolLevel& level);  // side by side

/// Per graph the sum of a_i x_i, a the softmax over its nodes of x_i . q, q its row of queries [graphs, D].
at::Tensor attended_rows(const drop::PoolLevel& level, const at::Tensor& queries);

/// The rows of all layers side by side: [nodes, layers D]. All layers must have the same nodes.
at::Tensor side_by_side(const std::vector<drop::PoolLevel>& layers);

}  // namespace dotin::readout
