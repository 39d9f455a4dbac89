// Which raw nodes of each graph stay, by score or by chance.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dotin::drop {

/// 1 for the nodes that stay: of each graph the kernels::drop_count(n, drop_ratio) with the lowest scores leave.
std::vector<uint8_t> keep_highest(const at::Tensor& scores, const std::vector<int64_t>& offsets, double drop_ratio);

/// Scores with noise of mean 0, whose standard deviation is `spread` times that of the graph's scores: nodes that score
/// too low to stay do so now and then, and what they are worth can be learned. One key per graph.
at::Tensor with_noise(const at::Tensor& scores, const std::vector<int64_t>& offsets, double spread,
                      const std::vector<uint64_t>& graph_keys);

/// The same number of nodes, each as likely to leave as the other. One key per graph: a graph's fate does not depend on
/// its batch.
std::vector<uint8_t> keep_any(const std::vector<int64_t>& offsets, double drop_ratio,
                              const std::vector<uint64_t>& graph_keys);

/// Each node leaves with this probability, independently of the others; what would leave a graph empty is drawn again.
std::vector<uint8_t> keep_by_chance(const std::vector<int64_t>& offsets, double probability,
                                    const std::vector<uint64_t>& graph_keys);

}  // namespace dotin::drop
