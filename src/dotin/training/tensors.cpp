#include "dotin/training/tensors.h"

#include <cstring>

namespace dotin::training {

io::TensorToWrite to_write(const std::string& name, const at::Tensor& tensor) {
  DOTIN_ASSERT(tensor.is_contiguous());
  const bool is_double = tensor.scalar_type() == at::kDouble;
  return {name, is_double ? io::DType::f64 : io::DType::f32, tensor.sizes().vec(), tensor.data_ptr()};
}

void read_into(const io::SafetensorsFile& file, const std::string& name, at::Tensor destination) {
  const io::SafetensorsFile::Tensor& stored = file.get(name);
  const io::DType wanted = destination.scalar_type() == at::kDouble ? io::DType::f64 : io::DType::f32;
  DOTIN_CHECK(stored.type == wanted, "{}: tensor '{}' is {}, expected {}", file.path(), name, io::name_of(stored.type),
              io::name_of(wanted));
  DOTIN_CHECK(stored.shape == destination.sizes().vec(), "{}: tensor '{}' has shape [{}], expected [{}]", file.path(),
              name, fmt::join(stored.shape, ", "), fmt::join(destination.sizes().vec(), ", "));
  std::memcpy(destination.data_ptr(), stored.data,
              static_cast<std::size_t>(stored.elements) * io::size_of(stored.type));
}

}  // namespace dotin::training
