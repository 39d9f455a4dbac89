// How --help looks.
#include "help.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"
#include "support/expect.h"

namespace dotin::testing {
namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(HelpText, IsBrokenAtSpacesAndLongListsAfterCommas) {
  EXPECT_EQ(app::wrapped("one two three", 9, 2, 0), "one two\n  three");
  EXPECT_EQ(app::wrapped("one", 9, 2, 8), "one") << "the first word stays where it is";
  EXPECT_EQ(app::wrapped("{alpha,beta,gamma}", 12, 2, 0), "{alpha,beta,\n  gamma}");
  EXPECT_EQ(app::wrapped("a incomprehensibilities b", 8, 1, 0), "a\n incomprehensibilities\n b");
  EXPECT_EQ(app::wrapped("", 8, 1, 0), "");
}

TEST(HelpText, FitsTheTerminalAndShowsFirstWhatPeopleUseMost) {
  const Result few = run({"train", "--help"}, {{"COLUMNS", "80"}});
  const Result all = run({"train", "--help-all"}, {{"COLUMNS", "80"}});
  EXPECT_EQ(few.code, 0);
  EXPECT_EQ(all.code, 0);
  for (const char* const option : {"--tasks", "--drop-ratio", "--backbone", "--epochs", "--lr", "--out", "--resume"})
    EXPECT_SAYS(few.out, option);
  EXPECT_EQ(few.out.find("--auxiliary-weight"), std::string::npos);
  EXPECT_SAYS(few.out, " more options: dotin train --help-all");
  EXPECT_SAYS(all.out, "--auxiliary-weight", "--merge,--no-merge ");
  EXPECT_EQ(all.out.find("more options:"), std::string::npos);
  EXPECT_EQ(all.out.find("{false}"), std::string::npos);
  EXPECT_LE(longest_line(all.out.substr(0, all.out.find("What the presets set"))), 80u);
  EXPECT_LT(std::count(few.out.begin(), few.out.end(), '\n'), 80);
}

TEST(HelpText, IsRefusedForACommandThatThereIsNot) {
  const Result result = run({"sweep", "--help"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_SAYS(result.err, "unknown command 'sweep'");
  EXPECT_EQ(run({"data", "inof", "--help"}).code, 2);
}

}  // namespace
}  // namespace dotin::testing
