// Sums over the neighbours and over the graphs of a level, on the engine that it is of.
#pragma once

#include <ATen/core/Tensor.h>

#include "dotin/drop/pool.h"
#include "dotin/ops/mix.h"

namespace dotin::drop {

/// The matrix, of the level's weights where it has any, times x [nodes, D] or [nodes].
at::Tensor mixed(const PoolLevel& level, ops::Mixing mixing, const at::Tensor& x);

/// [edges]: the weights of that matrix, of a level whose edges are tensors.
at::Tensor mixing_weights(const PoolLevel& level, ops::Mixing mixing);

/// [graphs]: the sum of values [nodes] over each graph.
at::Tensor graph_sums(const PoolLevel& level, const at::Tensor& values);

/// [graphs, A, B]: a_g^T b_g for rows a [nodes, A] and b [nodes, B].
at::Tensor graph_products(const PoolLevel& level, const at::Tensor& a, const at::Tensor& b);

/// [nodes, B]: a_g maps_g for rows a [nodes, A] and maps [graphs, A, B].
at::Tensor graph_maps(const PoolLevel& level, const at::Tensor& a, const at::Tensor& maps);

/// [graphs]: nodes of each.
at::Tensor graph_sizes(const PoolLevel& level);

/// [graphs]: the sum of the squares of A.
at::Tensor squared_adjacency(const PoolLevel& level);

}  // namespace dotin::drop
