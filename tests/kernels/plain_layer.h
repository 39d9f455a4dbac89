// One layer as docs/method.md says it, in plain loops over dense matrices with a row for every node: what the kernels
// are compared with. Virtual nodes come first, K for each graph, then raw ones.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/kernels/fused_layer.h"
#include "kernels/gradient_check.h"

namespace dotin::testing {

struct DenseMatrix {
  DenseMatrix(int64_t r, int64_t c) : rows(r), columns(c), values(static_cast<std::size_t>(r * c)) {}
  DenseMatrix(int64_t r, int64_t c, const double* from) : rows(r), columns(c), values(from, from + r * c) {}

  double operator()(int64_t row, int64_t column) const { return values[row * columns + column]; }
  double& operator()(int64_t row, int64_t column) { return values[row * columns + column]; }

  int64_t rows, columns;
  Numbers values;
};

/// a b^T
DenseMatrix times_transposed(const DenseMatrix& a, const DenseMatrix& b);
DenseMatrix times(const DenseMatrix& a, const DenseMatrix& b);

/// The weight of every entry, virtual nodes and self-loops included; 0 where there is no edge.
DenseMatrix dense_weights(const kernels::Level& level, int64_t tasks);

class PlainLayer {
 public:
  PlainLayer(const kernels::LayerSettings& settings, const kernels::LayerWeights<double>& weights,
             const kernels::LayerRows<double>& rows, const kernels::Level& level);

  /// Rows that leave: virtual ones, then those of the nodes that stay and, last in each graph that drops some, the one
  /// that stands for these.
  DenseMatrix next(const std::vector<uint8_t>& keep, const kernels::Dropout& dropout) const;

  int64_t virtual_rows() const { return level_.graphs() * settings_.tasks; }

  DenseMatrix x;       // what enters
  DenseMatrix c;       // coefficients: H = C X
  DenseMatrix own;     // [rows, K]: each task's attentiveness, before smoothing
  DenseMatrix scores;  // [rows, K]: the same after it
  Numbers logits;      // per raw node: the sum over tasks
  Numbers row_gate;    // per row: what its output is multiplied by if the row stays

 private:
  /// Rows that enter and how much of each is in one that leaves.
  using Mixture = std::vector<std::pair<int64_t, double>>;

  void attend(const DenseMatrix& weight);
  void normalise(const DenseMatrix& weight);
  void gate_tasks();
  void score();
  Mixture merged(int64_t graph, const std::vector<uint8_t>& keep) const;
  Numbers map(const Numbers& h, const Numbers& input) const;

  const kernels::LayerSettings& settings_;
  const kernels::LayerWeights<double>& weights_;
  const kernels::LayerRows<double>& rows_;
  const kernels::Level& level_;
};

}  // namespace dotin::testing
