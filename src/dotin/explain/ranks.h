// Orders of nodes by attentiveness. With one-hot labels many nodes of a first layer are exactly alike, so ties are the
// rule.
#pragma once

#include <cstdint>
#include <vector>

namespace dotin::explain {

/// Rank of each value, 1 for the largest. Values within 1e-6 of each other (relative) are tied and share their mean
/// rank.
std::vector<double> ranks(const std::vector<double>& values);

/// For each value how far it is among the `count` largest: 1, 0, or for those tied at the edge the share of them that
/// fits. Sums to count.
std::vector<double> among_largest(const std::vector<double>& values, int64_t count);

/// Spearman's rank correlation, with shared ranks for ties. NaN where one side does not vary.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dotin::explain
