// What is read at the end where there are no virtual nodes: from the rows of all nodes to one embedding per graph,
// which every task's head maps. (With virtual nodes task k reads the row of its own, and nothing is left to do.) One
// file each; registered in readout.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/drop/pool.h"
#include "dotin/options.h"

namespace dotin::readout {

struct ReadoutOptions {
  int64_t hidden = 64;
  int64_t layers = 3;
  int64_t steps = 4;      // of set2set
  int64_t sort_k = 10;    // nodes that sortpool reads, at least 10
  double drop_ratio = 0;  // of sagpool
};

class Readout {
 public:
  explicit Readout(ReadoutOptions options) : options_(options) {}
  virtual ~Readout() = default;

  /// Numbers in an embedding.
  virtual int64_t width() const { return options_.hidden; }
  virtual void add_parameters(layers::ParameterSet&) const {}

  /// layers: the graphs after each layer (and what its pooling left), from the first to the last. [graphs, width]. A
  /// graph without nodes reads as if its rows were 0.
  virtual at::Tensor read(const std::vector<drop::PoolLevel>& layers, const layers::ParameterSet& parameters) const = 0;

 protected:
  ReadoutOptions options_;
};

std::unique_ptr<Readout> make_readout(dotin::Readout name, const ReadoutOptions& options);

}  // namespace dotin::readout
