// What is different on a terminal: colour, the live bar, Ctrl-C.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

// Long enough for a bar to be drawn, and to be interrupted.
const std::vector<std::string> kLongWork = {"data", "generate", "motif", "--graphs", "200000", "--nodes", "100"};

std::vector<std::string> long_work_to(const std::string& path) {
  std::vector<std::string> arguments = kLongWork;
  arguments.insert(arguments.end(), {"-o", path});
  return arguments;
}

TEST(Terminal, ErrorsAreColouredUnlessNoColorIsSet) {
  const Result coloured = run_in_terminal({"data", "info", "/no/such"}, 80);
  EXPECT_EQ(coloured.code, 1);
  EXPECT_NE(coloured.out.find("\033[1;31merror:\033[0m"), std::string::npos) << coloured.out;
  const Result plain = run_in_terminal({"data", "info", "/no/such"}, 80, {{"NO_COLOR", "1"}});
  EXPECT_EQ(plain.out.find('\033'), std::string::npos) << plain.out;
  EXPECT_NE(plain.out.find("dotin: error: /no/such"), std::string::npos) << plain.out;
}

TEST(Terminal, CtrlCEndsWorkAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    const Result result = run_in_terminal(long_work_to(folder / "made.jsonl"), 80, {}, "generate [", signal);
    EXPECT_EQ(result.code, 128 + signal);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST(Terminal, TheBarFitsTheWidthAndIsErased) {
  for (const int columns : {30, 80, 132}) {
    const TemporaryFolder folder;
    const Result result = run_in_terminal(long_work_to(folder / "made.jsonl"), columns, {}, "%", SIGINT);
    const std::string& out = result.out;
    ASSERT_NE(out.find("%"), std::string::npos) << out;
    EXPECT_EQ(out.find('\n'), std::string::npos) << "the bar wrapped or scrolled";
    for (std::size_t from = out.find('\r'); from != std::string::npos; from = out.find('\r', from + 1)) {
      const std::size_t to = out.find("\033[K", from);
      ASSERT_NE(to, std::string::npos);
      EXPECT_LT(to - from - 1, static_cast<std::size_t>(columns));
    }
    EXPECT_EQ(out.substr(out.size() - 4), "\r\033[K") << "the last thing drawn is nothing";
  }
}

TEST(Terminal, TheBarOfTrainingTellsLossMetricSpeedAndTimeLeft) {
  for (const char* const command : {"train", "cv"}) {
    const TemporaryFolder folder;
    const std::string data = folder.write("own.jsonl", rings_and_paths(200));
    const Result result =
        run_in_terminal(small_run(command, data, folder / "run", {"--epochs", "4000"}), 200, {}, "accuracy ", SIGINT);
    EXPECT_EQ(result.code, 130) << result.out;
    for (const char* const part : {"% ", " left", "epoch ", "/4000", " loss ", " graphs/s"})
      EXPECT_SAYS(result.out, part);
  }
}

TEST(Terminal, QuietAndDumbTerminalsHaveNoBar) {
  const TemporaryFolder folder;
  const std::vector<std::string> work = {"data",  "generate", "motif", "--graphs",
                                         "20000", "--quiet",  "-o",    folder / "a.jsonl"};
  const Result quiet = run_in_terminal(work, 80);
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out.find("\033"), std::string::npos) << quiet.out;
  const Result dumb = run_in_terminal({"data", "generate", "motif", "--graphs", "20000", "-o", folder / "b.jsonl"}, 80,
                                      {{"TERM", "dumb"}});
  EXPECT_EQ(dumb.out.find("\033"), std::string::npos) << dumb.out;
}

TEST(Terminal, OffATerminalThereIsNoBar) {
  const TemporaryFolder folder;
  const Result result = run({"data", "generate", "motif", "--graphs", "20000", "-o", folder / "a.jsonl"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace dotin::testing
