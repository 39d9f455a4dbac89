// Vectors that are used step after step and keep their memory in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dotin::kernels {

/// Sets the size. What is in it is left over from before: the caller writes all of it. Takes no more memory than the
/// largest size needs, and never for an old and a new block at once.
template <class T>
void size_to(std::vector<T>& values, int64_t size) {
  const auto count = static_cast<std::size_t>(size);
  if (count > values.capacity()) {
    std::vector<T>().swap(values);
    values.reserve(count);
  }
  values.resize(count);
}

/// Sets the size, and all to 0.
template <class T>
void clear_to(std::vector<T>& values, int64_t size) {
  values.clear();
  size_to(values, size);
}

}  // namespace dotin::kernels
