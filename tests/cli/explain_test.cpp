#include <algorithm>
#include <filesystem>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

/// A model trained once for all tests of this file.
class Explain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    data_ = *folder_ / "motif.jsonl";
    Result result = run({"data", "generate", "motif", "--graphs", "30", "--nodes", "20", "--tasks", "2", "-o", data_});
    ASSERT_EQ(result.code, 0) << result.err;
    result = run(small_run("train", data_, *folder_ / "run",
                           {"--tasks", "one=classify,two=classify:label2", "--layers", "3", "--drop-ratio", "0.5"}));
    ASSERT_EQ(result.code, 0) << result.err;
    model_ = *folder_ / "run/model.safetensors";
  }
  static void TearDownTestSuite() { delete folder_; }

  static TemporaryFolder* folder_;
  static std::string data_, model_;
};

TemporaryFolder* Explain::folder_ = nullptr;
std::string Explain::data_, Explain::model_;

TEST_F(Explain, WritesAPageOfTheGraphsAskedFor) {
  const TemporaryFolder folder;
  const Result result = run({"explain", model_, data_, "--graph", "12,3", "-o", folder / "page.html"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_SAYS(result.out, "written  " + folder / "page.html", "xdg-open");
  EXPECT_EQ(read_text(folder / "page.html").substr(0, 15), "<!DOCTYPE html>");
  EXPECT_EQ(run({"explain", model_, data_, "--graph", "12", "-o", folder / "page.html"}).code, 1)
      << "nothing is overwritten unasked";
}

TEST_F(Explain, JsonOfGraphsHasThemInTheOrderAsked) {
  const Result result = run({"explain", model_, data_, "--graph", "12,3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json told = nlohmann::json::parse(result.out);
  ASSERT_EQ(told["graphs"].size(), 2u);
  EXPECT_EQ(told["graphs"][0]["graph"], 12);
  EXPECT_EQ(told["graphs"][1]["graph"], 3);
  EXPECT_EQ(told["graphs"][0]["planted"]["label2"].size(), 4u);
  EXPECT_EQ(told["model"]["tasks"][1]["name"], "two");
}

TEST_F(Explain, TestGraphsAreThoseThatTrainingKeptForTheTest) {
  const Result result = run({"explain", model_, data_, "--test-graphs", "3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json graphs = nlohmann::json::parse(result.out)["graphs"];
  ASSERT_EQ(graphs.size(), 3u) << "all of them: a tenth of 30";
  for (const char* const task : {"one", "two"}) {
    double right = 0;
    for (const nlohmann::json& graph : graphs)
      right += graph["tasks"][task]["true"] == graph["tasks"][task]["predicted"]["label"] ? 1 : 0;
    const nlohmann::json run = nlohmann::json::parse(read_text(*folder_ / "run/result.json"));
    EXPECT_NEAR(run["test"][task]["accuracy"], right / 3, 1e-9) << task;
  }
  EXPECT_SAYS(run({"explain", model_, data_, "--test-graphs", "4", "--json"}).err, "training kept 3");
}

TEST_F(Explain, CsvHasARowPerNode) {
  const Result json = run({"explain", model_, data_, "--graph", "4", "--json"});
  const Result csv = run({"explain", model_, data_, "--graph", "4", "--csv"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  const auto nodes = nlohmann::json::parse(json.out)["graphs"][0]["nodes"].get<std::ptrdiff_t>();
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), nodes + 1);
  EXPECT_SAYS(csv.out, "layer0.one.attentiveness,layer0.one.rank");
}

TEST_F(Explain, WithoutGraphsItIsAboutTheDataset) {
  const Result result = run({"explain", model_, data_, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json summary = nlohmann::json::parse(result.out)["summary"];
  EXPECT_EQ(summary["graphs"], 30);
  EXPECT_EQ(summary["departures"].size(), 4u);
  EXPECT_EQ(summary["retention"].size(), 3u) << "all together, and each task";
  EXPECT_EQ(summary["agreement"].size(), 1u);
  EXPECT_FALSE(nlohmann::json::parse(result.out).contains("verification"));
  EXPECT_SAYS(run({"explain", model_, data_, "--csv"}).out, "task,feature,value,nodes,kept,expected,z\nall,label,");
}

TEST_F(Explain, VerifiesAsTextOrJson) {
  const Result text = run({"explain", model_, data_, "--verify"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_SAYS(text.out, "one fidelity+");
  EXPECT_SAYS(text.out, "label2 after layer 1");
  const Result json = run({"explain", model_, data_, "--verify", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const nlohmann::json verification = nlohmann::json::parse(json.out)["verification"];
  EXPECT_EQ(verification["graphs"].get<int>() + verification["left_out"].get<int>(), 30);
  EXPECT_TRUE(verification["fidelity"]["two"]["plus"]["dropped"]["low"].is_number());
  EXPECT_EQ(verification["planted"].size(), 4u) << "two targets, two layers that drop";
}

TEST_F(Explain, SaysWhatIsWrong) {
  EXPECT_SAYS(run({"explain", model_, data_, "--graph", "30", "--json"}).err, "there is no graph 30");
  const Result nowhere = run({"explain", model_, data_, "--graph", "3"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_SAYS(nowhere.err, "-o page.html");
  EXPECT_EQ(run({"explain", model_, data_, "--graph", "-1", "--json"}).code, 2);
  EXPECT_EQ(run({"explain", model_, data_, "--csv", "--json"}).code, 2);
  EXPECT_EQ(run({"explain", model_, data_, "--graph", "1", "--verify"}).code, 2);
}

}  // namespace
}  // namespace dotin::testing
