// The backbones there are.
#pragma once

#include "dotin/layers/backbone.h"

namespace dotin::layers {

/// Attention as the paper writes it: S = softmax over neighbours of (x W1)(x W2)^T / tau.
class Gat : public Backbone {
 public:
  using Backbone::Backbone;
  at::Tensor coefficients(const LayerInput& input, const LayerParameters& parameters) const override;
};

/// D^-1/2 A D^-1/2 with the current weighted A, normalised again in every layer because dropping changes it.
class Gcn : public Backbone {
 public:
  using Backbone::Backbone;
  at::Tensor coefficients(const LayerInput& input, const LayerParameters& parameters) const override;
};

/// (1 + eps) x_i + sum_j w_ij x_j through a two-layer perceptron (Xu et al. 2019). Edges of virtual nodes, whose
/// neighbours are the whole graph, are scaled as in gcn.
class Gin : public Backbone {
 public:
  using Backbone::Backbone;
  at::Tensor coefficients(const LayerInput& input, const LayerParameters& parameters) const override;
  at::Tensor transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const override;
};

/// Weighted mean of the neighbours, with a linear map of its own for the node itself (Hamilton et al. 2017). Edges of
/// virtual nodes are scaled as in gcn, which for their own rows takes the place of the mean.
class Sage : public Backbone {
 public:
  using Backbone::Backbone;
  at::Tensor coefficients(const LayerInput& input, const LayerParameters& parameters) const override;
  at::Tensor transform(const at::Tensor& h, const at::Tensor& x, const LayerParameters& parameters) const override;
};

}  // namespace dotin::layers
