#include "dotin/io/mapped_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

using dotin::testing::TemporaryFolder;

TEST(MappedFile, AddressesTellTheirFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x", "content");
  auto file = std::make_unique<MappedFile>(path);
  ASSERT_EQ(std::string(file->bytes(), file->size()), "content");
  EXPECT_STREQ(mapped_file_at(file->bytes()), path.c_str());
  EXPECT_STREQ(mapped_file_at(file->bytes() + 6), path.c_str());
  EXPECT_EQ(mapped_file_at(&folder), nullptr);
  const char* const was_there = file->bytes();
  file.reset();
  EXPECT_EQ(mapped_file_at(was_there), nullptr);
}

TEST(MappedFile, MoreThanAreToldApartAreMappedAllTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x", "content");
  std::vector<std::unique_ptr<MappedFile>> files;
  for (int i = 0; i < 100; ++i) files.push_back(std::make_unique<MappedFile>(path));
  EXPECT_EQ(files.back()->bytes()[0], 'c');
  files.clear();
  const MappedFile again(path);
  EXPECT_STREQ(mapped_file_at(again.bytes()), path.c_str());
}

TEST(MappedFile, EmptyFilesHaveNoBytesAndFoldersAreRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(MappedFile(folder.write("empty", "")).bytes(), nullptr);
  EXPECT_SAYS(testing::error_of([&] { MappedFile file(folder.path()); }), folder.path() + ": not a regular file");
}

}  // namespace
}  // namespace dotin::io
