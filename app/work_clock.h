// How long work will take, judged by how long such work took before.
#pragma once

#include <map>
#include <string>

namespace dotin::app {

/// Work of one kind takes time in proportion to its amount, which is about its seconds where nothing is known.
class WorkClock {
 public:
  void learn(const std::string& kind, double amount, double seconds);

  /// Seconds, by work of the same kind; where there was none, by all that was learned; else the amount itself.
  double expected(const std::string& kind, double amount) const;

 private:
  struct Learned {
    double amount = 0, seconds = 0;
  };
  std::map<std::string, Learned> by_kind_;
  Learned all_;
};

}  // namespace dotin::app
