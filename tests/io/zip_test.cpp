// Zips that are broken or hostile.
#include <gtest/gtest.h>

#include "dotin/core/memory.h"
#include "support/expect.h"
#include "tu_files_support.h"

namespace dotin::io {
namespace {

class Zip : public ::testing::Test {
 protected:
  std::string made(const ZipEntries& entries) {
    make_zip(path_, entries);
    return path_;
  }
  std::string bytes() const { return testing::read_text(path_); }
  void rewrite(const std::string& bytes) const { folder_.write("x.zip", bytes); }

  /// The bytes of a number in a zip's headers.
  static std::string little_endian(uint32_t value) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "x.zip";
};

TEST_F(Zip, TruncatedAnywhereIsAnError) {
  made(small_entries("D/D_"));
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    rewrite(whole.substr(0, size));
    EXPECT_SAYS(error_of(path_), "x.zip: not a readable zip", "get it again") << size;
  }
}

TEST_F(Zip, AnotherKindOfFileIsAnError) {
  rewrite("graph,source,target\n");
  EXPECT_SAYS(error_of(path_), "x.zip: not a readable zip");
}

TEST_F(Zip, CorruptedContentIsAnErrorThatNamesTheEntry) {
  std::string edges;
  for (int i = 0; i < 5000; ++i) edges += std::to_string(i % 3 + 1) + ", " + std::to_string(i * 7 % 3 + 1) + "\n";
  made({{"D/D_graph_indicator.txt", "1\n1\n1\n"}, {"D/D_A.txt", edges}});
  std::string broken = bytes();
  const std::size_t data = broken.find("D/D_A.txt") + 9 + 20;
  for (std::size_t i = 0; i < 8; ++i) broken[data + i] = static_cast<char>(~broken[data + i]);
  rewrite(broken);
  EXPECT_SAYS(error_of(path_), "x.zip:D/D_A.txt");
}

TEST_F(Zip, AWrongChecksumIsAnError) {
  ZipEntries entries = small_entries("D/D_");
  made(entries);
  std::string broken = bytes();
  // In the central directory the checksum stands 30 bytes before the name.
  const std::size_t name = broken.rfind("D/D_A.txt");
  broken[name - 30] = static_cast<char>(~broken[name - 30]);
  rewrite(broken);
  EXPECT_SAYS(error_of(path_), "x.zip:D/D_A.txt", "get the zip again");
}

TEST_F(Zip, EncryptedEntriesAreSaid) {
  make_encrypted_zip(path_, small_entries("D/D_"));
  EXPECT_SAYS(error_of(path_), "x.zip:D/D_graph_indicator.txt: the entry is encrypted",
              "unpack the zip with its password");
}

TEST_F(Zip, PathsThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../D_A.txt", "D/../../D_A.txt", "D/..", "..\\D_A.txt", "D\\..\\D_A.txt"}) {
    ZipEntries entries = small_entries("D/D_");
    entries.emplace_back(name, "1, 2\n");
    EXPECT_SAYS(error_of(made(entries)), name, "has '..' in its path") << name;
  }
}

TEST_F(Zip, AbsolutePathsAreRefused) {
  for (const char* name : {"/D/D_A.txt", "\\D_A.txt", "C:\\D_A.txt", "c:D_A.txt"}) {
    ZipEntries entries = small_entries("D/D_");
    entries.emplace_back(name, "1, 2\n");
    EXPECT_SAYS(error_of(made(entries)), name, "has an absolute path") << name;
  }
}

TEST_F(Zip, TooManyEntriesAreRefused) {
  ZipEntries entries = small_entries("D/D_");
  for (int i = 0; i < 20; ++i) entries.emplace_back("other" + std::to_string(i), "");
  Limits limits;
  limits.max_entries = 27;
  EXPECT_SAYS(error_of(made(entries), limits), "x.zip: has 28 entries, more than 27", "raise the limit");
  limits.max_entries = 28;
  EXPECT_EQ(error_of(path_, limits), "");
}

