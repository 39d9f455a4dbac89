#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/training_support.h"

namespace dotin::testing {
namespace {

/// A model trained once for all tests of this file.
class Predict : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    data_ = folder_->write("own.jsonl", rings_and_paths(30));
    const Result result =
        run(small_run("train", data_, *folder_ / "run",
                      {"--tasks", "classify,regress:size,multilabel:tox,ged", "--layers", "3", "--drop-ratio", "0.5"}));
    ASSERT_EQ(result.code, 0) << result.err;
    model_ = *folder_ / "run/model.safetensors";
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::vector<nlohmann::json> lines_of(const std::string& text) {
    std::vector<nlohmann::json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  static TemporaryFolder* folder_;
  static std::string data_, model_;
};

TemporaryFolder* Predict::folder_ = nullptr;
std::string Predict::data_, Predict::model_;

TEST_F(Predict, OneObjectPerGraphWithWhatEachTaskSays) {
  const Result result = run({"predict", model_, data_});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<nlohmann::json> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 30u);
  for (std::size_t g = 0; g < lines.size(); ++g) {
    const nlohmann::json& line = lines[g];
    EXPECT_EQ(line["graph"], g);
    EXPECT_EQ(line["id"], "g" + std::to_string(g));
    EXPECT_EQ(line["classify"]["logits"].size(), 2u);
    const double ring = line["classify"]["probabilities"][1];
    EXPECT_NEAR(ring + line["classify"]["probabilities"][0].get<double>(), 1, 1e-9);
    EXPECT_EQ(line["classify"]["label"], ring > 0.5 ? "ring" : "path");
    EXPECT_TRUE(line["regress"]["value"].is_number());
    EXPECT_EQ(line["multilabel"]["probabilities"].size(), 2u);
    EXPECT_EQ(line["ged"]["embedding"].size(), 8u);
    EXPECT_FALSE(line.contains("layers"));
  }
}

TEST_F(Predict, ExplainsWhichNodesEveryLayerKeptAndDropped) {
  const std::vector<nlohmann::json> plain = lines_of(run({"predict", model_, data_}).out);
  const std::vector<nlohmann::json> lines = lines_of(run({"predict", model_, data_, "--explain"}).out);
  ASSERT_EQ(lines.size(), 30u);
  for (std::size_t g = 0; g < 30; ++g) {
    EXPECT_EQ(lines[g]["classify"], plain[g]["classify"]) << "explaining changes nothing";
    const std::size_t nodes = 4 + g / 2 % 4;
    const nlohmann::json& layers = lines[g]["layers"];
    ASSERT_EQ(layers.size(), 3u);
    EXPECT_EQ(layers[0]["dropped"].size(), nodes / 2);
    EXPECT_EQ(layers[0]["nodes"].size(), nodes);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_EQ(layers[l]["kept"].size() + layers[l]["dropped"].size(), layers[l]["nodes"].size());
      if (l > 0) {
        EXPECT_EQ(layers[l]["nodes"], layers[l - 1]["kept"]);
      }
      for (const char* const task : {"classify", "regress", "multilabel", "ged"}) {
        EXPECT_EQ(layers[l]["attentiveness"][task].size(), layers[l]["nodes"].size());
      }
    }
  }
}

TEST_F(Predict, NewDataGoesByLabelValueAndNeedsNoTargets) {
  const TemporaryFolder folder;
  // Alone, O is the first label of its data; beside the others it is the last.
  const std::string oxygen =
      "{\"edges\": [[0,1],[1,2]], \"node_labels\": [\"O\",\"O\",\"O\"], \"x\": [[0,1],[1,1],[2,1]]}\n";
  const Result alone = run({"predict", model_, folder.write("alone.jsonl", oxygen)});
  const Result among = run({"predict", model_, folder.write("among.jsonl", oxygen + rings_and_paths(3, false))});
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(among.code, 0) << among.err;
  ASSERT_EQ(lines_of(among.out).size(), 4u);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(lines_of(alone.out).at(0)["classify"]["logits"][c],
                lines_of(among.out).at(0)["classify"]["logits"][c].get<double>(), 1e-5);
  }
}

TEST_F(Predict, WhatTheModelHasNeverSeenIsNamed) {
  const TemporaryFolder folder;
  const std::string unseen = folder.write("unseen.jsonl", rings_and_paths(6, false, "Br"));
  const Result refused = run({"predict", model_, unseen, "-o", folder / "p.jsonl"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_SAYS(refused.err, "Br");
  EXPECT_SAYS(refused.err, "--unknown ignore");
  EXPECT_FALSE(std::filesystem::exists(folder / "p.jsonl"));
  const Result ignored = run({"predict", model_, unseen, "-o", folder / "p.jsonl", "--unknown", "ignore"});
  EXPECT_EQ(ignored.code, 0) << ignored.err;
  EXPECT_SAYS(ignored.err, "Br");
  EXPECT_EQ(ignored.out, "");
  EXPECT_EQ(lines_of(read_text(folder / "p.jsonl")).size(), 6u);
  EXPECT_EQ(run({"predict", model_, unseen, "-o", folder / "p.jsonl", "--unknown", "ignore"}).code, 1)
      << "nothing is overwritten unasked";

  const std::string bare = folder.write("bare.jsonl", "{\"edges\": [[0,1]], \"node_labels\": [\"C\",\"N\"]}\n");
  EXPECT_SAYS(run({"predict", model_, bare}).err, "no node attributes");
  const std::string wide =
      folder.write("wide.jsonl", "{\"edges\": [[0,1]], \"node_labels\": [\"C\",\"N\"], \"x\": [[1,2,3],[1,2,3]]}\n");
  EXPECT_SAYS(run({"predict", model_, wide}).err, "3 node attribute column(s), but the features need 2");
  const std::string unlabelled = folder.write("unlabelled.jsonl", "{\"edges\": [[0,1]], \"x\": [[1,2],[1,2]]}\n");
  EXPECT_SAYS(run({"predict", model_, unlabelled}).err, "no node label column");
}

TEST_F(Predict, AFileThatIsNoModelIsRefused) {
  const Result text = run({"predict", data_, data_});
  EXPECT_EQ(text.code, 1);
  EXPECT_SAYS(text.err, data_);
  const Result checkpoint = run({"predict", *folder_ / "run/last.ckpt.safetensors", data_});
  EXPECT_EQ(checkpoint.code, 1);
  EXPECT_SAYS(checkpoint.err, "not a dotin model");
}

}  // namespace
}  // namespace dotin::testing
