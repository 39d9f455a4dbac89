// Help, version, exit codes and what is said about a wrong command line.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

TEST(Usage, VersionIsPrintedOnStdout) {
  const Result result = run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "dotin " DOTIN_VERSION "\n");
  EXPECT_EQ(result.err, "");
}

class Help : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Help, EndsWithExamplesAndGoesToStdout) {
  std::vector<std::string> arguments = GetParam();
  arguments.push_back("--help");
  const Result result = run(arguments);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  const std::size_t examples = result.out.rfind("\nExamples:\n  ");
  ASSERT_NE(examples, std::string::npos) << result.out;
  EXPECT_NE(result.out.find("dotin", examples), std::string::npos);
  EXPECT_EQ(result.out.find("\n\n", examples), std::string::npos) << "something stands after the examples";
}

INSTANTIATE_TEST_SUITE_P(
    EveryCommand, Help,
    ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"data"},
                      std::vector<std::string>{"data", "list"}, std::vector<std::string>{"data", "get"},
                      std::vector<std::string>{"data", "info"}, std::vector<std::string>{"data", "check"},
                      std::vector<std::string>{"data", "generate"}, std::vector<std::string>{"data", "pack"},
                      std::vector<std::string>{"train"}, std::vector<std::string>{"cv"},
                      std::vector<std::string>{"predict"}, std::vector<std::string>{"bench"},
                      std::vector<std::string>{"methods"}, std::vector<std::string>{"reproduce"},
                      std::vector<std::string>{"completions"}));

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& message) {
  const Result result = run(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "dotin: error: " + message + "\n");
}

TEST(Usage, NoCommandListsTheCommands) {
  expect_usage_error({"data"},
                     "'dotin data' needs a command: list, get, info, check, generate, pack (see 'dotin data --help')");
  const Result result = run({});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("'dotin' needs a command: "), std::string::npos) << result.err;
}

TEST(Usage, UnknownCommandSuggestsANearOne) {
  expect_usage_error({"data", "inof", "x"},
                     "unknown command 'inof' (did you mean 'info'?); there are: list, get, info, check, generate, pack "
                     "(see 'dotin data --help')");
  const Result result = run({"dtaa"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("unknown command 'dtaa' (did you mean 'data'?)"), std::string::npos) << result.err;
}

TEST(Usage, UnknownOptionSuggestsANearOne) {
  expect_usage_error({"data", "info", "x", "--jsno"},
                     "unknown option '--jsno' (did you mean '--json'?) (see 'dotin data info --help')");
  expect_usage_error({"data", "list", "--qiet=1"},
                     "unknown option '--qiet' (did you mean '--quiet'?) (see 'dotin data list --help')");
}

TEST(Usage, SurplusArgumentIsNamed) {
  expect_usage_error({"data", "info", "a", "b"}, "unexpected argument 'b' (see 'dotin data info --help')");
}

TEST(Usage, MissingArgumentIsNamed) {
  const Result result = run({"data", "info"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("path is required"), std::string::npos) << result.err;
}

TEST(Usage, ChoicesAreListed) {
  const Result result = run({"data", "info", "x", "--duplicates", "drop"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("{merge,keep,error}"), std::string::npos) << result.err;
}

TEST(Usage, NumbersOutOfRangeAreRefused) {
  const Result folds = run({"data", "check", "x", "--folds", "1"});
  EXPECT_EQ(folds.code, 2);
  EXPECT_NE(folds.err.find("--folds: 1 is too small, the least is 2"), std::string::npos) << folds.err;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"cv", "x", "--jobs", "-1"},
                                             {"explain", "m", "x", "--graph", "-1"},
                                             {"predict", "m", "x", "--threads", "-1"}}) {
    const Result negative = run(words);
    EXPECT_EQ(negative.code, 2);
    EXPECT_SAYS(negative.err, "-1 is too small, the least is 0");
  }
  const Result size = run({"data", "info", "x", "--max-line", "-1"});
  EXPECT_EQ(size.code, 2);
  EXPECT_NE(size.err.find("--max-line: "), std::string::npos) << size.err;
  const Result unit = run({"data", "info", "x", "--max-line", "10parsecs"});
  EXPECT_EQ(unit.code, 2);
}

TEST(Usage, WholeNumbersThatDoNotFitAreRefused) {
  const std::string large = "99999999999999999999";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"train", "x", "--seed", large},
                                             {"cv", "x", "--jobs", large},
                                             {"predict", "m", "x", "--threads", large},
                                             {"data", "check", "x", "--seed", large},
                                             {"data", "generate", "motif", "-o", "x", "--seed", large}}) {
    const Result result = run(words);
    EXPECT_EQ(result.code, 2) << words[0];
    EXPECT_SAYS(result.err, large + " is too large, the most is 9223372036854775807");
  }
  EXPECT_SAYS(run({"train", "x", "--epochs", "3.5"}).err, "--epochs: '3.5' is not a whole number");
}

TEST(Usage, NamesThatAreTooLongAreSaidWithTheirPath) {
  const TemporaryFolder folder;
  const std::string data = folder.write("x.jsonl", "{\"edges\": [[0,1]]}\n");
  const std::string name = folder / std::string(300, 'x');
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"data", "pack", data, "-o", name},
                                             {"train", "--resume", name},
                                             {"reproduce", "table-datasets", "--out", name}}) {
    const Result result = run(words);
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_SAYS(result.err, "dotin: error: " + name);
    EXPECT_EQ(result.err.find("filesystem error"), std::string::npos) << result.err;
  }
}

TEST(Usage, QuietAndVerboseExcludeEachOther) {
  const Result result = run({"--quiet", "--verbose", "data", "list"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("excludes"), std::string::npos) << result.err;
}

TEST(Usage, ErrorsHaveNoColourOffATerminal) {
  const Result result = run({"data", "info", "/no/such/thing"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
  EXPECT_EQ(result.err, "dotin: error: /no/such/thing: no such file or folder; check the path\n");
}

TEST(Usage, AFullDiskBehindStdoutIsAFailure) {
  const Result result = run_program({"sh", "-c", "exec " + program_path() + " --help > /dev/full"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("cannot write to standard output"), std::string::npos) << result.err;
}

TEST(Usage, AnInstructionSetThatTheCpuDoesNotHaveIsRefusedAtOnce) {
  const Result refused = run({"methods"}, {{"DOTIN_ISA", "mmx"}});
  EXPECT_EQ(refused.code, 2);
  EXPECT_SAYS(refused.err, "DOTIN_ISA is 'mmx', which is no instruction set that this CPU can run: baseline");
  for (const char* const runs : {"baseline", ""}) EXPECT_EQ(run({"methods"}, {{"DOTIN_ISA", runs}}).code, 0) << runs;
}

}  // namespace
}  // namespace dotin::testing
