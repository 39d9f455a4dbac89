#include "dotin/training/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <vector>

#include "dotin/core/error.h"
#include "support/temporary_folder.h"

namespace dotin::training {
namespace {

// A decoder of its own, written from the format's description rather than from the writer.

template <class T>
T little_endian(const std::string& bytes, std::size_t at) {
  uint64_t word = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes.at(at + i))) << (8 * i);
  }
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

uint32_t unmasked(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

/// The payloads of a TFRecord file; both checksums of each are checked.
std::vector<std::string> records_of(const std::string& bytes) {
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto size = little_endian<uint64_t>(bytes, at);
    EXPECT_EQ(unmasked(little_endian<uint32_t>(bytes, at + 8)), crc32c(bytes.data() + at, 8));
    records.push_back(bytes.substr(at + 12, size));
    EXPECT_EQ(unmasked(little_endian<uint32_t>(bytes, at + 12 + size)), crc32c(bytes.data() + at + 12, size));
    at += 12 + size + 4;
  }
  return records;
}

/// Fields of a protocol buffer message: number -> raw bytes (varints as 8 bytes).
std::map<uint64_t, std::string> fields_of(const std::string& message) {
  std::map<uint64_t, std::string> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const uint64_t key = varint();
    std::string& field = fields[key >> 3];
    if ((key & 7) == 0) {
      const uint64_t value = varint();
      field.assign(reinterpret_cast<const char*>(&value), sizeof value);
      continue;
    }
    const std::size_t size = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : varint();
    field = message.substr(at, size);
    EXPECT_EQ(field.size(), size);
    at += size;
  }
  return fields;
}

struct Point {
  double time;
  int64_t step;
  std::string tag;
  float value;
};

Point point_of(const std::string& record) {
  auto event = fields_of(record);
  EXPECT_EQ(event.size(), 3u);
  auto point = fields_of(fields_of(event[5])[1]);
  return {little_endian<double>(event[1], 0), little_endian<int64_t>(event[2], 0), point[1],
          little_endian<float>(point[2], 0)};
}

TEST(Crc32c, MatchesKnownVectors) {
  EXPECT_EQ(crc32c("123456789", 9), 0xE3069283u);
  EXPECT_EQ(crc32c("", 0), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAu);    // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62A8AB43u);  // the same
}

TEST(Events, FileStartsWithItsVersionAndHoldsEveryScalar) {
  const testing::TemporaryFolder folder;
  double now = 1700000000.25;
  EventWriter writer(folder / "new", [&] { return now; });
  now += 1;
  writer.scalar("train/loss", 0, 0.5);
  writer.scalar("test/accuracy", 300, 0.1);
  writer.flush();

  const auto records = records_of(testing::read_text(writer.path()));
  ASSERT_EQ(records.size(), 3u);
  auto first = fields_of(records[0]);
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(little_endian<double>(first[1], 0), 1700000000.25);
  EXPECT_EQ(first[3], "brain.Event:2");

  const Point loss = point_of(records[1]);
  EXPECT_EQ(loss.time, 1700000001.25);
  EXPECT_EQ(loss.step, 0);
  EXPECT_EQ(loss.tag, "train/loss");
  EXPECT_EQ(loss.value, 0.5f);
  const Point accuracy = point_of(records[2]);
  EXPECT_EQ(accuracy.step, 300);
  EXPECT_EQ(accuracy.tag, "test/accuracy");
  EXPECT_EQ(accuracy.value, 0.1f);
}

TEST(Events, BytesAreThoseOfTheFormat) {
  const testing::TemporaryFolder folder;
  EventWriter writer(folder.path(), [] { return 1.0; });
  writer.scalar("a", 1, 1);
  writer.flush();
  const std::string event = records_of(testing::read_text(writer.path())).at(1);
  const unsigned char expected[] = {0x09, 0,    0, 0,    0, 0,   0,    0xf0, 0x3f, 0x10, 1,   0x2a,
                                    0x0a, 0x0a, 8, 0x0a, 1, 'a', 0x15, 0,    0,    0x80, 0x3f};
  EXPECT_EQ(event, std::string(std::begin(expected), std::end(expected)));
}

TEST(Events, LongTagsAndAwkwardValuesAreKept) {
  const testing::TemporaryFolder folder;
  EventWriter writer(folder.path(), [] { return 0.0; });
  const std::string tag(300, 'x');
  const int64_t step = std::numeric_limits<int64_t>::max();
  writer.scalar(tag, step, std::numeric_limits<double>::quiet_NaN());
  writer.flush();
  const Point point = point_of(records_of(testing::read_text(writer.path())).at(1));
  EXPECT_EQ(point.tag, tag);
  EXPECT_EQ(point.step, step);
  EXPECT_TRUE(std::isnan(point.value));
}

TEST(Events, EveryWriterHasAFileOfItsOwn) {
  const testing::TemporaryFolder folder;
  const auto clock = [] { return 1700000000.0; };
  const EventWriter first(folder.path(), clock), second(folder.path(), clock);
  EXPECT_NE(first.path(), second.path());
  const std::string name = std::filesystem::path(first.path()).filename().string();
  EXPECT_EQ(name.rfind("events.out.tfevents.1700000000.", 0), 0u) << name;
}

TEST(Events, AFolderThatCannotBeMadeIsAnError) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(EventWriter(folder.write("file", "") + "/sub"), core::Error);
}

}  // namespace
}  // namespace dotin::training
