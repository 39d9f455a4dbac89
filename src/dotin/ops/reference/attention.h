// Attention, aggregation and attentiveness in plain torch: steps 3 and 4 of the method, and the oracle for the fused
// engine.
#pragma once

#include <ATen/core/Tensor.h>

#include "dotin/ops/reference/structure.h"

namespace dotin::ops::reference {

/// A Structure as tensors: one entry per edge.
struct EdgeTensors {
  at::Tensor row;       // [E] int64
  at::Tensor column;    // [E] int64
  at::Tensor weight;    // [E]
  at::Tensor graph_of;  // [rows] int64
  int64_t rows = 0;
  int64_t graphs = 0;
  int64_t tasks = 0;
  /// Above 0: every graph has this many rows and an edge for each pair of them, row by row. A weight of 0 is no edge.
  int64_t complete = 0;
  int64_t virtual_rows() const { return graphs * tasks; }
};

/// like: gives number type and device.
EdgeTensors edge_tensors(const Structure& structure, const at::Tensor& like);

/// [n] indices as a tensor on the device of like.
at::Tensor index_tensor(const std::vector<int64_t>& indices, const at::Tensor& like);

/// Softmax of values [E] over the entries that share a segment index; segments without entries give nothing.
at::Tensor segment_softmax(const at::Tensor& values, const at::Tensor& segment, int64_t segments);

/// Sum of values [E] or [E, D] over the entries that share a segment index; segments without entries give 0.
at::Tensor segment_sum(const at::Tensor& values, const at::Tensor& segment, int64_t segments);

/// S of step 3: softmax over each row's edges of w_ij (q_i . p_j) / tau, or with multiplicity of (q_i . p_j) / tau +
/// log w_ij.
at::Tensor attention(const at::Tensor& q, const at::Tensor& p, const EdgeTensors& edges, double tau,
                     EdgeWeights edge_weights);

/// H = C X for edge coefficients C [E] and rows X [rows, D], or a vector X [rows].
at::Tensor aggregate(const at::Tensor& coefficients, const at::Tensor& x, const EdgeTensors& edges);

/// Step 4 before the sum over tasks: (q_{g_k} . p_i) / tau for every row i, virtual ones included. [rows, K]
at::Tensor attentiveness_by_task(const at::Tensor& q, const at::Tensor& p, const EdgeTensors& edges, double tau);

/// The features of a batch written out: [nodes, F], dense columns first, then one-hot ones.
at::Tensor feature_rows(const batch::Batch& batch, int64_t width, const at::Tensor& like);

}  // namespace dotin::ops::reference
