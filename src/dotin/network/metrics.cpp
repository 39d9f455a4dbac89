#include "dotin/network/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dotin/core/error.h"

namespace dotin::network {

namespace {

using core::Span;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double mean_of(double sum, int64_t count) { return count == 0 ? kNaN : sum / static_cast<double>(count); }

void check_labels(Span<const double> logits, int64_t classes, Span<const int32_t> labels) {
  DOTIN_ASSERT(classes >= 1 && logits.size() == labels.size() * static_cast<std::size_t>(classes));
  for (const int32_t label : labels) DOTIN_ASSERT(label < classes);
}

std::vector<double> column_of(Span<const double> values, std::size_t column, std::size_t columns) {
  std::vector<double> result;
  result.reserve(values.size() / columns);
  for (std::size_t i = column; i < values.size(); i += columns) result.push_back(values[i]);
  return result;
}

double column_r2(const std::vector<double>& predictions, const std::vector<double>& targets) {
  double sum = 0;
  int64_t count = 0;
  for (const double target : targets) {
    if (std::isnan(target)) continue;
    sum += target;
    ++count;
  }
  const double mean = mean_of(sum, count);
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isnan(targets[i])) continue;
    residual += (targets[i] - predictions[i]) * (targets[i] - predictions[i]);
    total += (targets[i] - mean) * (targets[i] - mean);
  }
  return total > 0 ? 1 - residual / total : kNaN;
}

}  // namespace

std::vector<int32_t> predicted_classes(Span<const double> logits, int64_t classes) {
  DOTIN_ASSERT(classes >= 1 && logits.size() % static_cast<std::size_t>(classes) == 0);
  std::vector<int32_t> result;
  result.reserve(logits.size() / static_cast<std::size_t>(classes));
  for (const double* row = logits.begin(); row != logits.end(); row += classes) {
    int32_t best = -1;
    for (int32_t c = 0; c < classes; ++c) {
      if (!std::isnan(row[c]) && (best < 0 || row[c] > row[best])) best = c;
    }
    result.push_back(best);
  }
  return result;
}

double accuracy(Span<const double> logits, int64_t classes, Span<const int32_t> labels) {
  check_labels(logits, classes, labels);
  const std::vector<int32_t> predicted = predicted_classes(logits, classes);
  int64_t right = 0, count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    ++count;
    right += predicted[i] == labels[i];
  }
  return mean_of(static_cast<double>(right), count);
}

std::vector<int64_t> confusion_matrix(Span<const double> logits, int64_t classes, Span<const int32_t> labels) {
  check_labels(logits, classes, labels);
  const std::vector<int32_t> predicted = predicted_classes(logits, classes);
  std::vector<int64_t> counts(static_cast<std::size_t>(classes * classes));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && predicted[i] >= 0) ++counts[static_cast<std::size_t>(labels[i] * classes + predicted[i])];
  }
  return counts;
}

double macro_f1(Span<const double> logits, int64_t classes, Span<const int32_t> labels) {
  check_labels(logits, classes, labels);
  const std::vector<int32_t> predicted = predicted_classes(logits, classes);
  std::vector<int64_t> right(static_cast<std::size_t>(classes)), members(right.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    ++members[label];
    if (predicted[i] >= 0) ++members[static_cast<std::size_t>(predicted[i])];
    if (predicted[i] == labels[i]) ++right[label];
  }
  double sum = 0;
  int64_t counted = 0;
  for (std::size_t c = 0; c < right.size(); ++c) {
    if (members[c] == 0) continue;
    sum += 2 * static_cast<double>(right[c]) / static_cast<double>(members[c]);
    ++counted;
  }
  return mean_of(sum, counted);
}

