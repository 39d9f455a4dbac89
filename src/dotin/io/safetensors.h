// The safetensors format: an 8-byte header length, a JSON header, then raw little-endian tensors. No code in it, so
// safe to open.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dotin/core/array.h"
#include "dotin/core/error.h"
#include "dotin/io/atomic_file.h"

namespace dotin::io {

enum class DType { f32, f64, i32, i64, u8 };

std::size_t size_of(DType type);
const char* name_of(DType type);  // "F32", "F64", "I32", "I64", "U8"
template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::f64;
}
template <>
constexpr DType dtype_of<int32_t>() {
  return DType::i32;
}
template <>
constexpr DType dtype_of<int64_t>() {
  return DType::i64;
}
template <>
constexpr DType dtype_of<uint8_t>() {
  return DType::u8;
}

/// One tensor to write; the memory must live until write_safetensors returns.
struct TensorToWrite {
  std::string name;
  DType type;
  std::vector<int64_t> shape;
  const void* data;
};

template <class T>
TensorToWrite tensor_to_write(std::string name, std::vector<int64_t> shape, const T* data) {
  return {std::move(name), dtype_of<T>(), std::move(shape), data};
}

/// Atomic. Same input, same bytes: tensors are laid out by element size (largest first, so that all are aligned), then
/// name.
void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata, Folders folders = Folders::make);

/// A memory-mapped file. Opening reads the header only, whatever the size of the file.
class SafetensorsFile {
 public:
  struct Tensor {
    DType type;
    std::vector<int64_t> shape;
    const void* data;
    int64_t elements;
  };

  /// Refuses with the reason, and the byte offset where it helps: a file shorter than it says, a header over 100 MB or
  /// not JSON, unknown dtypes, offsets out of range, overlapping or unaligned tensors or holes between them, a shape
  /// that does not fit the bytes, negative or overflowing sizes, duplicate names.
  explicit SafetensorsFile(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  /// core::Error that names the file and tensor if it is missing.
  const Tensor& get(const std::string& name) const;

  /// Typed view that keeps the mapping alive. core::Error if missing or of another type.
  template <class T>
  core::Array<T> array(const std::string& name) const {
    const Tensor& tensor = get(name);
    DOTIN_CHECK(tensor.type == dtype_of<T>(), "{}: tensor '{}' is {}, expected {}", path_, name, name_of(tensor.type),
                name_of(dtype_of<T>()));
    return {static_cast<const T*>(tensor.data), static_cast<std::size_t>(tensor.elements), mapping_};
  }

 private:
  std::string path_;
  std::shared_ptr<const void> mapping_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

/// True if the file starts like a safetensors file (for telling data forms apart).
bool looks_like_safetensors(const std::string& path);

}  // namespace dotin::io
