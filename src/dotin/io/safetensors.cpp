#include "dotin/io/safetensors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <tuple>

#include "dotin/io/mapped_file.h"
#include "dotin/io/safetensors_header.h"

namespace dotin::io {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors are mapped as they are: little-endian only");

namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // as the format's own reader
constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kDataAlignment = 64;  // where data starts in files written here

uint64_t read_length(const char* bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes, sizeof length);
  return length;
}

/// Sorted by place, the tensors must fill the data exactly: no hole where something could hide, no byte used twice.
void check_layout(const std::string& path, std::vector<HeaderTensor>& infos, uint64_t data_start, uint64_t file_size) {
  std::sort(infos.begin(), infos.end(), [](const HeaderTensor& a, const HeaderTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const uint64_t data_size = file_size - data_start;
  uint64_t next = 0;
  for (const HeaderTensor& info : infos) {
    DOTIN_CHECK(info.end <= data_size, "{}: tensor '{}' ends at byte {}, but the file has only {}: it is cut short",
                path, info.name, data_start + info.end, file_size);
    DOTIN_CHECK(info.begin >= next, "{}: tensor '{}' overlaps another at byte {}", path, info.name,
                data_start + info.begin);
    DOTIN_CHECK(info.begin == next, "{}: a hole of {} bytes before tensor '{}' at byte {}", path, info.begin - next,
                info.name, data_start + next);
    DOTIN_CHECK((data_start + info.begin) % size_of(info.type) == 0,
                "{}: tensor '{}' is not aligned: {} values at byte {}; save the file again with a current safetensors",
                path, info.name, name_of(info.type), data_start + info.begin);
    next = info.end;
  }
  DOTIN_CHECK(next == data_size, "{}: {} bytes after the last tensor, from byte {} on", path, data_size - next,
              data_start + next);
}

std::string header_text(const std::string& path, const std::vector<TensorToWrite>& ordered,
                        const std::map<std::string, std::string>& metadata) {
  json header = json::object();
  if (!metadata.empty()) header[kMetadataName] = metadata;
  int64_t offset = 0;
  for (const TensorToWrite& tensor : ordered) {
    const int64_t elements = elements_of(tensor.shape);
    DOTIN_ASSERT(elements >= 0 && (elements == 0 || tensor.data != nullptr));
    DOTIN_ASSERT(tensor.name != kMetadataName && !header.contains(tensor.name));
    const int64_t end = offset + elements * static_cast<int64_t>(size_of(tensor.type));
    header[tensor.name] = {{"dtype", name_of(tensor.type)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception& error) {
    core::fail("{}: cannot write: a name or the metadata is not UTF-8 text ({})", path, error.what());
  }
  const uint64_t beyond = (kLengthBytes + text.size()) % kDataAlignment;
  if (beyond != 0) text.append(kDataAlignment - beyond, ' ');
  DOTIN_CHECK(text.size() <= kMaxHeader, "{}: cannot write: the header would take {} bytes, the format allows {}", path,
              text.size(), kMaxHeader);
  return text;
}

}  // namespace

std::size_t size_of(DType type) {
  switch (type) {
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::u8:
      return 1;
  }
  DOTIN_ASSERT(false);
  return 0;
}

const char* name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::i32:
      return "I32";
    case DType::i64:
      return "I64";
    case DType::u8:
      return "U8";
  }
  DOTIN_ASSERT(false);
  return "";
}

void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::map<std::string, std::string>& metadata, Folders folders) {
  std::vector<TensorToWrite> ordered = tensors;
  std::sort(ordered.begin(), ordered.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
    return size_of(a.type) != size_of(b.type) ? size_of(a.type) > size_of(b.type) : a.name < b.name;
  });
  const std::string header = header_text(path, ordered, metadata);
  const uint64_t length = header.size();
  AtomicFile file(path, folders);
  file.write(&length, sizeof length);
  file.write(header);
  for (const TensorToWrite& tensor : ordered) {
    file.write(tensor.data, static_cast<std::size_t>(elements_of(tensor.shape)) * size_of(tensor.type));
  }
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  const auto mapping = std::make_shared<const MappedFile>(path);
  const uint64_t size = mapping->size();
  DOTIN_CHECK(size >= kLengthBytes, "{}: {} bytes are too few for a safetensors file", path, size);
  const uint64_t length = read_length(mapping->bytes());
  DOTIN_CHECK(length >= 2, "{}: the header has {} bytes: this is no safetensors file", path, length);
  DOTIN_CHECK(length <= kMaxHeader, "{}: a header of {} bytes (at most {}): damaged, or no safetensors file", path,
              length, kMaxHeader);
  DOTIN_CHECK(length <= size - kLengthBytes,
              "{}: the header should end at byte {}, but the file has only {}: it is "
              "cut short",
              path, kLengthBytes + length, size);
  const uint64_t data_start = kLengthBytes + length;

  SafetensorsHeader header =
      parse_safetensors_header(path, mapping->bytes() + kLengthBytes, mapping->bytes() + data_start);
  metadata_ = std::move(header.metadata);
  std::vector<HeaderTensor>& infos = header.tensors;
  check_layout(path, infos, data_start, size);
  for (HeaderTensor& info : infos) {
    const char* const data = mapping->bytes() + data_start + info.begin;
    tensors_.emplace(std::move(info.name), Tensor{info.type, std::move(info.shape), data, info.elements});
  }
  mapping_ = mapping;
}

const SafetensorsFile::Tensor& SafetensorsFile::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  DOTIN_CHECK(found != tensors_.end(), "{}: no tensor '{}' in it", path_, name);
  return found->second;
}

bool looks_like_safetensors(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char start[kLengthBytes + 1] = {};
  const ssize_t got = ::read(file, start, sizeof start);
  ::close(file);
  // Text never looks like this: its eight first characters would be a far larger number.
  return got == static_cast<ssize_t>(sizeof start) && read_length(start) <= kMaxHeader && start[kLengthBytes] == '{';
}

}  // namespace dotin::io
