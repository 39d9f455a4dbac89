// Losses and predictions against numbers worked out by hand, and what the tasks make of their targets.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dotin/tasks/kinds.h"
#include "support/numeric_jacobian.h"
#include "support/small_data.h"

namespace dotin::tasks {
namespace {

using dotin::testing::dataset_with;
using dotin::testing::error_of;
using dotin::testing::gradients_match;
using dotin::testing::random_tensor;
using dotin::testing::small_dataset;

const double kMissing = std::nan("");

std::unique_ptr<Task> task_of(const std::string& text) {
  return make_task(network::make_output(network::parse_tasks({text}).at(0)));
}

std::unique_ptr<Task> fitted(const std::string& text, const std::shared_ptr<const data::Dataset>& dataset,
                             const LossOptions& options = {}) {
  std::unique_ptr<Task> task = task_of(text);
  task->fit(data::View(dataset), options);
  return task;
}

/// What a task sees of a batch: which graphs are in it, of one node each.
batch::Batch batch_with(std::vector<int64_t> graphs, int32_t copies = 1) {
  batch::Batch batch;
  batch.anchors = static_cast<int32_t>(graphs.size());
  for (int32_t copy = 0; copy < copies; ++copy)
    batch.graph_index.insert(batch.graph_index.end(), graphs.begin(), graphs.end());
  batch.node_offsets.resize(batch.graph_index.size() + 1);
  std::iota(batch.node_offsets.begin(), batch.node_offsets.end(), 0);
  return batch;
}

double loss_of(const Task& task, const data::Dataset& dataset, const batch::Batch& batch, const at::Tensor& output) {
  return task.loss(output, batch, task.bind(dataset)).item<double>();
}

at::Tensor rows(std::initializer_list<double> values, int64_t width) {
  return at::tensor(std::vector<double>(values), at::kDouble).view({-1, width});
}

// -log softmax: of (1, 0): 0.313262, 1.313262; of (0, 2): 2.126928, 0.126928.
TEST(Classify, LossIsTheMeanCrossEntropyOfTheLabelledGraphs) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{-1, 1, kMissing, -1, -1}, {}}});
  const auto task = fitted("classify", dataset);
  const at::Tensor output = rows({1, 0, 0, 2, 5, 5}, 2);
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1, 2}), output), (0.313262 + 0.126928) / 2, 1e-6);
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({1, 0, 2}), output), (1.313262 + 2.126928) / 2, 1e-6)
      << "targets follow the graphs of the batch";
  EXPECT_EQ(loss_of(*task, *dataset, batch_with({2}), rows({5, 5}, 2)), 0) << "no graph has a label";
}

TEST(Classify, SmoothingSpreadsAShareOverAllClasses) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{-1, 1, kMissing}, {}}});
  LossOptions options;
  options.label_smoothing = 0.1;
  const auto task = fitted("classify", dataset, options);
  // 0.9 * 0.313262 + 0.1 * (0.313262 + 1.313262) / 2 = 0.363262; 0.9 * 0.126928 + 0.1 * 1.126928 = 0.226928
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1, 2}), rows({1, 0, 0, 2, 3, 0}, 2)), 0.295095, 1e-6);
}

TEST(Classify, BalancedClassesWeighByTheInverseOfTheirFrequency) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{-1, 1, -1, -1, kMissing}, {}}});
  LossOptions options;
  options.balanced_classes = true;
  const auto task = fitted("classify", dataset, options);
  // Weights 4 / (2 * 3) and 4 / (2 * 1): (2/3 * 0.313262 + 2 * 0.126928) / (2/3 + 2)
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1}), rows({1, 0, 0, 2}, 2)), 0.173511, 1e-6);
}

TEST(Classify, MetricsCompareWithTheTargets) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{-1, 1, 1, kMissing}, {}}});
  const auto task = fitted("classify", dataset);
  Collected collected;
  // In two batches, as they come: right, wrong; right, no label.
  task->collect(rows({1, 0, 3, 1}, 2), batch_with({0, 1}), task->bind(*dataset), collected);
  task->collect(rows({0, 1, 9, 0}, 2), batch_with({2, 3}), task->bind(*dataset), collected);
  const std::vector<Metric> metrics = task->metrics(collected);
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics[0].name, "accuracy");
  EXPECT_NEAR(metrics[0].value, 2.0 / 3, 1e-12);
  EXPECT_EQ(metrics[1].name, "f1");
  EXPECT_NEAR(metrics[1].value, (2.0 / 3 + 2.0 / 3) / 2, 1e-12);
  EXPECT_EQ(metrics[2].name, "auc");
  // Scores -1 (negative), -2 and 1 (positive): one of the two pairs is in order.
  EXPECT_NEAR(metrics[2].value, 0.5, 1e-12);
  EXPECT_EQ(task->score(metrics), metrics[0].value);
}

