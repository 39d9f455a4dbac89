#include "dotin/drop/level_sums.h"

#include <ATen/ATen.h>

#include "dotin/layers/normalise.h"
#include "dotin/ops/segment_products.h"
#include "dotin/ops/segments.h"

namespace dotin::drop {

namespace ref = ops::reference;

at::Tensor mixed(const PoolLevel& level, ops::Mixing mixing, const at::Tensor& x) {
  if (level.sparse != nullptr) return ops::mix(mixing, level.sparse, x);
  return ref::aggregate(mixing_weights(level, mixing), x, level.edges);
}

at::Tensor mixing_weights(const PoolLevel& level, ops::Mixing mixing) {
  const bool loops = mixing == ops::Mixing::normalised_with_loops;
  const at::Tensor weights = loops ? level.edges.weight : adjacency_weights(level.edges);
  return mixing == ops::Mixing::adjacency ? weights : layers::normalised_weights(weights, level.edges);
}

at::Tensor graph_sums(const PoolLevel& level, const at::Tensor& values) {
  if (level.fused) return ops::segment_sums(values.unsqueeze(1), level.offsets).squeeze(1);
  return ref::segment_sum(values, level.edges.graph_of, level.graphs());
}

at::Tensor graph_products(const PoolLevel& level, const at::Tensor& a, const at::Tensor& b) {
  if (level.fused) return ops::segment_products(a, b, level.offsets);
  std::vector<at::Tensor> products;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const int64_t first = level.offsets[g], nodes = level.offsets[g + 1] - first;
    products.push_back(a.narrow(0, first, nodes).t().mm(b.narrow(0, first, nodes)));
  }
  return at::stack(products);
}

at::Tensor graph_maps(const PoolLevel& level, const at::Tensor& a, const at::Tensor& maps) {
  if (level.fused) return ops::segment_maps(a, maps, level.offsets);
  std::vector<at::Tensor> rows;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    rows.push_back(a.narrow(0, level.offsets[g], level.offsets[g + 1] - level.offsets[g]).mm(maps[g]));
  }
  return at::cat(rows);
}

at::Tensor graph_sizes(const PoolLevel& level) {
  std::vector<double> sizes;
  for (int64_t g = 0; g < level.graphs(); ++g) {
    sizes.push_back(static_cast<double>(level.offsets[g + 1] - level.offsets[g]));
  }
  return at::tensor(sizes, at::kDouble).to(level.x.options());
}

at::Tensor squared_adjacency(const PoolLevel& level) {
  if (level.sparse == nullptr) {
    const at::Tensor squares = adjacency_weights(level.edges).square();
    if (level.edges.complete > 0) return squares.view({level.graphs(), -1}).sum(1);
    return graph_sums(level, ref::segment_sum(squares, level.edges.row, level.edges.rows));
  }
  std::vector<double> edges;  // of weight 1
  for (int64_t g = 0; g < level.graphs(); ++g) {
    const kernels::Level& sparse = *level.sparse;
    edges.push_back(sparse.row_offsets[level.offsets[g + 1]] - sparse.row_offsets[level.offsets[g]]);
  }
  return at::tensor(edges, at::kDouble).to(level.x.scalar_type());
}

}  // namespace dotin::drop
