#include "dotin/ops/reference/attention.h"

#include <algorithm>
#include <limits>

#include "dotin/core/error.h"

namespace dotin::ops::reference {

at::Tensor index_tensor(const std::vector<int64_t>& indices, const at::Tensor& like) {
  return at::tensor(indices, at::kLong).to(like.device());
}

EdgeTensors edge_tensors(const Structure& structure, const at::Tensor& like) {
  std::vector<int64_t> row;
  row.reserve(structure.columns.size());
  for (int64_t r = 0; r < structure.rows(); ++r) {
    row.insert(row.end(), static_cast<std::size_t>(structure.row_offsets[r + 1] - structure.row_offsets[r]), r);
  }
  EdgeTensors edges;
  edges.row = index_tensor(row, like);
  edges.column = index_tensor(structure.columns, like);
  edges.weight = at::tensor(structure.weights, at::kDouble).to(like.options());
  edges.graph_of = index_tensor(structure.graph_of_row(), like);
  edges.rows = structure.rows();
  edges.graphs = structure.graphs;
  edges.tasks = structure.tasks;
  return edges;
}

at::Tensor segment_sum(const at::Tensor& values, const at::Tensor& segment, int64_t segments) {
  std::vector<int64_t> shape = values.sizes().vec();
  shape[0] = segments;
  return at::zeros(shape, values.options()).index_add(0, segment, values);
}

namespace {

/// Largest value of each segment, without gradient. A loop, because libtorch's scatter_reduce prints a warning.
at::Tensor segment_max(const at::Tensor& values, const at::Tensor& segment, int64_t segments) {
  const at::Tensor numbers = values.detach().to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor owners = segment.to(at::kCPU).contiguous();
  std::vector<double> largest(static_cast<std::size_t>(segments), -std::numeric_limits<double>::infinity());
  const double* const number = numbers.data_ptr<double>();
  const int64_t* const owner = owners.data_ptr<int64_t>();
  for (int64_t e = 0; e < numbers.size(0); ++e) largest[owner[e]] = std::max(largest[owner[e]], number[e]);
  return at::tensor(largest, at::kDouble).to(values.options());
}

}  // namespace

at::Tensor segment_softmax(const at::Tensor& values, const at::Tensor& segment, int64_t segments) {
  // The largest value is subtracted for range only, so it takes no part in the gradient.
  const at::Tensor exponentials = (values - segment_max(values, segment, segments).index_select(0, segment)).exp();
  return exponentials / segment_sum(exponentials, segment, segments).index_select(0, segment);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& p, const EdgeTensors& edges, double tau,
                     EdgeWeights edge_weights) {
  at::Tensor logits;
  if (edges.complete > 0) {
    const std::vector<int64_t> shape = {edges.graphs, edges.complete, q.size(1)};
    logits = q.view(shape).bmm(p.view(shape).transpose(1, 2)).flatten() / tau;
  } else {
    logits = (q.index_select(0, edges.row) * p.index_select(0, edges.column)).sum(1) / tau;
  }
  // The bound stands for "no edge" where all pairs are listed: log 0 would have no gradient.
  constexpr double kNoEdge = 1e-12;
  logits = edge_weights == EdgeWeights::multiplicity ? logits + edges.weight.clamp_min(kNoEdge).log()
                                                     : logits * edges.weight;
  if (edges.complete > 0) return logits.view({edges.rows, edges.complete}).softmax(1).flatten();
  return segment_softmax(logits, edges.row, edges.rows);
}

at::Tensor aggregate(const at::Tensor& coefficients, const at::Tensor& x, const EdgeTensors& edges) {
  if (edges.complete > 0) {
    const int64_t c = edges.complete;
    return coefficients.view({edges.graphs, c, c}).bmm(x.reshape({edges.graphs, c, -1})).view(x.sizes());
  }
  const at::Tensor gathered = x.index_select(0, edges.column);
  return segment_sum(x.dim() == 1 ? coefficients * gathered : coefficients.unsqueeze(1) * gathered, edges.row,
                     edges.rows);
}

at::Tensor attentiveness_by_task(const at::Tensor& q, const at::Tensor& p, const EdgeTensors& edges, double tau) {
  const at::Tensor virtual_q = q.narrow(0, 0, edges.virtual_rows()).view({edges.graphs, edges.tasks, q.size(1)});
  return (virtual_q.index_select(0, edges.graph_of) * p.unsqueeze(1)).sum(2) / tau;
}

at::Tensor feature_rows(const batch::Batch& batch, int64_t width, const at::Tensor& like) {
  DOTIN_ASSERT(batch.dense_width <= width);
  const int64_t nodes = batch.nodes();
  at::Tensor rows = at::zeros({nodes, width}, at::kFloat);
  float* const out = rows.data_ptr<float>();
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t c = 0; c < batch.dense_width; ++c) out[i * width + c] = batch.dense[i * batch.dense_width + c];
    for (int64_t b = 0; b < batch.codes_per_node; ++b) {
      const int32_t column = batch.codes[i * batch.codes_per_node + b];
      DOTIN_ASSERT(column < width);
      if (column >= 0) out[i * width + column] = 1;
    }
  }
  return rows.to(like.options());
}

}  // namespace dotin::ops::reference
