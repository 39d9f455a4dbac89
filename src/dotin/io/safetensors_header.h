// The JSON header of a safetensors file. Internal to io/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dotin/io/safetensors.h"

namespace dotin::io {

inline constexpr const char* kMetadataName = "__metadata__";

/// What the header says of one tensor; its bytes are as many as type and shape ask for.
struct HeaderTensor {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  int64_t elements = 1;
  uint64_t begin = 0, end = 0;  // relative to the end of the header
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<HeaderTensor> tensors;
};

/// The number of elements, or -1 where it overflows or an extent is negative.
int64_t elements_of(const std::vector<int64_t>& shape);

/// Takes time and memory in proportion to the text, whatever is in it. core::Error that begins with the path for text
/// that is no such header, has a name twice, or more names than any model or dataset has.
SafetensorsHeader parse_safetensors_header(const std::string& path, const char* begin, const char* end);

}  // namespace dotin::io
