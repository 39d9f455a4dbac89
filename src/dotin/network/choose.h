// Which raw nodes of each graph stay, by score or by chance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/batch/batch.h"
#include "dotin/network/model_options.h"
#include "dotin/network/trace.h"

namespace dotin::network {

/// 1 for the nodes that stay: of each graph the kernels::drop_count(n, drop_ratio) with the lowest scores leave.
std::vector<uint8_t> keep_highest(const std::vector<double>& scores, const std::vector<int64_t>& offsets,
                                  double drop_ratio);

/// Scores with noise of mean 0, whose standard deviation is `spread` times that of the graph's scores: nodes that score
/// too low to stay do so now and then, and what they are worth can be learned. One key per graph.
std::vector<double> with_noise(std::vector<double> scores, const std::vector<int64_t>& offsets, double spread,
                               const std::vector<uint64_t>& graph_keys);

/// The same number of nodes, each as likely to leave as the other. One key per graph: a graph's fate does not depend on
/// its batch.
std::vector<uint8_t> keep_any(const std::vector<int64_t>& offsets, double drop_ratio,
                              const std::vector<uint64_t>& graph_keys);

/// Each node leaves with this probability, independently of the others; what would leave a graph empty is drawn again.
std::vector<uint8_t> keep_by_chance(const std::vector<int64_t>& offsets, double probability,
                                    const std::vector<uint64_t>& graph_keys);

/// One key per graph, for what is random in a layer: a graph's fate does not depend on its batch.
std::vector<uint64_t> graph_keys(const batch::Batch& batch, uint64_t random_key, int64_t layer);

/// What the methods that read virtual nodes look at when they choose.
struct ChoiceInput {
  std::vector<double> scores;  // attentiveness logit of every raw node
  const std::vector<int64_t>& offsets;
  double drop_ratio;
  const std::vector<uint64_t>& graph_keys;
  double exploration = 0;  // noise on the scores, see with_noise
};

/// 1 for every raw node that stays. Of a graph's n nodes exactly kernels::drop_count(n, drop_ratio) leave, or none
/// where the method drops none. core::UsageError for a method that does not choose this way.
std::vector<uint8_t> choose_nodes(Drop drop, ChoiceInput input);

/// What of a pass decides which nodes stay, besides their scores.
struct PassChoice {
  double drop_factor = 1;   // of the warm-up: multiplies every drop ratio
  double exploration = 0;   // noise on the scores that choose nodes
  uint64_t random_key = 0;  // of what is random in the choice; differs from step to step
  /// Where set, layer l keeps the raw nodes that it kept in this trace of the same batch instead of choosing.
  const std::vector<LayerTrace>* repeat = nullptr;
};

/// Chooses the nodes that stay in one pass over a batch: the same for every engine.
class Chooser {
 public:
  Chooser(const ModelOptions& options, const batch::Batch& batch, const PassChoice& pass)
      : options_(options), batch_(batch), pass_(pass) {}

  /// graphs: the numbers in the batch of those that are chosen from. scores, offsets: of their raw nodes.
  std::vector<uint8_t> choose(int64_t layer, const std::vector<int32_t>& graphs, std::vector<double> scores,
                              const std::vector<int64_t>& offsets) const;

 private:
  const ModelOptions& options_;
  const batch::Batch& batch_;
  PassChoice pass_;
};

}  // namespace dotin::network