double auc(Span<const double> scores, Span<const int32_t> positive) {
  DOTIN_ASSERT(scores.size() == positive.size());
  std::vector<std::size_t> order;
  order.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (positive[i] < 0) continue;
    if (std::isnan(scores[i])) return kNaN;
    order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });

  // Counted in halves and in integers, so that the result does not depend on the order of ties. Pairs fit 64 bits.
  int64_t half_wins = 0, positives = 0, negatives = 0;
  for (std::size_t from = 0; from < order.size();) {
    int64_t tied_positives = 0, tied_negatives = 0;
    std::size_t to = from;
    for (; to < order.size() && scores[order[to]] == scores[order[from]]; ++to) {
      ++(positive[order[to]] > 0 ? tied_positives : tied_negatives);
    }
    half_wins += tied_positives * (2 * negatives + tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
    from = to;
  }
  if (positives == 0 || negatives == 0) return kNaN;
  return static_cast<double>(half_wins) / (2.0 * static_cast<double>(positives) * static_cast<double>(negatives));
}

double mean_column_auc(Span<const double> scores, Span<const double> targets, int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  DOTIN_ASSERT(columns >= 1 && scores.size() == targets.size() && scores.size() % width == 0);
  double sum = 0;
  int64_t counted = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const std::vector<double> column = column_of(scores, c, width);
    std::vector<int32_t> positive;
    bool has[2] = {false, false};
    for (std::size_t i = c; i < targets.size(); i += width) {
      positive.push_back(std::isnan(targets[i]) ? -1 : targets[i] > 0.5);
      if (positive.back() >= 0) has[positive.back()] = true;
    }
    if (!has[0] || !has[1]) continue;  // a NaN score, unlike a missing class, makes the mean NaN
    sum += auc(column, positive);
    ++counted;
  }
  return mean_of(sum, counted);
}

double rmse(Span<const double> predictions, Span<const double> targets) {
  DOTIN_ASSERT(predictions.size() == targets.size());
  double sum = 0;
  int64_t count = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isnan(targets[i])) continue;
    sum += (predictions[i] - targets[i]) * (predictions[i] - targets[i]);
    ++count;
  }
  return std::sqrt(mean_of(sum, count));
}

double mae(Span<const double> predictions, Span<const double> targets) {
  DOTIN_ASSERT(predictions.size() == targets.size());
  double sum = 0;
  int64_t count = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isnan(targets[i])) continue;
    sum += std::abs(predictions[i] - targets[i]);
    ++count;
  }
  return mean_of(sum, count);
}

double r2(Span<const double> predictions, Span<const double> targets, int64_t columns) {
  const auto width = static_cast<std::size_t>(columns);
  DOTIN_ASSERT(columns >= 1 && predictions.size() == targets.size() && targets.size() % width == 0);
  double sum = 0;
  int64_t counted = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const std::vector<double> column = column_of(targets, c, width);
    double lowest = kNaN, highest = kNaN;  // fmin and fmax pass over NaN
    for (const double target : column) {
      lowest = std::fmin(lowest, target);
      highest = std::fmax(highest, target);
    }
    if (!(lowest < highest)) continue;
    sum += column_r2(column_of(predictions, c, width), column);
    ++counted;
  }
  return mean_of(sum, counted);
}

double triplet_accuracy(Span<const double> d_pos, Span<const double> d_neg) {
  DOTIN_ASSERT(d_pos.size() == d_neg.size());
  int64_t half_wins = 0;
  for (std::size_t i = 0; i < d_pos.size(); ++i) {
    if (std::isnan(d_pos[i]) || std::isnan(d_neg[i])) return kNaN;
    half_wins += d_pos[i] < d_neg[i] ? 2 : d_pos[i] == d_neg[i];
  }
  return mean_of(static_cast<double>(half_wins) / 2, static_cast<int64_t>(d_pos.size()));
}

double pair_auc(Span<const double> d_pos, Span<const double> d_neg) {
  std::vector<double> scores;
  scores.reserve(d_pos.size() + d_neg.size());
  for (const double distance : d_pos) scores.push_back(-distance);
  for (const double distance : d_neg) scores.push_back(-distance);
  std::vector<int32_t> positive(d_pos.size(), 1);
  positive.resize(scores.size(), 0);
  return auc(scores, positive);
}

}  // namespace dotin::network
