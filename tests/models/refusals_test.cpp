// Options that make no sense are refused with a message that says what to do.
#include <gtest/gtest.h>

#include <limits>

#include "dotin/core/error.h"
#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

std::string refusal(const network::ModelOptions& options, std::vector<network::Head> heads = {{"y", 2}}) {
  try {
    const Model model(options, 2, std::move(heads), 0);
  } catch (const core::UsageError& error) {
    return error.what();
  } catch (const core::Error& error) {
    return std::string("not a usage error: ") + error.what();
  }
  return "accepted";
}

template <class Change>
std::string refusal_of(Change change) {
  network::ModelOptions options = dotin::testing::small_options("gat", dotin::testing::Knobs::recommended);
  change(options);
  return refusal(options);
}

void expect_says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

TEST(ModelRefusals, TemperaturesThatAreNoNumber) {
  for (const double bad : {-2.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    expect_says(refusal_of([&](network::ModelOptions& o) { o.temperature = bad; }),
                {"`temperature` must be a number from 0 on"});
}

TEST(ModelRefusals, DropRatiosOutsideZeroToOne) {
  for (const double ratio : {-0.1, 1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    expect_says(refusal_of([&](network::ModelOptions& o) { o.drop_ratio = {ratio}; }), {"`drop_ratio`", "[0, 1)"});
    expect_says(refusal_of([&](network::ModelOptions& o) {
                  o.drop_ratio = {0.5, ratio, 0};
                }),
                {"`drop_ratio`", "[0, 1)"});
  }
  EXPECT_EQ(refusal_of([](network::ModelOptions& o) { o.drop_ratio = {0}; }), "accepted");
}

TEST(ModelRefusals, AnotherNumberOfDropRatiosThanLayers) {
  expect_says(refusal_of([](network::ModelOptions& o) { o.drop_ratio = {}; }),
              {"`drop_ratio`", "0 values", "3 layers"});
  expect_says(refusal_of([](network::ModelOptions& o) {
                o.drop_ratio = {0.1, 0.2, 0.3, 0.4};
              }),
              {"4 values", "3 layers"});
  EXPECT_EQ(refusal_of([](network::ModelOptions& o) { o.drop_ratio = {0.9, 0.5, 0}; }), "accepted");
  EXPECT_EQ(refusal_of([](network::ModelOptions& o) {
              o.drop_ratio = {0.9, 0.5};
            }),
            "accepted");  // the last never drops
}

TEST(ModelRefusals, SizesWithoutSense) {
  expect_says(refusal_of([](network::ModelOptions& o) { o.hidden = 0; }), {"`hidden`", "0"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.hidden = -4; }), {"`hidden`", "-4"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.layers = 0; }), {"`layers`", "0"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.layers = 65; }), {"`layers`", "64", "65"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.attention_dim = -2; }), {"`attention_dim`", "-2"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.temperature = -2; }), {"`temperature`"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.dropout = 1; }), {"`dropout`", "[0, 1)"});
}

TEST(ModelRefusals, NoTask) {
  expect_says(refusal(dotin::testing::small_options("gat", dotin::testing::Knobs::paper), {}), {"at least one task"});
}

TEST(ModelRefusals, TwoTasksOfOneName) {
  expect_says(refusal(dotin::testing::small_options("gat", dotin::testing::Knobs::paper), {{"y", 2}, {"y", 1}}),
              {"'y'", "twice"});
}

TEST(ModelRefusals, NumbersThatStandForNoWordListTheValidOnes) {
  expect_says(refusal_of([](network::ModelOptions& o) { o.backbone = static_cast<Backbone>(4); }),
              {"backbone", "gat", "gcn", "gin", "sage"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.drop = static_cast<Drop>(99); }),
              {"drop", "dotin", "random", "none"});
}

TEST(ModelRefusals, SeveralTasksOnFixedEdgeWeightsWithoutGates) {
  for (const char* backbone : {"gcn", "gin", "sage"}) {
    network::ModelOptions options = dotin::testing::small_options(backbone, dotin::testing::Knobs::recommended);
    options.task_gates = false;
    expect_says(refusal(options, dotin::testing::heads_of(2)), {backbone, "2 tasks", "gates", "`backbone` gat"});
    EXPECT_EQ(refusal(options, dotin::testing::heads_of(1)), "accepted");
  }
  network::ModelOptions options = dotin::testing::small_options("gat", dotin::testing::Knobs::recommended);
  options.task_gates = false;
  EXPECT_EQ(refusal(options, dotin::testing::heads_of(2)), "accepted");
}

