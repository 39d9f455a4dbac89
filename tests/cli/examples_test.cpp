// Every example runs as its README says: examples/<name>/run.sh prints what expected.txt holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/program.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(DOTIN_EXAMPLES)) {
    if (fs::exists(entry.path() / "run.sh")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, GiveTheExpectedResult) {
  const fs::path example = fs::path(DOTIN_EXAMPLES) / GetParam();
  ASSERT_TRUE(fs::exists(example / "README.md"));
  ASSERT_TRUE(fs::exists(example / "expected.txt"));
  // In a copy: an example may write beside its files.
  const TemporaryFolder folder;
  fs::copy(example, folder.path(), fs::copy_options::recursive);
  const std::string path = fs::path(program_path()).parent_path().string() + ":" + std::getenv("PATH");
  const Result result = run_program({"bash", "-euo", "pipefail", "run.sh"},
                                    {{"PATH", path}, {"XDG_CACHE_HOME", folder / "cache"}}, folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, read_text((example / "expected.txt").string()));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Folder, Examples, ::testing::ValuesIn(example_names()), test_name);

}  // namespace
}  // namespace dotin::testing
