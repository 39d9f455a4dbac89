#include "dotin/io/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <tuple>

#include "dotin/io/atomic_file.h"

namespace dotin::io {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors are mapped as they are: little-endian only");

namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeader = 100'000'000;  // as the format's own reader
constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kDataAlignment = 64;  // where data starts in files written here
constexpr const char* kMetadata = "__metadata__";
constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::u8};

struct Mapping {
  const char* bytes = nullptr;
  uint64_t size = 0;
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (bytes != nullptr) ::munmap(const_cast<char*>(bytes), size);
  }
};

std::shared_ptr<const Mapping> map_file(const std::string& path) {
  const auto reason = [] { return std::generic_category().message(errno); };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  DOTIN_CHECK(file >= 0, "{}: cannot read: {}", path, reason());
  struct Closer {
    int handle;
    ~Closer() { ::close(handle); }
  } closer{file};
  struct stat status {};
  DOTIN_CHECK(::fstat(file, &status) == 0, "{}: cannot read: {}", path, reason());
  DOTIN_CHECK(S_ISREG(status.st_mode), "{}: not a regular file", path);
  auto mapping = std::make_shared<Mapping>();
  mapping->size = static_cast<uint64_t>(status.st_size);
  if (mapping->size == 0) return mapping;
  void* const bytes = ::mmap(nullptr, mapping->size, PROT_READ, MAP_PRIVATE, file, 0);
  DOTIN_CHECK(bytes != MAP_FAILED, "{}: cannot map into memory: {}", path, reason());
  mapping->bytes = static_cast<const char*>(bytes);
  return mapping;
}

uint64_t read_length(const char* bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes, sizeof length);
  return length;
}

/// The header as JSON. Of two equal keys the JSON library would keep the last in silence, so they are counted here.
json parse_header(const std::string& path, const char* begin, const char* end) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      DOTIN_CHECK(keys.back().insert(key).second, "{}: damaged header: the name '{}' stands there twice", path, key);
    }
    DOTIN_CHECK(keys.size() <= 2, "{}: damaged header: nested deeper than the format allows", path);
    return true;
  };
  json header;
  try {
    header = json::parse(begin, end, watch);
  } catch (const json::exception& error) {
    core::fail("{}: damaged header: not JSON ({})", path, error.what());
  }
  DOTIN_CHECK(header.is_object(), "{}: damaged header: a JSON {}, not an object", path, header.type_name());
  return header;
}

std::map<std::string, std::string> parse_metadata(const std::string& path, const json& entry) {
  DOTIN_CHECK(entry.is_object(), "{}: damaged header: {} is not an object", path, kMetadata);
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    DOTIN_CHECK(value.is_string(), "{}: damaged header: {} entry '{}' is not text", path, kMetadata, key);
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

struct TensorInfo {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  int64_t elements = 1;
  uint64_t begin = 0, end = 0;  // relative to the end of the header
};

int64_t to_size(const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return -1;
  return value.get<int64_t>();
}

/// The number of elements, or -1 where it overflows or an extent is negative.
int64_t product(const std::vector<int64_t>& shape) {
  int64_t result = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(result, extent, &result)) return -1;
  }
  return result;
}

