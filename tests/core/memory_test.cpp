#include "dotin/core/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/temporary_folder.h"

namespace dotin::core {
namespace {

using dotin::testing::TemporaryFolder;

constexpr int64_t kMib = 1 << 20;

/// A system that is told about in files: 1000 MiB are available on the machine.
class System {
 public:
  System() { files_.write("proc/meminfo", "MemTotal: 4096000 kB\nMemAvailable: 1024000 kB\n"); }
  void write(const std::string& name, const std::string& content) { files_.write(name, content); }
  int64_t available() const { return available_bytes(files_.path() + "/"); }

 private:
  TemporaryFolder files_;
};

std::string bytes(int64_t mib) { return std::to_string(mib * kMib) + "\n"; }

TEST(AvailableBytes, AreThoseOfTheMachineWhereNothingLimitsThem) {
  System system;
  EXPECT_EQ(system.available(), 1000 * kMib);
  system.write("proc/self/cgroup", "0::/user\n");
  system.write("sys/fs/cgroup/user/memory.max", "max\n");
  system.write("sys/fs/cgroup/user/memory.current", bytes(10));
  EXPECT_EQ(system.available(), 1000 * kMib);
}

TEST(AvailableBytes, AreWhatTheGroupOfAContainerLeaves) {
  System system;
  system.write("proc/self/cgroup", "0::/\n");
  system.write("sys/fs/cgroup/memory.max", bytes(512));
  system.write("sys/fs/cgroup/memory.current", bytes(200));
  system.write("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file " + bytes(50) + "active_file 3\n");
  EXPECT_EQ(system.available(), (512 - 150) * kMib) << "files that are cached give way";
  system.write("sys/fs/cgroup/memory.current", bytes(600));
  EXPECT_EQ(system.available(), 0);
}

TEST(AvailableBytes, AGroupFurtherOutMayBeNarrower) {
  System system;
  system.write("proc/self/cgroup", "0::/slice/job\n");
  system.write("sys/fs/cgroup/slice/job/memory.max", bytes(800));
  system.write("sys/fs/cgroup/slice/job/memory.current", bytes(100));
  system.write("sys/fs/cgroup/slice/memory.max", bytes(300));
  system.write("sys/fs/cgroup/slice/memory.current", bytes(200));
  EXPECT_EQ(system.available(), 100 * kMib);
}

TEST(AvailableBytes, GroupsOfTheFirstVersionCountToo) {
  System system;
  // In a container the path is the host's, and only the top is seen.
  system.write("proc/self/cgroup", "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n");
  system.write("sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(256));
  system.write("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(56));
  EXPECT_EQ(system.available(), 200 * kMib);
}

TEST(AvailableBytes, AreWhatTheLimitsOfTheProcessLeave) {
  System system;
  system.write("proc/self/status", "VmSize:\t1048576 kB\nVmData:\t524288 kB\n");
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit old{};
    ASSERT_EQ(getrlimit(resource, &old), 0);
    const rlimit limited{rlim_t{1100} << 40, old.rlim_max};  // far above what this test itself takes
    ASSERT_EQ(setrlimit(resource, &limited), 0);
    EXPECT_EQ(system.available(), 1000 * kMib);
    setrlimit(resource, &old);
  }
  // As far as the file tells, all but 100 MiB are taken.
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  const rlimit limited{rlim_t{1100} << 40, old.rlim_max};
  system.write("proc/self/status", "VmSize:\t" + std::to_string((int64_t{1100} << 30) - 100 * 1024) + " kB\n");
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  EXPECT_EQ(system.available(), 100 * kMib);
  setrlimit(RLIMIT_AS, &old);
}

TEST(AvailableBytes, OfThisMachineAreKnown) { EXPECT_GT(available_bytes(), 0); }

}  // namespace
}  // namespace dotin::core
