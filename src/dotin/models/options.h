// What a model is: the knobs of the method (docs/method.md), with the two presets that set them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/options.h"

namespace dotin::models {

/// The defaults are those of the preset `recommended`.
struct ModelOptions {
  std::string backbone = "gat";
  int64_t hidden = 64;        // D
  int64_t layers = 3;         // L
  int64_t attention_dim = 0;  // A; 0: max(16, D/8), -1: D
  double temperature = 0;     // tau; 0: sqrt(A)
  std::string drop = "dotin";
  std::vector<double> drop_ratio = {0.5};  // one for all layers, or one per layer
  bool merge = true;
  std::string attentiveness = "both";
  bool residual = true;
  std::string norm = "layer";
  bool gate = true;
  std::string edge_weights = "multiplicity";
  std::string merge_weights = "logits";
  double dropout = 0;
  bool task_gates = true;  // backbones with fixed edge weights, several tasks
  std::string precision = "float";
  std::string engine = "fused";

  void describe(core::OptionVisitor& visitor);

  /// A after its default is filled in.
  int64_t attention_width() const;
  double tau() const;
  /// The ratio of layer l (0-based); 0 for the last layer, after which nothing is read but the virtual nodes.
  double drop_ratio_of(int64_t layer) const;
  /// Throws core::UsageError for values that make no sense.
  void validate() const;
};

}  // namespace dotin::models
