#include "work_clock.h"

namespace dotin::app {

void WorkClock::learn(const std::string& kind, double amount, double seconds) {
  for (Learned* const learned : {&by_kind_[kind], &all_}) {
    learned->amount += amount;
    learned->seconds += seconds;
  }
}

double WorkClock::expected(const std::string& kind, double amount) const {
  const auto found = by_kind_.find(kind);
  const Learned& learned = found != by_kind_.end() ? found->second : all_;
  return learned.amount > 0 ? amount * learned.seconds / learned.amount : amount;
}

}  // namespace dotin::app
