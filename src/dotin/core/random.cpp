#include "dotin/core/random.h"

#include <cmath>

namespace dotin::core {

namespace {

uint64_t rotate_left(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t split_mix(uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t state = a ^ rotate_left(b * 0xff51afd7ed558ccdULL, 32);
  return split_mix(state);
}

Rng::Rng(std::initializer_list<uint64_t> key) {
  uint64_t state = key.size();
  for (const uint64_t word : key) state = mix(state, word);
  for (uint64_t& word : state_) word = split_mix(state);
}

uint64_t Rng::bits() {
  const uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

int64_t Rng::below(int64_t n) {
  // Rejection keeps it exactly uniform; the loop almost never runs twice.
  const auto bound = static_cast<uint64_t>(n);
  const uint64_t threshold = -bound % bound;
  uint64_t draw = bits();
  while (draw < threshold) draw = bits();
  return static_cast<int64_t>(draw % bound);
}

double Rng::normal() {
  // Box-Muller, one value a call: no hidden state to save in a checkpoint.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

}  // namespace dotin::core