TEST(Classify, PredictionHasLogitsProbabilitiesAndTheOriginalClass) {
  const auto numbers = fitted("classify", small_dataset(8));
  const double output[] = {0, std::log(3.0)};
  const network::Reading reading = numbers->output().read(output, 2);
  EXPECT_EQ(reading.label, "1");
  EXPECT_NEAR(reading.probabilities[0], 0.25, 1e-12);
  EXPECT_NEAR(reading.probabilities[1], 0.75, 1e-12);
  EXPECT_EQ(reading.logits[1], std::log(3.0));
  EXPECT_TRUE(reading.values.empty() && reading.embedding.empty());
  const double huge[] = {1000, -1000};
  EXPECT_EQ(numbers->output().read(huge, 2).probabilities[0], 1) << "no overflow";
  EXPECT_EQ(fitted("classify:kind", small_dataset(8))->output().read(output, 2).label, "ring");
}

TEST(Classify, ClassesOfOtherDataGoByTheirValue) {
  const auto task = fitted("classify", small_dataset(8));
  const auto other = dataset_with({{"label", 1, std::vector<double>{1, kMissing, 1}, {}}});
  const BoundTargets bound = task->bind(*other);
  EXPECT_EQ(bound.values[0], 1) << "not 0, though it is the first class of that data";
  EXPECT_TRUE(std::isnan(bound.values[1]));

  const auto text = fitted("classify:kind", small_dataset(8));
  const auto names = dataset_with({{"kind", 1, std::vector<double>{0, 1}, {"ring", "tree"}}});
  EXPECT_SAYS(error_of([&] { text->bind(*names); }),
              "given: class 'tree' of target 'kind' is unknown to the model, which knows path, ring");
  const auto known = dataset_with({{"kind", 1, std::vector<double>{0, 0}, {"ring"}}});
  EXPECT_EQ(text->bind(*known).values[0], 1);
}

TEST(Classify, ColumnsOfATargetAreTargetsToo) {
  const auto task = fitted("classify:tox.1", small_dataset(12));
  EXPECT_EQ(task->output().width(64), 2);
  const auto text = fitted("classify:kind.0", small_dataset(8));
  EXPECT_EQ(text->output().to_json()["classes"], (std::vector<std::string>{"path", "ring"})) << "text stays text";
}

TEST(Classify, WhatCannotBeLearnedIsRefused) {
  const auto one = dataset_with({{"label", 1, std::vector<double>{2, 2}, {}}});
  EXPECT_SAYS(error_of([&] { fitted("classify", one); }), "target 'label' has 1 class(es)");
  const auto wide = small_dataset(8);
  EXPECT_SAYS(error_of([&] { fitted("classify:tox", wide); }), "target 'tox' has 2 columns, classes need one");
  EXPECT_SAYS(error_of([&] { fitted("classify:toxx", wide); }), "label, kind, attributes, tox");
  EXPECT_SAYS(error_of([&] { fitted("classify:tox.2", wide); }), "target 'tox' has 2 columns (0 to 1)");
  EXPECT_SAYS(error_of([&] { fitted("classify:tox.99999999999999999999", wide); }), "label, kind, attributes, tox");
  const auto none = dataset_with({{"label", 1, std::vector<double>{0, 1, kMissing}, {}}});
  EXPECT_SAYS(error_of([&] { task_of("classify")->fit(data::View(none, {2}), {}); }),
              "none of the training graphs has a value of target 'label'");
  std::vector<double> all;
  for (int i = 0; i <= 10'000; ++i) all.push_back(i);
  EXPECT_SAYS(error_of([&] { fitted("classify", dataset_with({{"label", 1, all, {}}})); }), "(use regress:label)");
}

TEST(Regress, LossIsTheSquaredErrorOfStandardisedTargets) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{1, 3, kMissing, 5}, {}}});
  const auto task = fitted("regress", dataset);
  // Mean 3, deviation sqrt(8/3): targets -1.224745, 0, nothing, 1.224745
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1, 2, 3}), rows({0, 0, 0, 0}, 1)), 1, 1e-12);
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1, 2, 3}), rows({1, 0, 7, 0}, 1)), 2.149830, 1e-6);
  EXPECT_EQ(loss_of(*task, *dataset, batch_with({2}), rows({7}, 1)), 0);
}

