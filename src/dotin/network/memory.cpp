#include "dotin/network/memory.h"

#include "dotin/network/drop_methods.h"
#include "dotin/network/parameters.h"

namespace dotin::network {

namespace {

/// Numbers that the pooling method and the read-out learn.
int64_t method_parameters(const ModelOptions& options) {
  const int64_t d = options.hidden, l = options.layers;
  int64_t numbers = l * d;  // scores
  if (about(options.drop).has(DropTrait::clusters)) numbers += l * options.clusters * (d + 1);
  if (options.drop == Drop::lapool) numbers += l * d * (d + 1);
  if (options.read() == dotin::Readout::set2set) numbers += 12 * d * d + 4 * d;
  if (options.read() == dotin::Readout::sortpool) numbers += 16 * l * d + 16 * options.sort_k * d;
  return numbers;
}

}  // namespace

int64_t predicted_parameters(const ModelOptions& options, int64_t input_width, const std::vector<Head>& heads) {
  int64_t numbers = 0;
  for (const ParameterAbout& about : parameters(options, input_width, heads)) numbers += about.elements();
  if (!options.has_virtual_nodes()) numbers += method_parameters(options);
  return numbers;
}

int64_t predicted_activations(const ModelOptions& options, int64_t tasks, int64_t batch_nodes,
                              int64_t batch_directed_edges) {
  const int64_t d = options.hidden, a = options.attention_width(), l = options.layers;
  int64_t edges = batch_directed_edges + batch_nodes * (1 + 2 * tasks);
  int64_t clustered = 0;
  int64_t runs = 1;
  bool fused = options.runs_fused();
  if (!options.has_virtual_nodes()) {
    edges = batch_directed_edges + batch_nodes;
    if (about(options.drop).has(DropTrait::clusters)) {
      clustered = 8 * (l - 1) * batch_nodes * options.clusters;
      fused = false;
    }
    if (options.drop == Drop::lapool) fused = false;  // from its first clusters on, edges have weights with a gradient
    if (options.drop == Drop::dropgnn) runs = options.dropgnn_runs;
  }
  // The fused engine keeps a few numbers an edge, the reference a gathered row with its gradient.
  constexpr int64_t kFusedNumbers = 8;
  const int64_t per_edge = fused ? kFusedNumbers : 2 * (d + a);
  // Per layer the edges and about six row matrices.
  return clustered + runs * l * (per_edge * edges + 6 * batch_nodes * d);
}

}  // namespace dotin::network
