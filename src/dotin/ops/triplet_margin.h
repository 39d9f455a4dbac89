// The loss of graph edit distance as one differentiable function. Float or double; on another device, its rows come to
// the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dotin::ops {

/// How embeddings are compared. scale has a factor for each anchor, or is empty.
struct TripletOptions {
  std::vector<double> scale;
  bool squared = false;
};

/// Of every anchor to its positive and to its negative.
struct TripletDistances {
  std::vector<double> positive, negative;
};

/// embeddings [3 n, D]: anchors, then positives, then negatives. Distance is scale times the Euclidean one, which is
/// taken as 1e-6 where it is less: graphs that cannot be edited differ from their copies by rounding, if at all, and
/// there is nothing to learn from that.
TripletDistances triplet_distances(const at::Tensor& embeddings, const TripletOptions& options);

/// Mean over anchors of max(0, positive - negative + margin).
at::Tensor triplet_margin(const at::Tensor& embeddings, const TripletOptions& options, double margin);

}  // namespace dotin::ops
