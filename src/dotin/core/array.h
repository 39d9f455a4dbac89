// Span: a pointer and a length. Array: the same, together with whatever keeps the memory alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace dotin::core {

/// A view of contiguous values that somebody else owns.
template <class T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class Container, class = decltype(std::declval<Container&>().data()),
            class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<Container&>().data()), T*>>>
  constexpr Span(Container& values) : data_(values.data()), size_(values.size()) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr Span subspan(std::size_t from, std::size_t count) const { return {data_ + from, count}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Read-only values that keep their memory alive, be it a vector or a mapped file. Copies share it.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::vector<T> values) {  // NOLINT: a vector is an array
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = owner->data();
    size_ = owner->size();
    owner_ = std::move(owner);
  }
  Array(const T* data, std::size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  Span<const T> subspan(std::size_t from, std::size_t count) const { return {data_ + from, count}; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace dotin::core
