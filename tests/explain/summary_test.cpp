// What is kept over a dataset, against numbers worked out by hand.
#include "dotin/explain/summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "training/small_run.h"

namespace dotin::explain {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

/// Two paths of four nodes, C C N N and N C C C, with one attribute.
std::shared_ptr<const data::Dataset> paths() {
  io::Records records;
  records.node_offsets = {0, 4, 8};
  records.edge_from = {0, 1, 2, 4, 5, 6};
  records.edge_to = {1, 2, 3, 5, 6, 7};
  records.node_labels = {{"atom", std::vector<int32_t>{0, 0, 1, 1, 1, 0, 0, 0}, {"C", "N"}}};
  records.node_attributes = {1, std::vector<float>{1, 2, 3, 4, 0, 0, 0, 8}};
  return std::make_shared<const data::Dataset>(data::build_dataset(std::move(records), data::DuplicatePolicy::merge));
}

/// One graph of which these nodes stay through two layers; the others leave in the first.
Prediction stays(int64_t graph, const std::vector<int32_t>& kept,
                 const std::vector<std::vector<double>>& attentiveness) {
  Prediction prediction;
  prediction.graph = graph;
  prediction.explanation.graph = graph;
  prediction.explanation.departure.assign(4, 0);
  for (const int32_t node : kept) prediction.explanation.departure[static_cast<std::size_t>(node)] = 2;
  prediction.explanation.layers.resize(2);
  prediction.explanation.layers[0].attentiveness = attentiveness;
  return prediction;
}

DatasetSummary summary_of_paths() {
  const auto dataset = paths();
  Summarizer summarizer({"a", "b"}, 2, *dataset);
  summarizer.add(stays(0, {2, 3}, {{0.1, 0.2, 0.3, 0.4}, {0.4, 0.3, 0.2, 0.1}}));
  summarizer.add(stays(1, {0}, {{0.4, 0.3, 0.2, 0.1}, {0.4, 0.3, 0.2, 0.1}}));
  return summarizer.summary();
}

TEST(Summary, CountsWhereNodesLeave) {
  const DatasetSummary summary = summary_of_paths();
  EXPECT_EQ(summary.graphs, 2);
  EXPECT_EQ(summary.nodes, 8);
  EXPECT_EQ(summary.departures, (std::vector<int64_t>{5, 0, 3}));
}

// Graph 0 keeps 2 of 4, of which 2 are N: mean 1, variance 2 * 1/2 * 1/2 * 2/3 = 1/3.
// Graph 1 keeps 1 of 4, of which 1 is N: mean 1/4, variance 1 * 1/4 * 3/4 * 3/3 = 3/16.
TEST(Summary, LabelsAgainstADrawWithinEachGraph) {
  const Retention all = summary_of_paths().retention.at(0);
  EXPECT_EQ(all.task, "");
  ASSERT_EQ(all.labels.size(), 2u);
  const LabelRetention& nitrogen = all.labels[1];
  EXPECT_EQ(nitrogen.column, "atom");
  EXPECT_EQ(nitrogen.value, "N");
  EXPECT_EQ(nitrogen.nodes, 3);
  EXPECT_DOUBLE_EQ(nitrogen.kept, 3);
  EXPECT_DOUBLE_EQ(nitrogen.expected, 1.25);
  EXPECT_NEAR(nitrogen.z, 1.75 / std::sqrt(1.0 / 3 + 3.0 / 16), 1e-12);
  EXPECT_NEAR(all.labels[0].z, -nitrogen.z, 1e-12) << "what one label gains the other loses";
}

// Attribute: kept 3 + 4 + 0 = 7; by chance 2 * 2.5 + 1 * 2 = 7. Degree: kept 2 + 1 + 1, by chance 2 * 1.5 + 1 * 1.5.
TEST(Summary, NumbersAgainstADrawWithinEachGraph) {
  const Retention all = summary_of_paths().retention.at(0);
  ASSERT_EQ(all.numbers.size(), 2u);
  EXPECT_EQ(all.numbers[0].name, "degree");
  EXPECT_DOUBLE_EQ(all.numbers[0].kept_mean, 4.0 / 3);
  EXPECT_DOUBLE_EQ(all.numbers[0].expected_mean, 1.5);
  // Variance of degrees 1 2 2 1 is 1/4: 2 * 1/4 * 2/3 + 1 * 1/4 * 3/3.
  EXPECT_NEAR(all.numbers[0].z, -0.5 / std::sqrt(1.0 / 3 + 0.25), 1e-12);
  EXPECT_EQ(all.numbers[1].name, "attribute 0");
  EXPECT_DOUBLE_EQ(all.numbers[1].kept_mean, 7.0 / 3);
  EXPECT_NEAR(all.numbers[1].z, 0, 1e-12);
}

TEST(Summary, ATaskWouldKeepWhatItIsMostAttentiveTo) {
  const DatasetSummary summary = summary_of_paths();
  EXPECT_EQ(summary.retention.at(1).task, "a");
  EXPECT_DOUBLE_EQ(summary.retention[1].labels[1].kept, 3) << "nodes 2 and 3, and 0 of the second: all N";
  EXPECT_DOUBLE_EQ(summary.retention.at(2).labels[1].kept, 1) << "nodes 0 and 1 are C";
}

TEST(Summary, AgreementOfTasks) {
  const DatasetSummary summary = summary_of_paths();
  ASSERT_EQ(summary.agreement.size(), 1u);
  const Agreement& pair = summary.agreement[0];
  EXPECT_EQ(pair.graphs, 2);
  EXPECT_NEAR(pair.correlation, 0, 1e-12) << "-1 in the first, 1 in the second";
  EXPECT_NEAR(pair.correlation_error, 1, 1e-12);
  EXPECT_DOUBLE_EQ(pair.overlap, 0.5) << "nothing in the first, all in the second";
  EXPECT_DOUBLE_EQ(pair.similar, 1) << "0.1 is just a quarter of 0.4";
}

TEST(Summary, OfAModelCountsEveryNodeOnce) {
  network::RunOptions options = small_options({"classify", "ged"});
  options.model.drop_ratio = {0.5};
  const data::View view(small_dataset(24));
  const training::Learner learner = training::make_learner(options, view);
  const data::FeatureEncoder encoder(learner.features, view.dataset(), data::UnknownLabels::error);
  core::NoProgress silent;
  const DatasetSummary summary = summarize(training::LearnerPredictor(learner), encoder, view, silent);
  EXPECT_EQ(summary.graphs, 24);
  EXPECT_EQ(summary.nodes, view.dataset().nodes());
  double kept = 0, expected = 0, stayed = static_cast<double>(summary.departures.back());
  for (const LabelRetention& label : summary.retention[0].labels) {
    kept += label.kept;
    expected += label.expected;
  }
  EXPECT_NEAR(kept, stayed, 1e-9);
  EXPECT_NEAR(expected, stayed, 1e-9);
}

}  // namespace
}  // namespace dotin::explain
