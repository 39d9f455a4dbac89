// Nodes shared out among clusters, as many in every graph, as one differentiable function over kernels and BLAS: what
// diffpool and mincut compute. CPU, float or double.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "dotin/ops/mix.h"

namespace dotin::ops {

struct SoftClusters {
  at::Tensor share;      // [nodes, C]: S, the softmax of each node's logits
  at::Tensor entropy;    // [nodes]: -sum_c S_c log S_c
  at::Tensor x;          // [graphs, C, D]: S^T X of each graph
  at::Tensor adjacency;  // [graphs, C, C]: S^T M S
  at::Tensor overlap;    // [graphs, C, C]: S^T S
};

/// M: a symmetric matrix of each graph. Either that of the edges of a level without weights, or, where every graph has
/// the same n nodes, one that is written out.
struct GraphMatrices {
  Mixing mixing = Mixing::adjacency;
  std::shared_ptr<const kernels::Level> level;
  at::Tensor dense;  // [graphs, n, n] where there is no level; may have a gradient
};

/// logits [nodes, C] and x [nodes, D], of which graph g has the rows [offsets[g], offsets[g + 1]). A graph without
/// nodes has 0 in its matrices.
SoftClusters soft_clusters(const at::Tensor& logits, const at::Tensor& x, const GraphMatrices& matrices,
                           const std::vector<int64_t>& offsets);

}  // namespace dotin::ops