TEST(Regress, MetricsAndPredictionsAreInTheTargetsUnits) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{1, 3, kMissing, 5}, {}}});
  const auto task = fitted("regress", dataset);
  Collected collected;
  task->collect(rows({0, 0, 0, 0}, 1), batch_with({0, 1, 2, 3}), task->bind(*dataset), collected);
  const std::vector<Metric> metrics = task->metrics(collected);
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics[0].name, "rmse");
  EXPECT_FALSE(metrics[0].higher_is_better);
  EXPECT_NEAR(metrics[0].value, std::sqrt(8.0 / 3), 1e-12);
  EXPECT_EQ(metrics[1].name, "mae");
  EXPECT_NEAR(metrics[1].value, 4.0 / 3, 1e-12);
  EXPECT_EQ(metrics[2].name, "r2");
  EXPECT_NEAR(metrics[2].value, 0, 1e-12);
  EXPECT_EQ(task->score(metrics), metrics[2].value) << "higher must be better";
  const double output[] = {1};
  EXPECT_NEAR(task->output().read(output, 1).values[0], 3 + std::sqrt(8.0 / 3), 1e-12);
}

TEST(Regress, SeveralTargetsAtOnceOrOneColumn) {
  const auto dataset = small_dataset(12);
  const auto both = fitted("regress:attributes", dataset);
  EXPECT_EQ(both->output().width(64), 2);
  const double output[] = {0, 0};
  const std::vector<double> values = both->output().read(output, 2).values;
  ASSERT_EQ(values.size(), 2u);
  const auto column = fitted("regress:attributes.1", dataset);
  EXPECT_EQ(column->output().width(64), 1);
  EXPECT_EQ(column->output().read(output, 1).values[0], values[1]);
  const auto narrow = dataset_with({{"attributes", 1, std::vector<double>{1, 2}, {}}});
  EXPECT_SAYS(error_of([&] { both->bind(*narrow); }), "target 'attributes' has 1 columns, the model was trained on 2");
}

TEST(Regress, LargeTargetsKeepTheirDigits) {
  // In float, and with a variance from sums of squares, nothing of the differences would be left.
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{1e9, 1e9 + 2}, {}}});
  const auto task = fitted("regress", dataset);
  const at::Tensor output = at::zeros({2, 1}, at::kFloat);
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1}), output), 1, 1e-6);
  const auto constant = dataset_with({{"label", 1, std::vector<double>{0.1, 0.1, 0.1}, {}}});
  EXPECT_EQ(fitted("regress", constant)->output().to_json()["deviation"][0], 1) << "a constant is only shifted";
}

TEST(Regress, RefusesTextInfinityAndNothing) {
  EXPECT_SAYS(error_of([&] { fitted("regress:kind", small_dataset(8)); }),
              "target 'kind' holds text ('path', ...), but regress needs numbers (use classify:kind)");
  const auto infinite = dataset_with({{"label", 1, std::vector<double>{1, INFINITY}, {}}});
  EXPECT_SAYS(error_of([&] { fitted("regress", infinite); }), "given: graph 1 has inf in target 'label'");
  const auto empty = dataset_with({{"label", 2, std::vector<double>{1, kMissing, 2, kMissing}, {}}});
  EXPECT_SAYS(error_of([&] { fitted("regress", empty); }), "no training graph has a value in column 1");
}

TEST(Multilabel, LossIsTheMeanOverTheAnsweredQuestions) {
  const auto dataset = dataset_with({{"tox", 2, std::vector<double>{1, kMissing, 0, 0, kMissing, kMissing}, {}}});
  const auto task = fitted("multilabel:tox", dataset);
  // log 2 = 0.693147; log(1 + e^2) = 2.126928; log(1 + e^-1) = 0.313262
  EXPECT_NEAR(loss_of(*task, *dataset, batch_with({0, 1, 2}), rows({0, 1, 2, -1, 4, 4}, 2)), 1.044446, 1e-6);
  EXPECT_EQ(loss_of(*task, *dataset, batch_with({2}), rows({4, 4}, 2)), 0);
}

