#include "dotin/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

using dotin::testing::read_text;
using dotin::testing::TemporaryFolder;

/// A file as the format lays it out, well-formed or not.
std::string raw_file(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + data;
}

/// Pads so that the data starts at a multiple of 8.
std::string padded(std::string header) {
  header.append((8 - header.size() % 8) % 8, ' ');
  return header;
}

std::string error_of_opening(const std::string& content) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.safetensors", content);
  try {
    SafetensorsFile file(path);
  } catch (const core::Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find(path), 0u) << message;
    return message;
  }
  return "no error";
}

std::string error_of_header(const std::string& header, const std::string& data) {
  return error_of_opening(raw_file(padded(header), data));
}

TEST(Safetensors, ReadsBackWhatWasWritten) {
  TemporaryFolder folder;
  const std::vector<float> floats{1.5f, -2.f, std::numeric_limits<float>::infinity(), 0.f, 1.f, 2.f};
  const std::vector<int64_t> longs{-1, 1LL << 60};
  const std::vector<uint8_t> bytes{1, 2, 255};
  const std::vector<double> doubles{0.1};
  const std::vector<int32_t> ints{7};
  const std::string path = folder / "t.safetensors";
  write_safetensors(path,
                    {tensor_to_write("bytes", {3}, bytes.data()), tensor_to_write("floats", {2, 3}, floats.data()),
                     tensor_to_write("longs", {2}, longs.data()), tensor_to_write("scalar", {}, doubles.data()),
                     tensor_to_write("ints", {1, 1}, ints.data()), tensor_to_write<float>("nothing", {0, 4}, nullptr)},
                    {{"dotin", "{\"a\": \"\xc3\xa9\"}"}});
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata().at("dotin"), "{\"a\": \"\xc3\xa9\"}");
  EXPECT_EQ(file.tensors().size(), 6u);
  EXPECT_EQ(file.get("floats").shape, (std::vector<int64_t>{2, 3}));
  const auto read_floats = file.array<float>("floats");
  EXPECT_EQ(std::vector<float>(read_floats.begin(), read_floats.end()), floats);
  const auto read_longs = file.array<int64_t>("longs");
  EXPECT_EQ(std::vector<int64_t>(read_longs.begin(), read_longs.end()), longs);
  const auto read_bytes = file.array<uint8_t>("bytes");
  EXPECT_EQ(std::vector<uint8_t>(read_bytes.begin(), read_bytes.end()), bytes);
  EXPECT_EQ(file.array<double>("scalar")[0], 0.1);
  EXPECT_EQ(file.array<int32_t>("ints")[0], 7);
  EXPECT_EQ(file.array<float>("nothing").size(), 0u);
  EXPECT_EQ(file.get("nothing").shape, (std::vector<int64_t>{0, 4}));
}

TEST(Safetensors, DataStartsAtAMultipleOf64AndBytesDoNotDependOnTheOrderGiven) {
  TemporaryFolder folder;
  const float a = 1;
  const double b = 2;
  write_safetensors(folder / "1", {tensor_to_write("a", {1}, &a), tensor_to_write("b", {1}, &b)}, {{"k", "v"}});
  write_safetensors(folder / "2", {tensor_to_write("b", {1}, &b), tensor_to_write("a", {1}, &a)}, {{"k", "v"}});
  const std::string bytes = read_text(folder / "1");
  EXPECT_EQ(bytes, read_text(folder / "2"));
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ((length + 8) % 64, 0u);
  EXPECT_EQ(bytes.size(), length + 8 + 12);
  EXPECT_EQ(bytes.substr(8, 1), "{");
}

TEST(Safetensors, ArraysOutliveTheFileObject) {
  TemporaryFolder folder;
  const int32_t value = 42;
  write_safetensors(folder / "x", {tensor_to_write("x", {1}, &value)}, {});
  core::Array<int32_t> array;
  {
    const SafetensorsFile file(folder / "x");
    array = file.array<int32_t>("x");
  }
  EXPECT_EQ(array[0], 42);
}

