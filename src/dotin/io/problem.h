// What is wrong with a file. Readers report each problem to a sink: opening a dataset stops at the first,
// `dotin data check` collects them all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dotin/core/error.h"

namespace dotin::io {

struct Problem {
  core::Where where;
  std::string what;    // "node 17 is out of range 1..16"
  std::string advice;  // "renumber the nodes, or remove the edge"
};

/// "DD_A.txt:17: node 17 is out of range 1..16 (renumber the nodes, or remove the edge)"
std::string to_string(const Problem& problem);

class ProblemSink {
 public:
  virtual ~ProblemSink() = default;
  /// Either throws core::Error or returns, and then the reader goes on as well as it can.
  virtual void report(Problem problem) = 0;
};

/// Throws at the first problem.
class ThrowingSink : public ProblemSink {
 public:
  void report(Problem problem) override;
};

/// Keeps the first `keep` problems and counts the rest.
class CollectingSink : public ProblemSink {
 public:
  explicit CollectingSink(std::size_t keep) : keep_(keep) {}
  void report(Problem problem) override;
  const std::vector<Problem>& problems() const { return problems_; }
  int64_t count() const { return count_; }

 private:
  std::size_t keep_;
  std::vector<Problem> problems_;
  int64_t count_ = 0;
};

}  // namespace dotin::io
