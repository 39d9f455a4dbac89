// Whether one method is better than another, from the folds of two cross-validations with the same split.
#pragma once

#include <vector>

namespace dotin::reproduce {

/// Probability that a Student t variable with so many degrees of freedom is at least |t| away from 0.
double student_two_sided(double t, double degrees);

struct PairedTest {
  double difference = 0;  // mean of a - b
  double t = 0;
  double p = 1;
};

/// Paired t test over folds, corrected as Nadeau and Bengio (2003) do for training sets that overlap: the variance of
/// the differences is divided not by the k folds but multiplied by 1/k + n_test/n_train. With one fold each for test
/// and validation n_test/n_train is 1/(k - 2), so that k must be at least 3. Where all differences are alike, p is 1 if
/// they are 0, else 0.
PairedTest paired_test(const std::vector<double>& a, const std::vector<double>& b);

/// Holm's correction for several comparisons, in the order given: the smallest p times their number, the next times one
/// less, and so on, never below one before it and at most 1.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace dotin::reproduce
