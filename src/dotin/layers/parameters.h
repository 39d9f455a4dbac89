// Named tensors that are learned. The names are those of the model file (docs/formats.md).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "dotin/network/parameters.h"

namespace dotin::layers {

class ParameterSet {
 public:
  /// type: at::kFloat or at::kDouble.
  ParameterSet(uint64_t seed, at::ScalarType type) : seed_(seed), type_(type) {}

  /// Where get() gives its tensors. The parameters themselves stay on the CPU, with their gradients: optimiser,
  /// checkpoints and model files know nothing of devices. A step copies them over and their gradients back.
  void use_device(at::Device device) { device_ = device; }
  at::Device device() const { return device_; }

  void add(const network::ParameterList& list);
  /// Each adds a tensor that requires a gradient. What is drawn depends on (seed, name) alone, not on the order of
  /// adding.
  void add_uniform(const std::string& name, std::vector<int64_t> shape, double bound);
  void add_normal(const std::string& name, std::vector<int64_t> shape, double deviation);
  void add_constant(const std::string& name, std::vector<int64_t> shape, double value);

  bool has(const std::string& name) const;
  /// The parameter, or a differentiable copy of it on the device in use.
  at::Tensor get(const std::string& name) const;
  const std::vector<std::pair<std::string, at::Tensor>>& all() const { return entries_; }
  int64_t count() const;  // numbers in all tensors
  at::ScalarType type() const { return type_; }

  /// Sets all gradients to 0. They are parts of one block, so that this is one pass over memory.
  void zero_gradients();

 private:
  void add_values(const std::string& name, const std::vector<int64_t>& shape, const std::vector<double>& values);

  uint64_t seed_;
  at::ScalarType type_;
  at::Device device_ = at::kCPU;
  std::vector<std::pair<std::string, at::Tensor>> entries_;
  at::Tensor gradients_;  // made when first needed: prediction has none
};

/// The parameters of one layer: get("query.weight") is layers.<l>.query.weight.
class LayerParameters {
 public:
  LayerParameters(const ParameterSet& all, int64_t layer)
      : all_(all), prefix_("layers." + std::to_string(layer) + ".") {}
  at::Tensor get(const std::string& name) const { return all_.get(prefix_ + name); }
  bool has(const std::string& name) const { return all_.has(prefix_ + name); }

 private:
  const ParameterSet& all_;
  std::string prefix_;
};

}  // namespace dotin::layers
