#include "dotin/report/explain_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/explained.h"

namespace dotin::report {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file
using nlohmann::json;

TEST(ExplainJson, AGraphComesWithItsStructureAndOriginalNodes) {
  const Explained given = explained(small_records(12));
  for (const explain::Prediction& prediction : given.predictions) {
    const json graph = graph_json(prediction, given.learner, *given.dataset);
    const data::GraphView view = given.dataset->graph(prediction.graph);
    EXPECT_EQ(graph["graph"], prediction.graph);
    EXPECT_EQ(graph["nodes"], view.nodes);
    EXPECT_EQ(graph["edges"].size() * 2, static_cast<std::size_t>(view.directed_edges()));
    EXPECT_EQ(graph["departure"], json(prediction.explanation.departure));
    EXPECT_EQ(graph["attributes"].size(), static_cast<std::size_t>(view.nodes));
    ASSERT_EQ(graph["labels"].size(), 1u);
    EXPECT_EQ(graph["labels"].begin()->size(), static_cast<std::size_t>(view.nodes));
    ASSERT_EQ(graph["layers"].size(), 3u);
    for (const json& layer : graph["layers"]) {
      EXPECT_EQ(layer["rank"]["ged"].size(), layer["nodes"].size());
      EXPECT_EQ(layer["attentiveness"]["classify"].size(), layer["nodes"].size());
    }
    EXPECT_EQ(graph["layers"][0]["score"].size(), static_cast<std::size_t>(view.nodes));
    for (const json& merged : graph["merged"]) EXPECT_FALSE(merged["stands_for"].empty());
  }
}

TEST(ExplainJson, TruthIsWhatTheDataSays) {
  const Explained given =
      explained(small_records(12), {"kind=classify:kind", "regress:attributes.0", "multilabel:tox"});
  const json first = graph_json(given.predictions[0], given.learner, *given.dataset)["tasks"];
  EXPECT_EQ(first["kind"]["true"], "ring");
  EXPECT_EQ(first["regress"]["true"], given.dataset->graph(0).nodes) << "one column of the two";
  EXPECT_EQ(first["multilabel"]["true"].size(), 2u);
  EXPECT_TRUE(first["kind"]["predicted"].contains("probabilities"));
  const json fourth = graph_json(given.predictions[4], given.learner, *given.dataset)["tasks"];
  EXPECT_TRUE(fourth["kind"]["true"].is_null()) << "missing";

  io::Records untold = small_records(12);
  untold.targets.clear();
  const data::Dataset other = data::build_dataset(std::move(untold), data::DuplicatePolicy::merge);
  EXPECT_TRUE(graph_json(given.predictions[0], given.learner, other)["tasks"]["kind"]["true"].is_null());
}

TEST(ExplainJson, NumbersOfTheDataAreAsShortAsTheyWere) {
  io::Records records = small_records(12);
  std::vector<float> values(static_cast<std::size_t>(records.nodes()), 0.1f);
  records.node_attributes = {1, std::move(values)};
  const Explained given = explained(std::move(records));
  EXPECT_EQ(graph_json(given.predictions[0], given.learner, *given.dataset)["attributes"][0].dump(), "[0.1]");
}

TEST(ExplainJson, PlantedNodesAreListed) {
  io::Records records = small_records(12);
  std::vector<uint8_t> planted(static_cast<std::size_t>(records.nodes()), 0);
  planted[1] = planted[3] = 1;
  records.relevant = {{"label", std::move(planted)}};
  const Explained given = explained(std::move(records));
  EXPECT_EQ(graph_json(given.predictions[0], given.learner, *given.dataset)["planted"], json({{"label", {1, 3}}}));
}

TEST(ExplainJson, TheModelSaysHowItDrops) {
  const Explained given = explained(small_records(12));
  const json model = model_json(given.learner, *given.dataset);
  EXPECT_EQ(model["tasks"][1], json({{"name", "ged"},
                                     {"kind", "ged"},
                                     {"target", given.learner.tasks[1]->spec().target},
                                     {"distance", "euclidean"},
                                     {"scale", "nodes"}}));
  EXPECT_EQ(model["drop_ratio"], json({0.5, 0.5, 0.0}));
  EXPECT_EQ(model["layers"], 3);
}

}  // namespace
}  // namespace dotin::report