TEST(Safetensors, WrongTypeAndMissingTensorsAreErrorsThatNameThem) {
  TemporaryFolder folder;
  const int32_t value = 42;
  write_safetensors(folder / "x", {tensor_to_write("x", {1}, &value)}, {});
  const SafetensorsFile file(folder / "x");
  EXPECT_THROW(file.array<float>("x"), core::Error);
  try {
    file.get("y");
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_SAYS(std::string(error.what()), "no tensor 'y'");
  }
}

TEST(Safetensors, TextThatIsNotUtf8IsRefusedAndNothingIsWritten) {
  TemporaryFolder folder;
  EXPECT_THROW(write_safetensors(folder / "x", {}, {{"k", "\xff"}}), core::Error);
  EXPECT_EQ(read_text(folder / "x"), "");
}

TEST(Safetensors, AcceptsFilesAlignedTo8AsOthersWriteThem) {
  TemporaryFolder folder;
  const std::string header = padded(R"({"long":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})");
  ASSERT_NE((8 + header.size()) % 64, 0u);
  const SafetensorsFile file(folder.write("x", raw_file(header, std::string(8, '\0'))));
  EXPECT_EQ(file.array<double>("long")[0], 0.0);
  EXPECT_TRUE(SafetensorsFile(folder.write("empty", raw_file("{}      ", ""))).tensors().empty());
}

TEST(SafetensorsBadFile, HeaderLength) {
  EXPECT_SAYS(error_of_opening(""), "too few");
  EXPECT_SAYS(error_of_opening("1234567"), "too few");
  EXPECT_SAYS(error_of_opening(std::string(8, '\0')), "0 bytes");
  EXPECT_SAYS(error_of_opening(std::string("\x40\0\0\0\0\0\0\0{}", 10)), "cut short");
  EXPECT_SAYS(error_of_opening(std::string("\0\0\0\x10\0\0\0\0{}", 10)), "at most 100000000");
  EXPECT_SAYS(error_of_opening(std::string(16, '\xff')), "at most 100000000");
}

TEST(SafetensorsBadFile, HeaderThatIsNotAJsonObject) {
  EXPECT_SAYS(error_of_header("{nonsense", ""), "not JSON");
  EXPECT_SAYS(error_of_header("{} {}", ""), "not JSON");
  EXPECT_SAYS(error_of_header("[1, 2]", ""), "not an object");
  EXPECT_SAYS(error_of_header("{\"\xff\": 1}", ""), "not JSON");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":{"deep":{}}}})", ""), "nested deeper");
}

TEST(SafetensorsBadFile, EntryThatIsNotATensor) {
  EXPECT_SAYS(error_of_header(R"({"x":1})", ""), "not an object");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[0]}})", ""), "no data_offsets");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":1,"shape":[0],"data_offsets":[0,0]}})", ""), "dtype is not text");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F16","shape":[0],"data_offsets":[0,0]}})", ""), "dtype 'F16'");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":3,"data_offsets":[0,0]}})", ""), "not a list");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0]}})", ""), "data_offsets");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,-4]}})", ""), "data_offsets");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0.5,4]}})", ""), "data_offsets");
}

TEST(SafetensorsBadFile, ShapesThatLie) {
  const std::string four(4, '\0');
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", four), "takes 8 bytes");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", four), "whole number");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", four), "whole number");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})", four),
              "overflows");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})", four),
              "overflows");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", four),
              "whole number");
}

TEST(SafetensorsBadFile, OffsetsThatLie) {
  const std::string eight(8, '\0');
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})", eight), "before it begins");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", eight), "cut short");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", eight), "a hole of 4");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", eight), "4 bytes after");
  EXPECT_SAYS(error_of_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                                  "b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                              eight),
              "overlaps");
  EXPECT_SAYS(
      error_of_header(R"({"x":{"dtype":"U8","shape":[8],"data_offsets":[9223372036854775800,9223372036854775808]}})",
                      eight),
      "data_offsets");
  EXPECT_SAYS(error_of_header(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                                  "b":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}})",
                              std::string(12, '\0')),
              "not aligned");
}

