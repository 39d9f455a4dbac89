// Seeded, stratified splits.
#pragma once

#include <cstdint>
#include <vector>

namespace dotin::data {

/// Positions 0..n-1 dealt into k folds so that each class is spread evenly (fold sizes differ by at most one, so does
/// the number of each class in a fold). classes[i] < 0 (missing) counts as a class of its own. Depends on classes, k
/// and seed alone. core::Error if k < 2 or k > n.
std::vector<std::vector<int64_t>> stratified_folds(const std::vector<int32_t>& classes, int64_t k, uint64_t seed);

struct Split {
  std::vector<int64_t> train, validation, test;  // sorted
};

/// Fold f is the test set, fold (f + 1) mod k the validation set, the others train. Needs k >= 3.
Split split_of_fold(const std::vector<std::vector<int64_t>>& folds, int64_t fold);

/// A single stratified split by shares, e.g. 0.8, 0.1, 0.1 (validation and test shares given). Every part gets at least
/// one graph if its share is positive and there are enough.
Split stratified_split(const std::vector<int32_t>& classes, double validation_share, double test_share, uint64_t seed);

}  // namespace dotin::data
