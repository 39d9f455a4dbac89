#include "dotin/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "dotin/core/error.h"
#include "support/expect.h"
#include "support/file_size_limit.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

namespace fs = std::filesystem;
using dotin::testing::FileSizeLimit;
using dotin::testing::read_text;
using dotin::testing::TemporaryFolder;

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(AtomicFile, WritesAndReplacesWithoutLeavingOtherFiles) {
  TemporaryFolder folder;
  const std::string path = folder / "a/b/x.txt";
  write_file_atomically(path, "old");
  EXPECT_EQ(read_text(path), "old");
  AtomicFile file(path);
  file.write("ne");
  file.write("w");
  EXPECT_EQ(read_text(path), "old") << "nothing shows before commit";
  file.commit();
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(entries(folder / "a/b"), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndTheTemporaryGoes) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.txt", "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AFullDiskIsAnErrorAndTheOldFileSurvives) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.bin", "old");
  const std::string content(1 << 20, 'x');
  std::string message;
  {
    FileSizeLimit full(100'000);
    message = testing::error_of([&] { write_file_atomically(path, content); });
  }
  EXPECT_NE(message.find("x.bin: cannot write: File too large"), std::string::npos) << message;
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, WhatAKilledProcessLeftNeitherStopsItNorStays) {
  TemporaryFolder folder;
  // As version 0.1 named them: in a container process ids come again.
  for (int number = 0; number < 200; ++number)
    folder.write(".x.txt.tmp." + std::to_string(::getpid()) + "." + std::to_string(number), "half");
  folder.write(".x.txt.tmp.0123456789abcdef", "half");
  folder.write(".x.txt.tmp.notes", "mine");
  folder.write(".y.txt.tmp.1.1", "of another file");
  write_file_atomically(folder / "x.txt", "new");
  EXPECT_EQ(read_text(folder / "x.txt"), "new");
  EXPECT_EQ(entries(folder.path()), 3u);
  remove_stale_temporaries(folder.path());
  EXPECT_EQ(entries(folder.path()), 2u) << "x.txt and the notes";
}

TEST(AtomicFile, TwoThatWriteTheSameFileDoNotDisturbEachOther) {
  TemporaryFolder folder;
  AtomicFile first(folder / "x.txt");
  first.write("first");
  AtomicFile second(folder / "x.txt");
  second.write("second");
  remove_stale_temporaries(folder.path());
  EXPECT_EQ(entries(folder.path()), 2u);
  second.commit();
  first.commit();
  EXPECT_EQ(read_text(folder / "x.txt"), "first");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AKilledWriterLeavesWhatTheNextOneRemoves) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.txt", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(path);
    file.write("half");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(entries(folder.path()), 2u);
  write_file_atomically(path, "new");
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, AFolderThatMustExistIsNotMade) {
  TemporaryFolder folder;
  const std::string message =
      testing::error_of([&] { write_file_atomically(folder / "gone/x.txt", "new", Folders::must_exist); });
  EXPECT_NE(message.find("gone/x.txt: cannot write: its folder is gone"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(folder / "gone"));
}

TEST(AtomicFile, LongNamesHaveRoomForATemporaryOne) {
  TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'x');
  write_file_atomically(path, "new");
  EXPECT_EQ(read_text(path), "new");
}

TEST(AtomicFile, RefusesFoldersAndDevices) {
  TemporaryFolder folder;
  fs::create_directory(folder / "d");
  EXPECT_NE(testing::error_of([&] { AtomicFile file(folder / "d"); }).find("not a regular file"), std::string::npos);
  EXPECT_NE(testing::error_of([&] { AtomicFile file("/dev/null"); }).find("not a regular file"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, AFileWhereAFolderShouldBeIsAnErrorThatNamesIt) {
  TemporaryFolder folder;
  folder.write("f", "a file");
  const std::string message = testing::error_of([&] { AtomicFile file(folder / "f/x.txt"); });
  EXPECT_NE(message.find(folder / "f: cannot make the folder"), std::string::npos) << message;
}

TEST(AtomicFile, KeepsLinksAndModes) {
  TemporaryFolder folder;
  const std::string target = folder.write("target", "old");
  ::chmod(target.c_str(), 0640);
  fs::create_symlink("target", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(target), "new");
  struct stat status {};
  ASSERT_EQ(::stat(target.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(ReadFile, ReadsUpToTheLimitAndRefusesMore) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.txt", std::string(100'000, 'y'));
  EXPECT_EQ(read_file(path, 100'000), std::string(100'000, 'y'));
  EXPECT_NE(testing::error_of([&] { read_file(path, 99'999); }).find("x.txt: larger than"), std::string::npos);
  EXPECT_EQ(read_file(folder.write("empty", ""), 0), "");
}

TEST(ReadFile, SaysWhyAFileCannotBeRead) {
  TemporaryFolder folder;
  EXPECT_NE(testing::error_of([&] { read_file(folder / "none", 10); }).find("none: cannot read: No such file"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { read_file(folder.path(), 10); }).find("cannot read: Is a directory"),
            std::string::npos);
}

}  // namespace
}  // namespace dotin::io
