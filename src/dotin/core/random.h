// Random numbers that are the same on every machine, compiler and thread count.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace dotin::core {

/// xoshiro256** with its own distributions: the standard library's differ between implementations.
class Rng {
 public:
  explicit Rng(uint64_t seed) : Rng({seed}) {}

  /// A stream of its own for each key, e.g. {seed, epoch, graph}: what one stream draws never shifts another.
  Rng(std::initializer_list<uint64_t> key);

  uint64_t bits();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in [0, n); n must be positive.
  int64_t below(int64_t n);
  /// Standard normal.
  double normal();
  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  uint64_t state_[4];
};

/// Mixes two words into one well spread word (SplitMix64's finaliser).
uint64_t mix(uint64_t a, uint64_t b);

}  // namespace dotin::core