TEST(Multilabel, MetricsLeaveOutTheUnanswered) {
  const auto dataset = dataset_with({{"tox", 2, std::vector<double>{1, kMissing, 0, 1, 1, 0}, {}}});
  const auto task = fitted("multilabel:tox", dataset);
  Collected collected;
  task->collect(rows({2, -9, 1, 3, 3, -1}, 2), batch_with({0, 1, 2}), task->bind(*dataset), collected);
  const std::vector<Metric> metrics = task->metrics(collected);
  EXPECT_EQ(metrics[0].name, "auc");
  EXPECT_NEAR(metrics[0].value, 1, 1e-12);
  EXPECT_EQ(metrics[1].name, "accuracy");
  EXPECT_NEAR(metrics[1].value, 4.0 / 5, 1e-12);
  const double output[] = {0, std::log(3.0)};
  const network::Reading reading = task->output().read(output, 2);
  EXPECT_NEAR(reading.probabilities[0], 0.5, 1e-12);
  EXPECT_NEAR(reading.probabilities[1], 0.75, 1e-12);
}

TEST(Multilabel, TakesNothingButZeroOneOrNothing) {
  const auto dataset = dataset_with({{"tox", 2, std::vector<double>{1, 0, 0, 2}, {}}});
  EXPECT_SAYS(error_of([&] { fitted("multilabel:tox", dataset); }), "given: graph 1 has 2 in target 'tox'");
  const auto nothing = dataset_with({{"tox", 1, std::vector<double>{1, kMissing}, {}}});
  EXPECT_SAYS(error_of([&] { task_of("multilabel:tox")->fit(data::View(nothing, {1}), {}); }),
              "none of the training graphs has a value of target 'tox'");
}

TEST(Ged, MarginLossIsOnSquaredDistancesWhereAsked) {
  const auto dataset = small_dataset(8);
  LossOptions options;
  options.ged_squared = true;
  const auto task = fitted("ged", dataset, options);
  EXPECT_TRUE(task->needs_triplets());
  EXPECT_EQ(task->output().width(64), 64);
  // Anchors (0,0), (1,1); positives (1,0), (1,3): distances 1, 4; negatives (0,2), (2,1): distances 4, 1.
  const at::Tensor output = rows({0, 0, 1, 1, 1, 0, 1, 3, 0, 2, 2, 1}, 2);
  const batch::Batch batch = batch_with({0, 1}, 3);
  EXPECT_NEAR(loss_of(*task, *dataset, batch, output), (0 + (1 + 4 - 1)) / 2.0, 1e-12);
  options.ged_margin = 3.5;
  EXPECT_NEAR(loss_of(*fitted("ged", dataset, options), *dataset, batch, output), (0.5 + 6.5) / 2, 1e-12);
  Collected collected;
  task->collect(output, batch, {}, collected);
  const std::vector<Metric> metrics = task->metrics(collected);
  EXPECT_EQ(metrics[0].name, "triplet_accuracy");
  EXPECT_NEAR(metrics[0].value, 0.5, 1e-12);
  EXPECT_EQ(metrics[1].name, "pair_auc");
  EXPECT_NEAR(metrics[1].value, 0.5, 1e-12);
  const double embedding[] = {1, 2};
  EXPECT_EQ(task->output().read(embedding, 2).embedding, (std::vector<double>{1, 2}));
}

TEST(Ged, MarginLossIsOnDistances) {
  const auto dataset = small_dataset(8);
  const auto task = fitted("ged", dataset);
  // Distances 1, 2 to the positives and 2, 1 to the negatives; the margin is 1.
  const at::Tensor output = rows({0, 0, 1, 1, 1, 0, 1, 3, 0, 2, 2, 1}, 2);
  const batch::Batch batch = batch_with({0, 1}, 3);
  EXPECT_NEAR(loss_of(*task, *dataset, batch, output), (0 + (1 + 2 - 1)) / 2.0, 1e-12);
  EXPECT_NEAR(loss_of(*task, *dataset, batch, 0.5 * output), ((1 + 0.5 - 1) + (1 + 1 - 0.5)) / 2.0, 1e-12);
}

