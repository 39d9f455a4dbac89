// What a model is: the knobs of the method (docs/method.md), with the two presets that set them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/options.h"

namespace dotin::network {

/// The defaults are those of the preset `recommended`.
struct ModelOptions {
  std::string backbone = "gat";
  int64_t hidden = 64;        // D
  int64_t layers = 3;         // L
  int64_t attention_dim = 0;  // A; 0: max(16, D/8), -1: D
  double temperature = -1;    // tau; 0: sqrt(A), -1: A
  std::string drop = "dotin";
  std::string ranking = "attention";
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
  std::string readout = "auto";
  int64_t set2set_steps = 4;
  int64_t sort_k = 0;    // 0: from the training graphs
  int64_t clusters = 0;  // 0: from the training graphs
  double auxiliary_weight = 1;
  int64_t dense_limit = 2048;  // MiB
  int64_t dropgnn_runs = 8;
  double dropgnn_p = 0.1;

  void describe(core::OptionVisitor& visitor);

  /// A after its default is filled in.
  int64_t attention_width() const;
  double tau() const;
  /// The ratio of layer l (0-based). 0 for the last layer, unless the method acts after that one too: nothing but the
  /// virtual nodes is read there.
  double drop_ratio_of(int64_t layer) const;
  /// The read-out after its default is filled in.
  std::string readout_name() const;
  /// Whether each task has a virtual node of its own. The alternative is one embedding per graph.
  bool has_virtual_nodes() const { return readout_name() == "virtual"; }
  /// Whether nodes are dropped by a ranking that is learned before the model is (models/relevance.h).
  bool ranks_by_relevance() const { return drop == "dotin" && ranking == "relevance"; }
  /// Whether the fused engine runs (on the CPU); else the plain reference does.
  bool runs_fused() const;
  /// diffpool and mincut: clusters after layer l, down to one.
  int64_t clusters_of(int64_t layer) const;
  /// Puts values in the place of defaults that stand for one: attention_dim, temperature, readout, and what depends on
  /// the training graphs: sort_k, so that 60% of them have as many nodes; clusters, as many as the first drop leaves of
  /// the mean number of nodes.
  void fit(std::vector<int64_t> graph_sizes);
  /// The options that this combination of others does not use.
  std::vector<std::string> without_effect() const;
  /// Throws core::UsageError for values that make no sense.
  void validate() const;

 private:
  void validate_method() const;
};

}  // namespace dotin::network