TensorInfo parse_tensor(const std::string& path, const std::string& name, const json& entry) {
  const auto refuse_unless = [&](bool good, const std::string& what) {
    DOTIN_CHECK(good, "{}: tensor '{}': {}", path, name, what);
  };
  refuse_unless(entry.is_object(), "its header entry is not an object");
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    refuse_unless(entry.contains(key), fmt::format("its header entry has no {}", key));
  }
  TensorInfo info;
  info.name = name;

  refuse_unless(entry["dtype"].is_string(), "its dtype is not text");
  const auto& type_name = entry["dtype"].get_ref<const std::string&>();
  const auto type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](DType t) { return type_name == name_of(t); });
  refuse_unless(type != std::end(kTypes), fmt::format("dtype '{}' is not one of F32, F64, I32, I64, U8", type_name));
  info.type = *type;

  refuse_unless(entry["shape"].is_array(), "its shape is not a list");
  for (const json& extent : entry["shape"]) {
    info.shape.push_back(to_size(extent));
    refuse_unless(info.shape.back() >= 0, "its shape has an entry that is not a whole number from 0 on");
  }
  info.elements = product(info.shape);
  int64_t bytes = 0;
  refuse_unless(
      info.elements >= 0 && !__builtin_mul_overflow(info.elements, static_cast<int64_t>(size_of(info.type)), &bytes),
      "its shape overflows");

  const json& offsets = entry["data_offsets"];
  refuse_unless(offsets.is_array() && offsets.size() == 2 && to_size(offsets[0]) >= 0 && to_size(offsets[1]) >= 0,
                "its data_offsets are not two whole numbers from 0 on");
  info.begin = offsets[0].get<uint64_t>();
  info.end = offsets[1].get<uint64_t>();
  refuse_unless(info.begin <= info.end, fmt::format("its data ends ({}) before it begins ({})", info.end, info.begin));
  refuse_unless(info.end - info.begin == static_cast<uint64_t>(bytes),
                fmt::format("its shape [{}] of {} takes {} bytes, but it has {}", fmt::join(info.shape, ", "),
                            type_name, bytes, info.end - info.begin));
  return info;
}

/// Sorted by place, the tensors must fill the data exactly: no hole where something could hide, no byte used twice.
void check_layout(const std::string& path, std::vector<TensorInfo>& infos, uint64_t data_start, uint64_t file_size) {
  std::sort(infos.begin(), infos.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const uint64_t data_size = file_size - data_start;
  uint64_t next = 0;
  for (const TensorInfo& info : infos) {
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
  if (!metadata.empty()) header[kMetadata] = metadata;
  int64_t offset = 0;
  for (const TensorToWrite& tensor : ordered) {
    const int64_t elements = product(tensor.shape);
    DOTIN_ASSERT(elements >= 0 && (elements == 0 || tensor.data != nullptr));
    DOTIN_ASSERT(tensor.name != kMetadata && !header.contains(tensor.name));
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
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorToWrite> ordered = tensors;
  std::sort(ordered.begin(), ordered.end(), [](const TensorToWrite& a, const TensorToWrite& b) {
    return size_of(a.type) != size_of(b.type) ? size_of(a.type) > size_of(b.type) : a.name < b.name;
  });
  const std::string header = header_text(path, ordered, metadata);
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(&length, sizeof length);
  file.write(header);
  for (const TensorToWrite& tensor : ordered) {
    file.write(tensor.data, static_cast<std::size_t>(product(tensor.shape)) * size_of(tensor.type));
  }
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  const std::shared_ptr<const Mapping> mapping = map_file(path);
  const uint64_t size = mapping->size;
  DOTIN_CHECK(size >= kLengthBytes, "{}: {} bytes are too few for a safetensors file", path, size);
  const uint64_t length = read_length(mapping->bytes);
  DOTIN_CHECK(length >= 2, "{}: the header has {} bytes: this is no safetensors file", path, length);
  DOTIN_CHECK(length <= kMaxHeader, "{}: a header of {} bytes (at most {}): damaged, or no safetensors file", path,
              length, kMaxHeader);
  DOTIN_CHECK(length <= size - kLengthBytes,
              "{}: the header should end at byte {}, but the file has only {}: it is "
              "cut short",
              path, kLengthBytes + length, size);
  const uint64_t data_start = kLengthBytes + length;

  const json header = parse_header(path, mapping->bytes + kLengthBytes, mapping->bytes + data_start);
  std::vector<TensorInfo> infos;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadata) {
      metadata_ = parse_metadata(path, entry);
    } else {
      infos.push_back(parse_tensor(path, name, entry));
    }
  }
  check_layout(path, infos, data_start, size);
  for (TensorInfo& info : infos) {
    const char* const data = mapping->bytes + data_start + info.begin;
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
