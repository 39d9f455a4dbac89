#include "dotin/io/problem.h"

namespace dotin::io {

std::string to_string(const Problem& problem) {
  std::string text = core::to_string(problem.where) + ": " + problem.what;
  if (!problem.advice.empty()) text += " (" + problem.advice + ")";
  return text;
}

void ThrowingSink::report(Problem problem) { throw core::Error(to_string(problem)); }

void CollectingSink::report(Problem problem) {
  ++count_;
  if (problems_.size() < keep_) problems_.push_back(std::move(problem));
}

}  // namespace dotin::io
