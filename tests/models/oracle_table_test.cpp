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
    {"gat", recommended, 1, true, {0, 1, 0, 1, 1}, {0, 1, 1, 0}, {1.257593003016, 0.945654091646}},
    {"gat", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {1.192218402901, 0.874039761455}},
    {"gat", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {1.261444692950, 0.913728862571, 2.787906185127}},
    {"gat", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.181553017358, 0.860471524961, 2.734625384683}},
    {"gat", recommended, 3, true, {1, 0, 1, 0, 1}, {0, 1, 1, 0}, {1.258919153374, 0.941676987912, 2.800699874056, 1.844625326576}},
    {"gat", recommended, 3, false, {1, 0, 1, 0, 1}, {0, 1, 1}, {1.149986360700, 0.973129465687, 2.746858591420, 1.777750720657}},
    {"gcn", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.1361975289, -0.9283795922}},
    {"gcn", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.1454577893, -0.9475269145}},
    {"gcn", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.3597493837, -1.5688398287, -0.3549593390}},
    {"gcn", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.2458000714, -1.2787116994, -0.3626192293}},
    {"gcn", paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.6299093932, -1.3895315831, -0.6092592006, 0.0551044686}},
    {"gcn", paper, 3, false, {1, 0, 1, 0, 1}, {0, 1, 1}, {-1.4219114015, -1.0630054888, -0.5496135559, 0.0416906016}},
    {"gcn", recommended, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {1.410288102174, 0.914631066455}},
    {"gcn", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {1.290358409778, 0.788742770005}},
    {"gcn", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {1.350447048389, 0.914106016027, 2.795822881560}},
    {"gcn", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.260277989056, 0.845843280533, 2.777357680359}},
    {"gcn", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.357658697771, 0.964579901150, 2.754195929176, 1.846544692940}},
    {"gcn", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.326555290652, 0.978483357902, 2.655110302891, 1.583114733584}},
    {"gin", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.9312727839, 2.9566172696}},
    {"gin", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.9259016845, 2.8817461559}},
    {"gin", paper, 2, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.7181722645, 2.1425362889, 0.5516454791}},
    {"gin", paper, 2, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.8970288926, 2.7571609967, 0.5216095386}},
    {"gin", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.5641384188, 1.5468875612, 0.9562008144, 1.2191337367}},
    {"gin", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.4047898694, 0.0167458267, 0.9226796192, 1.3360359825}},
    {"gin", recommended, 1, true, {0, 1, 0, 1, 1}, {0, 1, 0, 1}, {0.152057021188, 1.374491472159}},
    {"gin", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-0.035979490647, 1.514166070682}},
    {"gin", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.583770371698, 1.133080384111, 3.101284841470}},
    {"gin", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.214583710297, 1.317131126495, 3.086767126170}},
    {"gin", recommended, 3, true, {1, 0, 1, 0, 1}, {0, 0, 1, 1}, {0.986862773354, 1.191644881077, 3.102947218183, 1.865875580602}},
    {"gin", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.270121297843, 1.223339478286, 3.070149563579, 1.830368574445}},
    {"sage", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.0625320319, -0.6898763395}},
    {"sage", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.4045145923, -0.1505835859}},
    {"sage", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.2272322701, -1.1878226004, 0.4863167161}},
    {"sage", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.3655784598, -0.2225444076, 0.6887426005}},
    {"sage", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {-1.1550094398, -2.5509516932, 0.0259508935, 1.4362727107}},
    {"sage", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {-2.5869927420, -1.0668094123, -1.5825417167, 0.9610686578}},
    {"sage", recommended, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.825682071364, 1.350083102801}},
    {"sage", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.703991016981, 1.188690144343}},
    {"sage", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.648521402748, 1.281438886298, 2.955659180769}},
    {"sage", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.537111159397, 1.294027053992, 2.906484897258}},
    {"sage", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.756309539679, 1.310765594480, 2.951543400757, 1.719020826041}},
    {"sage", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.574142459510, 1.326350953586, 2.835460478827, 1.488557877864}},
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
