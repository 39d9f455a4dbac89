// The read-outs there are.
#pragma once

#include "dotin/readout/readout.h"

namespace dotin::readout {

/// Mean, sum or largest value of each column over the nodes of the last layer.
class Mean : public Readout {
 public:
  using Readout::Readout;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

class Sum : public Readout {
 public:
  using Readout::Readout;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

class Max : public Readout {
 public:
  using Readout::Readout;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

/// mean || max after every layer, summed over the layers (Cangea et al. 2018; Lee et al. 2019, equation 7).
class MeanMax : public Readout {
 public:
  using Readout::Readout;
  int64_t width() const override { return 2 * options_.hidden; }
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

/// Set2Set (Vinyals et al. 2016, equations 3 to 7): in each of `steps` steps q = LSTM(q*), a = softmax over the nodes
/// of x_i . q, r = sum a_i x_i, q* = q || r.
class Set2Set : public Readout {
 public:
  using Readout::Readout;
  int64_t width() const override { return 2 * options_.hidden; }
  void add_parameters(layers::ParameterSet& parameters) const override;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

/// SortPool (Zhang et al. 2018, DGCNN): the rows of all layers side by side, sorted by the last channel (ties by the
/// one before, and so on), the first k of them or filled up with 0; then 16 filters over one node each, a maximum over
/// pairs, 32 filters over five, and a dense layer.
class SortReadout : public Readout {
 public:
  using Readout::Readout;
  void add_parameters(layers::ParameterSet& parameters) const override;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

/// SAGPool, global (Lee et al. 2019, figure 2 left): the rows of all layers side by side, pooled once by the score of a
/// GCN layer, then mean || max.
class SagReadout : public Readout {
 public:
  using Readout::Readout;
  int64_t width() const override { return 2 * options_.hidden * options_.layers; }
  void add_parameters(layers::ParameterSet& parameters) const override;
  at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const override;
};

}  // namespace dotin::readout
