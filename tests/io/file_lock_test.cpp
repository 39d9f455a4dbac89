#include "dotin/io/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

#include "dotin/core/host.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::io {
namespace {

using dotin::testing::error_of;
using dotin::testing::TemporaryFolder;

TEST(FileLock, ASecondOneIsRefusedAndToldWhoHoldsIt) {
  const TemporaryFolder folder;
  std::optional<FileLock> first(std::in_place, folder / ".lock", "the place");
  const std::string message = error_of([&] { FileLock(folder / ".lock", "the place"); });
  EXPECT_SAYS(message, "the place: in use by process " + std::to_string(::getpid()) + " on " + core::host_name(),
              ", since 20", "wait until it has ended");
  EXPECT_TRUE(std::filesystem::exists(folder / ".lock")) << "the one who was refused leaves it alone";
  first.reset();
  EXPECT_FALSE(std::filesystem::exists(folder / ".lock"));
  EXPECT_EQ(error_of([&] { FileLock(folder / ".lock", "the place"); }), "no error");
}

TEST(FileLock, OneLeftByAKilledProcessDoesNoHarm) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FileLock lock(folder / ".lock", "the place");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(folder / ".lock"));
  const FileLock lock(folder / ".lock", "the place");
  EXPECT_SAYS(error_of([&] { FileLock(folder / ".lock", "the place"); }),
              "in use by process " + std::to_string(::getpid()) + " ");
}

TEST(FileLock, AFileWithoutAnythingInItStillLocks) {
  const TemporaryFolder folder;
  const FileLock lock(folder.write(".lock", std::string(10'000, 'x')), "the place");
  std::filesystem::resize_file(folder / ".lock", 0);
  EXPECT_SAYS(error_of([&] { FileLock(folder / ".lock", "the place"); }), "the place: in use by another process");
}

TEST(FileLock, WhereNothingCanBeWrittenTheReasonIsSaid) {
  const TemporaryFolder folder;
  EXPECT_SAYS(error_of([&] { FileLock(folder / "none/.lock", "the place"); }),
              "the place: cannot write into it: No such file or directory");
}

}  // namespace
}  // namespace dotin::io
