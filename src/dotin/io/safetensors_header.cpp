#include "dotin/io/safetensors_header.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace dotin::io {

namespace {

using nlohmann::json;

// The largest models have some thousands; a file of 1 MB could have 20,000 that hold nothing.
constexpr std::size_t kMaxNames = 100'000;
constexpr std::size_t kMaxListed = 64;  // dimensions of a tensor
constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::u8};

std::map<std::string, std::string> metadata_from(const std::string& path, json& entry) {
  std::map<std::string, std::string> metadata;
  for (auto item = entry.begin(); item != entry.end(); ++item) {
    DOTIN_CHECK(item->is_string(), "{}: damaged header: {} entry '{}' is not text", path, kMetadataName, item.key());
    metadata.emplace(item.key(), std::move(item->get_ref<std::string&>()));
  }
  return metadata;
}

int64_t to_size(const json& value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return -1;
  return value.get<int64_t>();
}

HeaderTensor tensor_from(const std::string& path, const std::string& name, const json& entry) {
  const auto refuse_unless = [&](bool good, const std::string& what) {
    DOTIN_CHECK(good, "{}: tensor '{}': {}", path, name, what);
  };
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    refuse_unless(entry.contains(key), fmt::format("its header entry has no {}", key));
  }
  HeaderTensor info;
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
  info.elements = elements_of(info.shape);
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

/// Takes in the header as it is parsed, one entry at a time: as a whole it would take many times the memory of its
/// text. Of two equal names the JSON library would keep the last in silence, so they are looked for here.
class HeaderEvents {
 public:
  explicit HeaderEvents(const std::string& path) : path_(path) {}
  SafetensorsHeader take() { return std::move(header_); }

  // What nlohmann::json::sax_parse calls; true: go on.
  bool null() { return value(nullptr); }
  bool boolean(bool given) { return value(given); }
  bool number_integer(int64_t given) { return value(given); }
  bool number_unsigned(uint64_t given) { return value(given); }
  bool number_float(double given, const std::string&) { return value(given); }
  bool string(std::string& given) { return value(std::move(given)); }
  bool binary(json::binary_t&) { return false; }

  bool start_object(std::size_t) {
    DOTIN_CHECK(place_ < kInEntry, "{}: damaged header: nested deeper than the format allows", path_);
    if (++place_ == kInEntry) entry_ = json::object();
    return true;
  }

  bool key(std::string& given) {
    if (place_ == kInHeader) {
      name_ = given;
      check_new(names_.insert(given).second, given);
    } else {
      key_ = given;
      check_new(!entry_.contains(given), given);
    }
    DOTIN_CHECK(names_.size() + entry_.size() < kMaxNames, "{}: damaged header: more than {} names", path_, kMaxNames);
    return true;
  }

  bool end_object() {
    if (place_ == kInEntry && name_ == kMetadataName) {
      header_.metadata = metadata_from(path_, entry_);
    } else if (place_ == kInEntry) {
      header_.tensors.push_back(tensor_from(path_, name_, entry_));
    }
    entry_ = json::object();
    --place_;
    return true;
  }

  bool start_array(std::size_t) {
    DOTIN_CHECK(place_ != kInList, "{}: damaged header: nested deeper than the format allows", path_);
    value(json::array());
    place_ = kInList;
    return true;
  }

  bool end_array() {
    place_ = kInEntry;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const json::exception& error) {
    core::fail("{}: damaged header: not JSON ({})", path_, error.what());
  }

 private:
  enum Place { kOutside, kInHeader, kInEntry, kInList };

  bool value(json given) {
    DOTIN_CHECK(place_ != kOutside, "{}: damaged header: a JSON {}, not an object", path_, given.type_name());
    if (place_ == kInHeader) {
      DOTIN_CHECK(name_ != kMetadataName, "{}: damaged header: {} is not an object", path_, kMetadataName);
      core::fail("{}: tensor '{}': its header entry is not an object", path_, name_);
    }
    if (place_ == kInEntry) {
      entry_[key_] = std::move(given);
    } else {
      DOTIN_CHECK(entry_[key_].size() < kMaxListed, "{}: damaged header: a list of more than {} numbers in '{}'", path_,
                  kMaxListed, name_);
      entry_[key_].push_back(std::move(given));
    }
    return true;
  }

  void check_new(bool is_new, const std::string& name) const {
    DOTIN_CHECK(is_new, "{}: damaged header: the name '{}' stands there twice", path_, name);
  }

  const std::string& path_;
  SafetensorsHeader header_;
  int place_ = kOutside;
  std::string name_, key_;
  std::unordered_set<std::string> names_;
  json entry_ = json::object();
};

}  // namespace

int64_t elements_of(const std::vector<int64_t>& shape) {
  int64_t result = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(result, extent, &result)) return -1;
  }
  return result;
}

SafetensorsHeader parse_safetensors_header(const std::string& path, const char* begin, const char* end) {
  HeaderEvents events(path);
  json::sax_parse(begin, end, &events);
  return events.take();
}

}  // namespace dotin::io
