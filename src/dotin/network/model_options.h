// What a model is: the knobs of the method (docs/method.md), with the two presets that set them together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/options.h"
#include "dotin/network/words.h"
#include "dotin/options.h"

namespace dotin::network {

struct ModelOptions : dotin::ModelOptions {
  void describe(core::OptionVisitor& visitor);

  /// A after its default is filled in.
  int64_t attention_width() const;
  double tau() const;
  /// The ratio of layer l (0-based). 0 for the last layer, unless the method acts after that one too: nothing but the
  /// virtual nodes is read there.
  double drop_ratio_of(int64_t layer) const;
  /// The read-out after its default is filled in.
  Readout read() const;
  /// Whether each task has a virtual node of its own. The alternative is one embedding per graph.
  bool has_virtual_nodes() const { return read() == Readout::virtual_nodes; }
  /// Whether nodes are dropped by a ranking that is learned before the model is (models/relevance.h).
  bool ranks_by_relevance() const { return drop == Drop::dotin && ranking == Ranking::relevance; }
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
