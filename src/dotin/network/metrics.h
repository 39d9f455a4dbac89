// How good predictions are. Plain numbers in, one number out; NaN wherever the question has no answer.
#pragma once

#include <cstdint>
#include <vector>

#include "dotin/core/array.h"

namespace dotin::network {

// ---- Classification: logits are row-major [n, classes], labels [n]; a label < 0 is missing and its row left out ----

/// The column of each row's largest logit; the lowest column on ties. A NaN never wins; -1 where all are NaN.
std::vector<int32_t> predicted_classes(core::Span<const double> logits, int64_t classes);

/// Share of the labelled rows whose prediction is right; NaN where no row has a label.
double accuracy(core::Span<const double> logits, int64_t classes, core::Span<const int32_t> labels);

/// Counts [classes, classes], the true class down, the predicted across. Rows without a prediction are left out.
std::vector<int64_t> confusion_matrix(core::Span<const double> logits, int64_t classes,
                                      core::Span<const int32_t> labels);

/// Mean over the classes of F1 = 2 tp / (true + predicted members). A class with neither true nor predicted members is
/// left out of the mean; one that has only one kind counts 0. NaN where no row has a label.
double macro_f1(core::Span<const double> logits, int64_t classes, core::Span<const int32_t> labels);

// ---- Ranking ----

/// Area under the ROC curve: the chance that a positive scores higher than a negative, ties counted one half.
/// positive[i] is 1, 0, or < 0 for missing (left out). NaN if there is only one class, none, or a score is NaN.
double auc(core::Span<const double> scores, core::Span<const int32_t> positive);

/// Mean AUC of the columns of row-major [n, columns]. Targets are 1, 0, or NaN for missing (entry left out). Columns
/// with only one class are left out; NaN where that leaves none.
double mean_column_auc(core::Span<const double> scores, core::Span<const double> targets, int64_t columns);

// ---- Regression: a NaN target is missing and left out; NaN where that leaves none ----

double rmse(core::Span<const double> predictions, core::Span<const double> targets);
double mae(core::Span<const double> predictions, core::Span<const double> targets);

/// Coefficient of determination, the mean over the columns of row-major [n, columns]. Columns whose targets do not vary
/// are left out; NaN where that leaves none.
double r2(core::Span<const double> predictions, core::Span<const double> targets, int64_t columns);

// ---- Graph edit distance: distances of each triplet's anchor to its closer and its farther graph ----

/// Share of the triplets with d_pos < d_neg, ties counted one half. NaN if there is none or a distance is NaN.
double triplet_accuracy(core::Span<const double> d_pos, core::Span<const double> d_neg);

/// AUC of telling the closer pairs from the farther ones by the negative distance. The two may differ in size.
double pair_auc(core::Span<const double> d_pos, core::Span<const double> d_neg);

}  // namespace dotin::network