TEST(Ged, LossOfCopiesIsTheMarginAndHasNoGradient) {
  const auto dataset = small_dataset(8);
  const auto task = fitted("ged", dataset);
  const at::Tensor output = at::ones({6, 2}, at::kDouble).requires_grad_(true);
  const at::Tensor loss = task->loss(output, batch_with({0, 1}, 3), {});
  EXPECT_NEAR(loss.item<double>(), 1, 1e-12);
  loss.backward();
  EXPECT_EQ(output.grad().abs().max().item<double>(), 0);
}

TEST(Ged, EmbeddingsCountTimesTheNodes) {
  const auto dataset = small_dataset(8);
  LossOptions options;
  options.ged_squared = true;
  const auto scaled = fitted("ged", dataset, options);
  options.ged_by_nodes = false;
  const auto plain = fitted("ged", dataset, options);
  // Distances 1, 4 to the positives and 4, 1 to the negatives; graphs of 3 and of 2 nodes: 9, 16 and 36, 4.
  const at::Tensor output = rows({0, 0, 1, 1, 1, 0, 1, 3, 0, 2, 2, 1}, 2);
  batch::Batch batch = batch_with({0, 1}, 3);
  batch.node_offsets = {0, 3, 5, 8, 10, 13, 15};
  EXPECT_NEAR(loss_of(*scaled, *dataset, batch, output), (0 + (1 + 16 - 4)) / 2.0, 1e-12);
  EXPECT_NEAR(loss_of(*plain, *dataset, batch, output), (0 + (1 + 4 - 1)) / 2.0, 1e-12);
  Collected collected;
  scaled->collect(output, batch, {}, collected);
  EXPECT_EQ(collected.d_pos, (std::vector<double>{9, 16}));
  EXPECT_EQ(collected.d_neg, (std::vector<double>{36, 4}));

  const auto read = task_of("ged");
  read->shared_output()->from_json(nlohmann::json::parse(plain->output().to_json().dump()));
  EXPECT_NEAR(loss_of(*read, *dataset, batch, output), 2, 1e-12) << "a model file remembers";
}

TEST(Ged, RefusesGraphsWithoutEdges) {
  const auto dataset = dataset_with({{"label", 1, std::vector<double>{0, 1}, {}}});
  EXPECT_SAYS(error_of([&] { fitted("ged", dataset); }), "no training graph has an edge to substitute");
}

TEST(Tasks, GradientsOfTheLossesMatchDifferences) {
  const auto dataset = small_dataset(8);
  LossOptions options;
  options.label_smoothing = 0.2;
  options.balanced_classes = true;
  options.ged_margin = 2;
  const batch::Batch batch = batch_with({0, 1, 2, 4, 5});
  for (const char* const text : {"classify", "classify:kind", "regress:attributes", "multilabel:tox"}) {
    const auto task = fitted(text, dataset, options);
    const BoundTargets targets = task->bind(*dataset);
    const at::Tensor output = random_tensor({5, task->output().width(0)}, 3);
    EXPECT_TRUE(gradients_match([&] { return task->loss(output, batch, targets); }, {output})) << text;
  }
  const batch::Batch triplets = batch_with({0, 1, 2, 5}, 3);
  const at::Tensor output = random_tensor({12, 4}, 4);
  for (const bool squared : {true, false}) {
    options.ged_squared = squared;
    const auto ged = fitted("ged", dataset, options);
    EXPECT_TRUE(gradients_match([&] { return ged->loss(output, triplets, {}); }, {output})) << squared;
  }
}

TEST(Tasks, WhatWasFittedSurvivesJson) {
  const auto dataset = small_dataset(12);
  const double output[] = {0.3, -0.7, 1.5, 0.1};
  for (const char* const text : {"classify:kind", "regress:attributes", "multilabel:tox", "ged"}) {
    const auto task = fitted(text, dataset);
    const auto read = task_of(text);
    read->shared_output()->from_json(nlohmann::json::parse(task->output().to_json().dump()));
    EXPECT_EQ(read->output().width(4), task->output().width(4)) << text;
    const int64_t width = task->output().width(4);
    const network::Reading before = task->output().read(output, width), after = read->output().read(output, width);
    EXPECT_EQ(after.label, before.label) << text;
    EXPECT_EQ(after.probabilities, before.probabilities) << text;
    EXPECT_EQ(after.values, before.values) << text;
    EXPECT_EQ(after.embedding, before.embedding) << text;
    EXPECT_EQ(read->bind(*dataset).width, task->bind(*dataset).width) << text;
  }
}

