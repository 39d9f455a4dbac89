#include "dotin/training/events.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "dotin/core/error.h"
#include "dotin/core/host.h"

namespace dotin::training {

namespace {

std::array<uint32_t, 256> make_crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
    table[byte] = crc;
  }
  return table;
}

// ---- Protocol buffers, as far as an Event goes: a key is (field number << 3) | wire type ----

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// The lowest `size` bytes of a word, little-endian on every machine.
void put_word(std::string& to, uint64_t word, int size) {
  for (int i = 0; i < size; ++i) to += static_cast<char>(word >> (8 * i));
}

void put_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void put_key(std::string& to, unsigned field, WireType type) { put_varint(to, field << 3 | type); }

void put_double(std::string& to, unsigned field, double value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  put_key(to, field, kFixed64);
  put_word(to, word, 8);
}

void put_float(std::string& to, unsigned field, float value) {
  uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  put_key(to, field, kFixed32);
  put_word(to, word, 4);
}

void put_bytes(std::string& to, unsigned field, const std::string& bytes) {
  put_key(to, field, kBytes);
  put_varint(to, bytes.size());
  to += bytes;
}

/// TFRecord's guard against checksums of data that itself holds checksums.
uint32_t masked_crc(const std::string& bytes) {
  const uint32_t crc = crc32c(bytes.data(), bytes.size());
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace

uint32_t crc32c(const void* bytes, std::size_t size) {
  static const std::array<uint32_t, 256> table = make_crc_table();
  const auto* next = static_cast<const unsigned char*>(bytes);
  uint32_t crc = 0xFFFFFFFFu;
  for (std::size_t i = 0; i < size; ++i) crc = (crc >> 8) ^ table[(crc ^ next[i]) & 0xFF];
  return ~crc;
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventWriter::EventWriter(const std::string& folder, std::function<double()> clock)
    : clock_(std::move(clock)), file_(nullptr, std::fclose) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  DOTIN_CHECK(!error, "{}: cannot make the folder: {}", folder, error.message());
  const std::string base = fmt::format("{}/events.out.tfevents.{}.{}.{}", folder, static_cast<int64_t>(clock_()),
                                       core::host_name(), ::getpid());
  // A second writer within the same second gets a number of its own; "x" never overwrites.
  path_ = base;
  file_.reset(std::fopen(path_.c_str(), "wbx"));
  for (int number = 1; file_ == nullptr && errno == EEXIST; ++number) {
    path_ = fmt::format("{}.{}", base, number);
    file_.reset(std::fopen(path_.c_str(), "wbx"));
  }
  DOTIN_CHECK(file_ != nullptr, "{}: cannot write: {}", path_, std::generic_category().message(errno));

  std::string event;
  put_double(event, 1, clock_());
  put_bytes(event, 3, "brain.Event:2");
  record(event);
}

void EventWriter::scalar(const std::string& tag, int64_t step, double value) {
  std::string point, summary, event;
  put_bytes(point, 1, tag);
  put_float(point, 2, static_cast<float>(value));
  put_bytes(summary, 1, point);
  put_double(event, 1, clock_());
  put_key(event, 2, kVarint);
  put_varint(event, static_cast<uint64_t>(step));
  put_bytes(event, 5, summary);
  record(event);
}

void EventWriter::flush() {
  DOTIN_CHECK(std::fflush(file_.get()) == 0, "{}: cannot write: {}", path_, std::generic_category().message(errno));
}

void EventWriter::record(const std::string& event) {
  std::string framed;
  put_word(framed, event.size(), 8);
  put_word(framed, masked_crc(framed), 4);
  framed += event;
  put_word(framed, masked_crc(event), 4);
  DOTIN_CHECK(std::fwrite(framed.data(), 1, framed.size(), file_.get()) == framed.size(), "{}: cannot write: {}", path_,
              std::generic_category().message(errno));
}

}  // namespace dotin::training
