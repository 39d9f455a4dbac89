// How long work tells its caller how far it is. The library only calls; app/ draws the bar.
#pragma once

#include <cstdint>
#include <string>

namespace dotin::core {

class Progress {
 public:
  virtual ~Progress() = default;
  /// done of total units of work; total 0 means unknown. detail is a short text shown beside the bar.
  virtual void update(int64_t done, int64_t total, const std::string& detail) = 0;
};

/// A progress that shows nothing.
class NoProgress : public Progress {
 public:
  void update(int64_t, int64_t, const std::string&) override {}
};

}  // namespace dotin::core