double change_of(const Task& task, std::vector<double> before, std::vector<double> after) {
  return task.output().change(before.data(), after.data(), static_cast<int64_t>(before.size()));
}

// softmax(0, ln 3) = (1/4, 3/4); the sigmoid of ln 3 is 3/4.
TEST(Change, IsWhatTheOutputHasMoved) {
  const double ln3 = std::log(3.0);
  const auto dataset = small_dataset(12);
  const auto classify = fitted("classify", dataset);
  EXPECT_NEAR(change_of(*classify, {0, ln3}, {0, 0}), 0.25, 1e-12) << "3/4 has become 1/2";
  EXPECT_NEAR(change_of(*classify, {0, ln3}, {ln3, 0}), 0.5, 1e-12);
  EXPECT_LT(change_of(*classify, {0, ln3}, {0, 2 * ln3}), 0) << "surer than before";

  const auto multilabel = fitted("multilabel:tox", dataset);
  EXPECT_NEAR(change_of(*multilabel, {ln3, -ln3}, {0, 0}), 0.25, 1e-12) << "yes and no count alike";
  EXPECT_NEAR(change_of(*multilabel, {ln3, -ln3}, {ln3, ln3}), 0.25, 1e-12);

  const auto regress = fitted("regress:attributes", dataset);
  EXPECT_NEAR(change_of(*regress, {1, 2}, {0, 2.5}), 0.75, 1e-12);

  const auto ged = fitted("ged", dataset);
  EXPECT_NEAR(change_of(*ged, {3, 4}, {3, 1.5}), 0.5, 1e-12) << "2.5 of a length of 5";
  EXPECT_EQ(change_of(*ged, {0, 0}, {0, 0}), 0);
}

TEST(Tasks, StatementsSayOfEachGraphWhatIsTrueOfItAndNothingWithoutATarget) {
  const auto dataset = small_dataset(8);  // graph 4 has no targets
  const batch::Batch batch = batch_with({0, 1, 4, 6});
  const auto statements = [&](const char* text) {
    const auto task = fitted(text, dataset);
    return task->statements(batch, task->bind(*dataset));
  };
  const at::Tensor classes = statements("classify");
  ASSERT_EQ(classes.sizes(), (std::vector<int64_t>{4, 2}));
  EXPECT_TRUE(at::equal(classes[0], at::tensor({1.0, 0.0}, at::kDouble))) << "a ring, the class that comes first";
  EXPECT_TRUE(at::equal(classes[1], at::tensor({0.0, 1.0}, at::kDouble)));
  EXPECT_TRUE(classes[2].isnan().all().item<bool>());
  EXPECT_TRUE(at::equal(classes[3], classes[0]));

  const at::Tensor numbers = statements("regress:attributes");  // nodes and edges: 5, 6, -, 7 nodes
  ASSERT_EQ(numbers.sizes(), (std::vector<int64_t>{4, 4}));
  EXPECT_TRUE(at::equal(numbers[0] + numbers[3], at::ones({4}, at::kDouble))) << "the least and the most";
  EXPECT_TRUE(at::equal(numbers[1].narrow(0, 0, 2) + numbers[1].narrow(0, 2, 2), at::ones({2}, at::kDouble)));
  EXPECT_TRUE(numbers[2].isnan().all().item<bool>());

  const auto tox = fitted("multilabel:tox", dataset);
  const BoundTargets answers = tox->bind(*dataset);
  const at::Tensor questions = statements("multilabel:tox");
  ASSERT_EQ(questions.sizes(), (std::vector<int64_t>{4, 4}));
  for (const int64_t row : {0, 1, 2, 3}) {
    for (const int64_t column : {0, 1}) {
      const double answer = answers.values[static_cast<std::size_t>(batch.graph_index[row] * 2 + column)];
      const double yes = questions[row][column].item<double>(), no = questions[row][column + 2].item<double>();
      EXPECT_TRUE(std::isnan(answer) ? std::isnan(yes) && std::isnan(no) : yes == answer && no == 1 - answer);
    }
  }
  EXPECT_EQ(fitted("ged", dataset)->statements(batch, {}).size(1), 0);
}

}  // namespace
}  // namespace dotin::tasks
