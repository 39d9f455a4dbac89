// Every backbone on the five-node graph, against a dense computation written from the method's equations, apart from
// this code. Parameters are those of fill_by_formula.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "models/model_support.h"
#include "support/graphs.h"

namespace dotin::models {
namespace {

using dotin::testing::Knobs;

struct Row {
  std::string backbone;
  Knobs knobs;
  int64_t tasks;
  bool merge;
  std::vector<int> keep0, keep1;
  std::vector<double> outputs;
};

constexpr Knobs paper = Knobs::paper, recommended = Knobs::recommended;

// clang-format off
const Row kTable[] = {
    {"gat", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.2020044138, -1.1480144874}},
    {"gat", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.5065093997, -1.2995514740}},
    {"gat", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.1669421521, -0.9513316293, -0.3531596817}},
    {"gat", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.3758382493, -1.0740500665, -0.5252516256}},
    {"gat", paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.2149295223, -0.6491725248, -0.5181198188, 0.2290079895}},
    {"gat", paper, 3, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {-1.0477052063, -0.7047817729, -0.3370727347, 0.3807948938}},
    {"gat", recommended, 1, true, {1, 0, 1, 0, 1}, {0, 1, 1, 0}, {1.2572542871, 0.9751849842}},
    {"gat", recommended, 1, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.1241680249, 0.9703654331}},
    {"gat", recommended, 2, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.2584793023, 0.9792040589, 2.7651047735}},
    {"gat", recommended, 2, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.1303343842, 0.9852725910, 2.7445387497}},
    {"gat", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0},
     {1.2474819410, 1.0047292734, 2.7452391930, 1.8401694002}},
    {"gat", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1},
     {1.1217983718, 1.0131275634, 2.7168945173, 1.7655055398}},
    {"gcn", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.1361975289, -0.9283795922}},
    {"gcn", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.1454577893, -0.9475269145}},
    {"gcn", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.3597493837, -1.5688398287, -0.3549593390}},
    {"gcn", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.2458000714, -1.2787116994, -0.3626192293}},
    {"gcn", paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.6299093932, -1.3895315831, -0.6092592006, 0.0551044686}},
    {"gcn", paper, 3, false, {1, 0, 1, 0, 1}, {0, 1, 1}, {-1.4219114015, -1.0630054888, -0.5496135559, 0.0416906016}},
    {"gcn", recommended, 1, true, {0, 0, 1, 1, 1}, {0, 0, 1, 1}, {1.4198834559, 0.9236383528}},
    {"gcn", recommended, 1, false, {0, 0, 1, 1, 1}, {1, 0, 1}, {1.2900724865, 1.0166664679}},
    {"gcn", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 0, 1, 1}, {1.3545998643, 0.9254292685, 2.8157649586}},
    {"gcn", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.2257024873, 0.8089191594, 2.7788978936}},
    {"gcn", recommended, 3, true, {1, 0, 0, 1, 1}, {1, 0, 1, 0},
     {1.3456782480, 0.9184122120, 2.7675071991, 1.8937589186}},
    {"gcn", recommended, 3, false, {1, 0, 0, 1, 1}, {1, 1, 0},
     {1.2360165157, 0.8312811444, 2.7759161553, 1.8466296336}},  // a tie
    {"gin", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.9312727839, 2.9566172696}},
    {"gin", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.9259016845, 2.8817461559}},
    {"gin", paper, 2, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.7181722645, 2.1425362889, 0.5516454791}},
    {"gin", paper, 2, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.8970288926, 2.7571609967, 0.5216095386}},
    {"gin", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.5641384188, 1.5468875612, 0.9562008144, 1.2191337367}},
    {"gin", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.4047898694, 0.0167458267, 0.9226796192, 1.3360359825}},
    {"gin", recommended, 1, true, {0, 0, 1, 1, 1}, {0, 1, 0, 1}, {0.2915865390, 1.2940816037}},
    {"gin", recommended, 1, false, {0, 0, 1, 1, 1}, {1, 1, 0}, {0.1133143616, 1.4008339076}},
    {"gin", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.5626440560, 1.1421025530, 3.1018170822}},
    {"gin", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.1979220034, 1.3271079347, 3.0872217112}},
    {"gin", recommended, 3, true, {1, 0, 0, 1, 1}, {1, 0, 1, 0},
     {0.8542525411, 1.0917476484, 3.0981081083, 1.8583804845}},
    {"gin", recommended, 3, false, {1, 0, 0, 1, 1}, {1, 0, 1},
     {0.8912780949, 1.2826831278, 3.0864460107, 1.8826056976}},
    {"sage", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.0625320319, -0.6898763395}},
    {"sage", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.4045145923, -0.1505835859}},
    {"sage", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.2272322701, -1.1878226004, 0.4863167161}},
    {"sage", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.3655784598, -0.2225444076, 0.6887426005}},
    {"sage", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {-1.1550094398, -2.5509516932, 0.0259508935, 1.4362727107}},
    {"sage", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {-2.5869927420, -1.0668094123, -1.5825417167, 0.9610686578}},
    {"sage", recommended, 1, true, {1, 0, 1, 0, 1}, {1, 1, 0, 0}, {0.8192850189, 1.3947884994}},  // a tie
    {"sage", recommended, 1, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {0.6661020901, 1.4445711068}},  // a tie
    {"sage", recommended, 2, true, {1, 0, 1, 0, 1}, {1, 1, 0, 0}, {0.7267057056, 1.3040519579, 2.9908026575}},  // a tie
    {"sage", recommended, 2, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {0.5209753927, 1.4259981117, 2.8415506460}},  // a tie
    {"sage", recommended, 3, true, {1, 1, 0, 1, 0}, {0, 1, 1, 0},
     {0.6666210434, 1.2557089674, 2.9466467921, 1.7627782044}},
    {"sage", recommended, 3, false, {1, 1, 0, 1, 0}, {1, 0, 1},
     {0.6595160446, 1.2132612671, 3.0249374081, 1.8404552620}},
};
// clang-format on

TEST(OracleTable, EveryBackboneGivesTheWrittenChoicesAndOutputs) {
  const batch::Batch batch = dotin::testing::batch_of(
      {{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}}, {1, 0, 0, 1, 1, 1, -1, 2, 0.5f, -1}, 0}}, 2);
  for (const Row& row : kTable) {
    SCOPED_TRACE(row.backbone + (row.knobs == Knobs::paper ? " paper " : " recommended ") + std::to_string(row.tasks) +
                 (row.merge ? " merge" : " no merge"));
    ModelOptions options = dotin::testing::small_options(row.backbone, row.knobs);
    options.merge = row.merge;
    const Model model(options, 2, dotin::testing::heads_of(row.tasks), 0);
    dotin::testing::fill_by_formula(model);
    const Forward forward = model.forward(batch, dotin::testing::traced());
    const auto keep = [&](std::size_t layer) {
      return std::vector<int>(forward.trace[layer].keep.begin(), forward.trace[layer].keep.end());
    };
    EXPECT_EQ(keep(0), row.keep0);
    EXPECT_EQ(keep(1), row.keep1);
    const std::vector<double> outputs = dotin::testing::outputs_of(forward);
    ASSERT_EQ(outputs.size(), row.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_NEAR(outputs[i], row.outputs[i], 1e-9);
  }
}

}  // namespace
}  // namespace dotin::models
