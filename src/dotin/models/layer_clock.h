// How long each layer of a forward pass takes.
#pragma once

#include <chrono>
#include <vector>

namespace dotin::models {

/// Starts when it is made; what comes before the first layer counts with it.
class LayerClock {
 public:
  explicit LayerClock(std::vector<double>& seconds) : seconds_(seconds) {}

  void layer_is_done() {
    const auto now = std::chrono::steady_clock::now();
    seconds_.push_back(std::chrono::duration<double>(now - start_).count());
    start_ = now;
  }

 private:
  std::vector<double>& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace dotin::models
