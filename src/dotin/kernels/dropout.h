// Dropout by counting: whether a value becomes 0 is a function of a key, its row and its column. Backward computes it
// again in place of keeping it, and it is the same on every machine.
#pragma once

#include <cstdint>

#include "dotin/core/random.h"

namespace dotin::kernels {

struct Dropout {
  double share = 0;  // of the values that become 0, below 1; the others are divided by 1 - share
  uint64_t key = 0;

  /// Another draw for each word.
  Dropout with(uint64_t word) const { return {share, core::mix(key, word)}; }
};

/// What a row's values are compared with, and what they are multiplied by if they stay.
template <class Scalar>
struct RowDropout {
  uint32_t low, high;  // of the row's own key
  int32_t threshold;   // of 2^24
  Scalar kept;
};

// Internal linkage: it is compiled for several instruction sets, and the linker must not take one for another.

template <class Scalar>
static inline RowDropout<Scalar> dropout_of_row(const Dropout& dropout, int64_t row) {
  const uint64_t key = core::mix(dropout.key, static_cast<uint64_t>(row));
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32), static_cast<int32_t>(dropout.share * (1 << 24)),
          static_cast<Scalar>(1 / (1 - dropout.share))};
}

/// What the value of a column is multiplied by. 32 bits and shifts alone, which vector units have: the finaliser of
/// Murmur3 with the constants of Ettinger's lowbias32, over a Weyl sequence that begins at the row's key; the other
/// half of the key enters midway, so that no two rows run along the same sequence.
template <class Scalar>
static inline Scalar dropout_factor(const RowDropout<Scalar>& row, uint32_t column) {
  uint32_t bits = row.low + column * 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0x7feb352du;
  bits = (bits ^ (bits >> 15) ^ row.high) * 0x846ca68bu;
  bits ^= bits >> 16;
  return static_cast<int32_t>(bits >> 8) < row.threshold ? Scalar(0) : row.kept;
}

/// All factors at once, [rows, width].
template <class Scalar>
void dropout_mask(const Dropout& dropout, int64_t rows, int64_t width, Scalar* mask) {
  for (int64_t r = 0; r < rows; ++r) {
    const RowDropout<Scalar> row = dropout_of_row<Scalar>(dropout, r);
    for (int64_t c = 0; c < width; ++c) mask[r * width + c] = dropout_factor(row, static_cast<uint32_t>(c));
  }
}

}  // namespace dotin::kernels
