// The pooling methods there are.
#pragma once

#include "dotin/drop/pool.h"
#include "dotin/ops/soft_clusters.h"

namespace dotin::drop {

/// Methods that let the nodes with the highest scores stay, with rows scaled by a gate of the score, which is what
/// gives the score a gradient. Edges between nodes that stay, stay.
class ScorePool : public Pool {
 public:
  explicit ScorePool(const PoolOptions& options) : hidden_(options.hidden) {}
  Pooled pool(const PoolInput& input) const override;

 protected:
  virtual at::Tensor scores(const PoolInput& input) const = 0;
  virtual at::Tensor gate(const at::Tensor& scores) const = 0;
  int64_t hidden_;
};

/// gPool (Gao and Ji 2019, equation 2): y = X p / |p|, the highest y stay, X' = X_idx * sigmoid(y_idx). Without their
/// second graph power.
class GPool : public ScorePool {
 public:
  using ScorePool::ScorePool;
  void add_parameters(layers::ParameterSet& parameters, int64_t layer) const override;

 protected:
  at::Tensor scores(const PoolInput& input) const override;
  at::Tensor gate(const at::Tensor& scores) const override;
};

/// SAGPool (Lee et al. 2019, equations 3 to 6): Z = tanh(D^-1/2 (A + I) D^-1/2 X theta), the highest Z stay, X' = X_idx
/// * Z_idx. The order is that of Z itself, whatever the sign of theta, and is taken before the tanh: where that is
/// flat, rounding would make ties of different nodes.
class SagPool : public ScorePool {
 public:
  using ScorePool::ScorePool;
  void add_parameters(layers::ParameterSet& parameters, int64_t layer) const override;

 protected:
  at::Tensor scores(const PoolInput& input) const override;
  at::Tensor gate(const at::Tensor& scores) const override;
};

/// Methods that give each node a share in each of C clusters, S = softmax(...) [n, C], the same C in every graph:
/// X' = S^T X, A' = S^T A S. Never an n x n matrix: S, A S and A' are what there is of dense numbers. A graph that
/// would take more than the limit is refused with the figure.
class ClusterPool : public Pool {
 public:
  explicit ClusterPool(PoolOptions options) : options_(std::move(options)) {}
  void add_parameters(layers::ParameterSet& parameters, int64_t layer) const override;
  Pooled pool(const PoolInput& input) const override;

 protected:
  struct Clustered {
    at::Tensor adjacency;  // A' [graphs, C, C]
    at::Tensor loss;       // [graphs]; finite where a graph has no nodes
  };
  /// [nodes, C], before the softmax.
  virtual at::Tensor logits(const PoolInput& input) const = 0;
  /// The A of A' = S^T A S.
  virtual ops::Mixing mixing() const = 0;
  virtual Clustered cluster(const PoolLevel& level, const ops::SoftClusters& clusters) const = 0;

  PoolOptions options_;
};

/// DiffPool (Ying et al. 2018, equations 3 to 6): S by a GNN of its own, here a GCN layer on the layer's input; losses
/// |A - S S^T|_F, divided by n so that it does not grow with the graph, and the mean entropy of the rows of S.
class DiffPool : public ClusterPool {
 public:
  using ClusterPool::ClusterPool;

 protected:
  at::Tensor logits(const PoolInput& input) const override;
  ops::Mixing mixing() const override;
  Clustered cluster(const PoolLevel& level, const ops::SoftClusters& clusters) const override;
};

/// MinCutPool (Bianchi et al. 2020, equations 4, 5, 7 and 8): S by a linear map of the layer's output; losses
/// -tr(S^T A S) / tr(S^T D S) with A normalised, and |S^T S / |S^T S|_F - I / sqrt(C)|_F; A' loses its diagonal and is
/// normalised.
class MinCut : public ClusterPool {
 public:
  using ClusterPool::ClusterPool;

 protected:
  at::Tensor logits(const PoolInput& input) const override;
  ops::Mixing mixing() const override;
  Clustered cluster(const PoolLevel& level, const ops::SoftClusters& clusters) const override;
};

/// Bytes that clustering a graph takes, about, forward and backward. edges: nodes^2 where all pairs are edges.
int64_t cluster_bytes(int64_t nodes, int64_t edges, int64_t clusters, int64_t scalar_bytes);

/// core::Error with the figure where a graph would take more than the limit.
void check_cluster_bytes(int64_t nodes, int64_t edges, int64_t clusters, int64_t scalar_bytes, int64_t limit);

/// LaPool (Noutahi et al. 2019): v_i = |sum_j A_ij (x_i - x_j)|; the nodes whose v is above that of all their
/// neighbours (ties by node order) lead. A leader belongs to its own cluster, another node to those of the leaders c in
/// its component by sparsemax of cos(x_i, x_c) / d(i, c), d the number of steps between them. X' = ELU(S^T X theta +
/// b), A' = S^T A S.
class LaPool : public Pool {
 public:
  explicit LaPool(const PoolOptions& options) : hidden_(options.hidden), limit_(options.dense_limit) {}
  void add_parameters(layers::ParameterSet& parameters, int64_t layer) const override;
  Pooled pool(const PoolInput& input) const override;

 private:
  int64_t hidden_;
  int64_t limit_;  // bytes that the shares of all nodes in all leaders may take
};

/// Projection of each row onto the probability simplex (Martins and Astudillo 2016). -infinity: share 0.
at::Tensor sparsemax(const at::Tensor& rows);

/// Any nodes leave.
class RandomPool : public Pool {
 public:
  explicit RandomPool(const PoolOptions&) {}
  Pooled pool(const PoolInput& input) const override;
};

/// Nothing leaves.
class NoPool : public Pool {
 public:
  explicit NoPool(const PoolOptions&) {}
  Pooled pool(const PoolInput& input) const override;
};

}  // namespace dotin::drop