std::string many_tensors(int count) {
  std::string header = "{";
  for (int i = 0; i < count; ++i)
    header +=
        (i == 0 ? "" : ",") + ("\"" + std::to_string(i)) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  return header + "}";
}

// Time that grows with the square of the names would be minutes here.
TEST(Safetensors, ManyTensorsAreReadAndTooManyAreRefused) {
  TemporaryFolder folder;
  EXPECT_EQ(SafetensorsFile(folder.write("x", raw_file(padded(many_tensors(90'000)), ""))).tensors().size(), 90'000u);
  EXPECT_SAYS(error_of_header(many_tensors(150'000), ""), "more than 100000 names");
  std::string metadata = R"({"__metadata__":{"k":"")";
  for (int i = 0; i < 150'000; ++i) metadata += ",\"" + std::to_string(i) + "\":\"\"";
  EXPECT_SAYS(error_of_header(metadata + "}}", ""), "more than 100000 names");
}

TEST(SafetensorsBadFile, ListsThatAreNoShape) {
  std::string zeros = "0";
  for (int i = 0; i < 100; ++i) zeros += ",0";
  EXPECT_SAYS(error_of_header("{\"x\":{\"dtype\":\"F32\",\"shape\":[" + zeros + "],\"data_offsets\":[0,0]}}", ""),
              "a list of more than 64 numbers in 'x'");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[[0]],"data_offsets":[0,0]}})", ""), "nested deeper");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":["F32"],"shape":[0],"data_offsets":[0,0]}})", ""), "dtype is not text");
  EXPECT_SAYS(error_of_header(R"({"x":[{"dtype":"F32"}]})", ""), "its header entry is not an object");
}

TEST(SafetensorsBadFile, DuplicateNames) {
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},
                                  "x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
                              ""),
              "'x' stands there twice");
  EXPECT_SAYS(error_of_header(R"({"x":{"dtype":"F32","dtype":"F64","shape":[0],"data_offsets":[0,0]}})", ""),
              "'dtype' stands there twice");
  EXPECT_SAYS(error_of_header(R"({"__metadata__":{},"__metadata__":{}})", ""), "'__metadata__' stands there twice");
  EXPECT_SAYS(error_of_header(R"({"__metadata__":{"k":"a","k":"b"}})", ""), "'k' stands there twice");
}

TEST(SafetensorsBadFile, MetadataThatIsNotText) {
  EXPECT_SAYS(error_of_header(R"({"__metadata__":{"a":1}})", ""), "'a' is not text");
  EXPECT_SAYS(error_of_header(R"({"__metadata__":[]})", ""), "not an object");
}

TEST(SafetensorsBadFile, EveryTruncationIsRefused) {
  TemporaryFolder folder;
  const std::vector<int32_t> values{1, 2, 3};
  write_safetensors(folder / "x", {tensor_to_write("v", {3}, values.data())}, {{"k", "v"}});
  const std::string whole = read_text(folder / "x");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of_opening(whole.substr(0, size)), "no error") << size;
  }
}

TEST(SafetensorsBadFile, FoldersAndMissingFilesAreErrors) {
  TemporaryFolder folder;
  EXPECT_THROW(SafetensorsFile{folder.path()}, core::Error);
  EXPECT_THROW(SafetensorsFile{folder / "none"}, core::Error);
}

TEST(LooksLikeSafetensors, TellsThemFromText) {
  TemporaryFolder folder;
  write_safetensors(folder / "x", {}, {});
  EXPECT_TRUE(looks_like_safetensors(folder / "x"));
  EXPECT_FALSE(looks_like_safetensors(folder.write("j.jsonl", "{\"edges\": [[0,1]]}\n")));
  EXPECT_FALSE(looks_like_safetensors(folder.write("short", "{}")));
  EXPECT_FALSE(looks_like_safetensors(folder / "none"));
  EXPECT_FALSE(looks_like_safetensors(folder.path()));
}

}  // namespace
}  // namespace dotin::io