TEST(ModelRefusals, MethodsAndReadOutsThatDoNotGoTogether) {
  const auto refusal_with = [](const char* drop, const char* readout) {
    return refusal_of([&](network::ModelOptions& o) {
      o.drop = core::from_word<dotin::Drop>("drop", drop);
      o.readout = core::from_word<dotin::Readout>("readout", readout);
      o.clusters = 2;
      o.sort_k = 10;
    });
  };
  expect_says(refusal_with("dotin", "mean"), {"`drop` dotin", "`readout` mean", "`readout` virtual"});
  for (const char* const drop : {"gpool", "sagpool", "lapool", "diffpool", "mincut", "dropgnn"}) {
    expect_says(refusal_with(drop, "virtual"), {drop, "no virtual nodes", "leave `readout` out"});
    EXPECT_EQ(refusal_with(drop, "set2set"), "accepted");
  }
  for (const char* const readout : {"sortpool", "sagpool"}) {
    for (const char* const drop : {"random", "gpool", "diffpool"}) {
      expect_says(refusal_with(drop, readout), {readout, drop, "every node", "`drop` none"});
    }
    EXPECT_EQ(refusal_with("none", readout), "accepted");
    EXPECT_EQ(refusal_with("dropgnn", readout), "accepted");
  }
}

TEST(ModelRefusals, NumbersOfTheComparedMethods) {
  expect_says(refusal_of([](network::ModelOptions& o) { o.set2set_steps = 0; }), {"`set2set_steps`", "0"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.sort_k = 9; }), {"`sort_k`", "9"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.clusters = -1; }), {"`clusters`", "-1"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.auxiliary_weight = -1; }), {"`auxiliary_weight`"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.dense_limit = 0; }), {"`dense_limit`", "MiB"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.dropgnn_runs = 0; }), {"`dropgnn_runs`"});
  expect_says(refusal_of([](network::ModelOptions& o) { o.dropgnn_p = 1; }), {"`dropgnn_p`", "[0, 1)"});
  // What fit() would fill in from the training graphs.
  expect_says(refusal_of([](network::ModelOptions& o) { o.drop = Drop::mincut; }), {"`clusters`"});
  expect_says(refusal_of([](network::ModelOptions& o) {
                o.drop = Drop::none;
                o.readout = dotin::Readout::sortpool;
              }),
              {"`sort_k`"});
}

TEST(ModelOptions, ADimensionOfZeroOrMinusOneIsFilledIn) {
  network::ModelOptions options;
  options.hidden = 512;
  EXPECT_EQ(options.attention_width(), 64);
  EXPECT_DOUBLE_EQ(options.tau(), 64);
  options.temperature = 0;
  EXPECT_DOUBLE_EQ(options.tau(), 8);
  options.hidden = 64;
  EXPECT_EQ(options.attention_width(), 16);
  options.attention_dim = -1;
  EXPECT_EQ(options.attention_width(), 64);
  options.attention_dim = 9;
  EXPECT_DOUBLE_EQ(options.tau(), 3);
  options.temperature = 0.5;
  EXPECT_DOUBLE_EQ(options.tau(), 0.5);
}

TEST(ModelParameters, HaveTheNamesAndShapesOfTheModelFile) {
  const Model model(dotin::testing::small_options("gat", dotin::testing::Knobs::recommended), 5,
                    dotin::testing::heads_of(2), 0);
  const auto shape = [&](const std::string& name) { return model.parameters().get(name).sizes().vec(); };
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(shape("input.weight"), (Shape{3, 5}));
  EXPECT_EQ(shape("virtual"), (Shape{2, 3}));
  EXPECT_EQ(shape("layers.2.query.weight"), (Shape{2, 3}));
  EXPECT_EQ(shape("layers.2.key.weight"), (Shape{2, 3}));
  EXPECT_EQ(shape("layers.2.linear.weight"), (Shape{3, 3}));
  EXPECT_EQ(shape("layers.2.linear.bias"), (Shape{3}));
  EXPECT_EQ(shape("layers.2.norm.weight"), (Shape{3}));
  EXPECT_EQ(shape("layers.2.norm.bias"), (Shape{3}));
  EXPECT_EQ(shape("heads.task0.weight"), (Shape{2, 3}));
  EXPECT_EQ(shape("heads.task1.bias"), (Shape{1}));
  EXPECT_EQ(model.parameters().all().size(), 2U + 3 * 6 + 4);
}

}  // namespace
}  // namespace dotin::models
