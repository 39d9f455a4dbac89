#include "dotin/data/splits.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dotin/core/error.h"
#include "dotin/core/random.h"

namespace dotin::data {

namespace {

/// All positions, class after class, shuffled within each. Any cut that takes evenly spaced places of this order is
/// stratified: a class is one run of it.
std::vector<int64_t> by_class_shuffled(const std::vector<int32_t>& classes, uint64_t seed) {
  std::map<int32_t, std::vector<int64_t>> members;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    members[std::max(classes[i], -1)].push_back(static_cast<int64_t>(i));
  }
  std::vector<int64_t> order;
  order.reserve(classes.size());
  core::Rng rng(seed);
  for (auto& entry : members) {
    rng.shuffle(entry.second);
    order.insert(order.end(), entry.second.begin(), entry.second.end());
  }
  return order;
}

/// Moves `count` evenly spaced elements out of `order`.
std::vector<int64_t> take_evenly(std::vector<int64_t>& order, int64_t count) {
  const auto size = static_cast<int64_t>(order.size());
  std::vector<int64_t> taken, left;
  for (int64_t i = 0; i < size; ++i) {
    const bool take = (i + 1) * count / size > i * count / size;
    (take ? taken : left).push_back(order[static_cast<std::size_t>(i)]);
  }
  order = std::move(left);
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace

std::vector<std::vector<int64_t>> stratified_folds(const std::vector<int32_t>& classes, int64_t k, uint64_t seed) {
  const auto n = static_cast<int64_t>(classes.size());
  DOTIN_CHECK(k >= 2, "{} folds: there must be at least 2", k);
  DOTIN_CHECK(k <= n, "{} folds of {} graphs: there cannot be more folds than graphs", k, n);
  const std::vector<int64_t> order = by_class_shuffled(classes, seed);
  std::vector<std::vector<int64_t>> folds(static_cast<std::size_t>(k));
  for (int64_t i = 0; i < n; ++i) folds[static_cast<std::size_t>(i % k)].push_back(order[static_cast<std::size_t>(i)]);
  for (auto& fold : folds) std::sort(fold.begin(), fold.end());
  return folds;
}

Split split_of_fold(const std::vector<std::vector<int64_t>>& folds, int64_t fold) {
  const auto k = static_cast<int64_t>(folds.size());
  DOTIN_CHECK(k >= 3, "{} folds: train, validation and test need at least 3", k);
  DOTIN_CHECK(fold >= 0 && fold < k, "fold {} is out of range 0..{}", fold, k - 1);
  const int64_t validation = (fold + 1) % k;
  Split split;
  for (int64_t f = 0; f < k; ++f) {
    std::vector<int64_t>& part = f == fold ? split.test : f == validation ? split.validation : split.train;
    const auto& members = folds[static_cast<std::size_t>(f)];
    part.insert(part.end(), members.begin(), members.end());
  }
  for (auto* part : {&split.train, &split.validation, &split.test}) std::sort(part->begin(), part->end());
  return split;
}

Split stratified_split(const std::vector<int32_t>& classes, double validation_share, double test_share, uint64_t seed) {
  DOTIN_CHECK(validation_share >= 0 && test_share >= 0 && validation_share + test_share <= 1,
              "shares of {} for validation and {} for test: both must be at least 0, together at most 1",
              validation_share, test_share);
  const auto n = static_cast<int64_t>(classes.size());
  const auto size_of_share = [&](double share) {
    const int64_t rounded = std::llround(share * static_cast<double>(n));
    return share > 0 ? std::max<int64_t>(rounded, 1) : 0;
  };
  // Training comes first where there are not enough graphs for all, then test. The tolerance: 0.8 + 0.2 may sum to a
  // little less than 1.
  const bool wants_train = validation_share + test_share < 1 - 1e-9;
  const int64_t spare = std::max<int64_t>(n - (wants_train ? 1 : 0), 0);
  const int64_t for_validation = validation_share > 0 && spare > 1 ? 1 : 0;
  const int64_t tests = std::min(size_of_share(test_share), spare - (test_share > 0 ? for_validation : 0));
  const int64_t validations = std::min(size_of_share(validation_share), spare - tests);

  std::vector<int64_t> order = by_class_shuffled(classes, seed);
  Split split;
  split.test = take_evenly(order, tests);
  split.validation = take_evenly(order, validations);
  std::sort(order.begin(), order.end());
  split.train = std::move(order);
  return split;
}

}  // namespace dotin::data
