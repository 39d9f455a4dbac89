// Completions come from the tree of commands, and work in the shells themselves.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/temporary_folder.h"

namespace dotin::testing {
namespace {

/// What bash would offer for these words, one a line, in a folder with one file "graphs.jsonl".
std::string bash_offers(const std::string& words, int at) {
  const TemporaryFolder folder;
  folder.write("graphs.jsonl", "");
  const std::string script = folder.write(
      "complete.sh", run({"completions", "bash"}).out + "\ncompopt() { :; }\nCOMP_WORDS=(" + words +
                         ")\nCOMP_CWORD=" + std::to_string(at) + "\n_dotin\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const Result result = run_program({"bash", script}, {}, folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(Completions, BashScriptIsValid) {
  const TemporaryFolder folder;
  const std::string script = folder.write("dotin.bash", run({"completions", "bash"}).out);
  const Result result = run_program({"bash", "-n", script});
  EXPECT_EQ(result.code, 0) << result.err;
}

TEST(Completions, BashOffersSubcommands) {
  EXPECT_EQ(bash_offers("dotin data ''", 2), "list\nget\ninfo\ncheck\ngenerate\npack\n");
  EXPECT_EQ(bash_offers("dotin data g", 2), "get\ngenerate\n");
}

TEST(Completions, BashOffersOptionsOfTheCommandAndThoseAbove) {
  EXPECT_EQ(bash_offers("dotin data check x --f", 4), "--folds\n");
  EXPECT_EQ(bash_offers("dotin data info --q", 3), "--quiet\n");
  EXPECT_EQ(bash_offers("dotin data list --f", 3), "\n");
}

TEST(Completions, BashOffersChoices) {
  EXPECT_EQ(bash_offers("dotin data info x --duplicates ''", 5), "merge\nkeep\nerror\n");
  EXPECT_EQ(bash_offers("dotin data info x --duplicates = k", 6), "keep\n");
  EXPECT_EQ(bash_offers("dotin data generate m", 3), "motif\n");
  EXPECT_EQ(bash_offers("dotin completions ''", 2), "bash\nzsh\nfish\n");
  EXPECT_EQ(bash_offers("dotin data get PROT", 3), "PROTEINS\n");
}

TEST(Completions, BashOffersFilesForPathsAndOutputs) {
  EXPECT_EQ(bash_offers("dotin data info gr", 3), "graphs.jsonl\n");
  EXPECT_EQ(bash_offers("dotin data pack x -o gr", 5), "graphs.jsonl\n");
}

TEST(Completions, ZshAndFishKnowTheSameWords) {
  for (const char* shell : {"zsh", "fish"}) {
    const Result result = run({"completions", shell});
    EXPECT_EQ(result.code, 0);
    for (const char* word : {"generate", "duplicates", "merge", "max-line", "PROTEINS"}) {
      EXPECT_NE(result.out.find(word), std::string::npos) << shell << " lacks " << word;
    }
  }
}

TEST(Completions, ZshAndFishScriptsAreValidWhereTheShellIsInstalled) {
  int checked = 0;
  for (const char* shell : {"zsh", "fish"}) {
    if (run_program({shell, "-c", "exit 0"}).code != 0) continue;
    const TemporaryFolder folder;
    const std::string script = folder.write("script", run({"completions", shell}).out);
    const Result result = run_program({shell, "-n", script});
    EXPECT_EQ(result.code, 0) << shell << ": " << result.err;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST(Completions, UnknownShellIsAUsageError) {
  const Result result = run({"completions", "tcsh"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("{bash,zsh,fish}"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace dotin::testing