TEST_F(Zip, CompressionBeyondTheLimitIsRefusedEarly) {
  ZipEntries entries = small_entries("D/D_");
  std::string ones;
  for (int i = 0; i < 12'000'000; ++i) ones += "1\n";
  entries.emplace_back("D/D_bomb.txt", "");
  for (auto& [name, content] : entries) {
    if (name == "D/D_graph_indicator.txt") content = ones;
  }
  made(entries);
  ones.clear();
  ones.shrink_to_fit();
  const int64_t before = core::resident_bytes();
  const bool measured = testing::kPeakIsMeaningful && core::reset_peak_resident();
  EXPECT_SAYS(error_of(path_), "x.zip:D/D_graph_indicator.txt: the zip unpacks to more than 100 times its size",
              "zip bomb", "raise the limit");
  if (measured) {
    EXPECT_LT(core::peak_resident_bytes() - before, 20'000'000);
  }
}

// A few megabytes of packed line ends would keep the reader busy for minutes before it could say what is wrong.
TEST_F(Zip, WhatIsMostlyEmptyLinesIsRefusedBeforeItIsRead) {
  ZipEntries entries = small_entries("D/D_");
  for (auto& [name, content] : entries) {
    if (name != "D/D_A.txt") continue;
    for (int i = 0; i < 40'000; ++i) content += std::string(500, '\n') + std::to_string(i);
  }
  made(entries);
  ASSERT_LT(20'000'000 / static_cast<int64_t>(bytes().size()), 1000) << "no file of it packs a thousandfold";
  Limits limits;
  EXPECT_SAYS(error_of(path_, limits), "x.zip:D/D_A.txt: the zip unpacks to more than 100 times its size");
  limits.max_compression = 1000;
  EXPECT_SAYS(error_of(path_, limits), "blank line");
}

TEST_F(Zip, UnpackedBytesBeyondTheLimitAreRefused) {
  Limits limits;
  limits.max_unpacked_bytes = 40;
  EXPECT_SAYS(error_of(made(small_entries("D/D_")), limits), "x.zip:D/D_", "unpacks to more than 40 B", "zip bomb");
  limits.max_unpacked_bytes = 1000;
  EXPECT_EQ(error_of(path_, limits), "");
}

TEST_F(Zip, DeclaredSizesAreNotTrusted) {
  std::string indicator, edges;
  for (int i = 0; i < 2000; ++i) indicator += "1\n";
  for (int i = 0; i < 2000; ++i) edges += "1, 2\n";
  made({{"D_graph_indicator.txt", indicator}, {"D_A.txt", edges}});
  std::string lying = bytes();
  // The unpacked size of D_A.txt, 22 bytes before its name in the central directory, is said to be 4 GB less 2.
  const std::size_t name = lying.rfind("D_A.txt");
  ASSERT_EQ(lying.substr(name - 22, 4), little_endian(static_cast<uint32_t>(edges.size())));
  lying.replace(name - 22, 4, little_endian(0xfffffffe));
  rewrite(lying);
  const int64_t before = core::resident_bytes();
  const bool measured = testing::kPeakIsMeaningful && core::reset_peak_resident();
  error_of(path_);
  if (measured) {
    EXPECT_LT(core::peak_resident_bytes() - before, 20'000'000);
  }

  // And less than it is: the limit still counts what comes out.
  lying.replace(name - 22, 4, little_endian(1));
  rewrite(lying);
  Limits limits;
  limits.max_unpacked_bytes = 6000;
  EXPECT_SAYS(error_of(path_, limits), "x.zip:D_A.txt");
}

TEST_F(Zip, SeveralDatasetsAreListed) {
  ZipEntries entries = small_entries("D/D_");
  entries.emplace_back("E/E_A.txt", "1, 2\n");
  EXPECT_SAYS(error_of(made(entries)), "several *_A.txt", "D/D_A.txt, E/E_A.txt");
}

TEST_F(Zip, AZipWithoutADatasetIsSaid) {
  EXPECT_SAYS(error_of(made({{"README.txt", "hello"}})), "x.zip: there is no *_A.txt");
}

TEST_F(Zip, ProblemsInAnEntryAreSaidWithItsLine) {
  ZipEntries entries = {{"D//D_A.txt", "1, 2\n1, 9\n"}, {"D//D_graph_indicator.txt", "1\n1\n"}};
  EXPECT_SAYS(error_of(made(entries)), "x.zip:D/D_A.txt:2: node 9 is out of range 1..2");
}

}  // namespace
}  // namespace dotin::io
