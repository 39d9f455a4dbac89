// A backbone: how rows are aggregated over edges, H = C X, and what is done with H. One file each; what else there is
// to know of one is in network/backbones.h.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "dotin/layers/parameters.h"
#include "dotin/ops/reference/attention.h"
#include "dotin/options.h"

namespace dotin::layers {

struct BackboneOptions {
  int64_t hidden = 64;
  int64_t tasks = 1;
  double tau = 1;
  ops::reference::EdgeWeights edge_weights = ops::reference::EdgeWeights::multiplicity;
  bool task_gates = true;
};

/// What coefficients may depend on: the layer's rows, their queries and keys, the edges.
struct LayerInput {
  const at::Tensor& x;
  const at::Tensor& q;
  const at::Tensor& p;
  const ops::reference::EdgeTensors& edges;
};

class Backbone {
 public:
  explicit Backbone(BackboneOptions options) : options_(options) {}
  virtual ~Backbone() = default;

  /// C: one coefficient per edge. Rows of C need not sum to 1.
  virtual at::Tensor coefficients(const LayerInput& input, const LayerParameters& parameters) const = 0;

  /// The linear map on the rows that are left: h aggregated, x the layer's input of the same rows. By default h theta +
  /// b.
  virtual at::Tensor transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const;

 protected:
  /// Coefficients with those of edges raw -> virtual scaled by each task's own gate 2 sigmoid(x_j . u_k), where there
  /// are gates.
  at::Tensor with_task_gates(const at::Tensor& coefficients, const LayerInput& input,
                             const LayerParameters& parameters) const;

  BackboneOptions options_;
};

std::unique_ptr<Backbone> make_backbone(dotin::Backbone name, const BackboneOptions& options);

/// Adds <prefix>.weight [out, in] and <prefix>.bias [out] as torch's Linear initialises them.
void add_linear(ParameterSet& parameters, const std::string& prefix, int64_t out, int64_t in);

}  // namespace dotin::layers
