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
    {"gat", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {1.256813197847, 0.904971302768, 2.772772516523}},
    {"gat", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.153819593782, 0.842238392850, 2.731342904736}},
    {"gat", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.240916830361, 1.011664200100, 2.756780573709, 1.845759508770}},
    {"gat", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.127820162968, 1.005299242130, 2.725712529855, 1.769935239267}},
    {"gcn", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.1361975289, -0.9283795922}},
    {"gcn", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.1454577893, -0.9475269145}},
    {"gcn", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.3597493837, -1.5688398287, -0.3549593390}},
    {"gcn", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.2458000714, -1.2787116994, -0.3626192293}},
    {"gcn", paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.6299093932, -1.3895315831, -0.6092592006, 0.0551044686}},
    {"gcn", paper, 3, false, {1, 0, 1, 0, 1}, {0, 1, 1}, {-1.4219114015, -1.0630054888, -0.5496135559, 0.0416906016}},
    {"gcn", recommended, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {1.410288102174, 0.914631066455}},
    {"gcn", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {1.290358409778, 0.788742770005}},
    {"gcn", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {1.347928455882, 0.895965093055, 2.794930427005}},
    {"gcn", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.239520840992, 0.821052865460, 2.776688839292}},
    {"gcn", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.354452156282, 0.975950976860, 2.743715849143, 1.831904486535}},
    {"gcn", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.324971532436, 0.983229513212, 2.646550403102, 1.573481565359}},
    {"gin", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.9312727839, 2.9566172696}},
    {"gin", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.9259016845, 2.8817461559}},
    {"gin", paper, 2, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.7181722645, 2.1425362889, 0.5516454791}},
    {"gin", paper, 2, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.8970288926, 2.7571609967, 0.5216095386}},
    {"gin", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.5641384188, 1.5468875612, 0.9562008144, 1.2191337367}},
    {"gin", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.4047898694, 0.0167458267, 0.9226796192, 1.3360359825}},
    {"gin", recommended, 1, true, {0, 1, 0, 1, 1}, {0, 1, 0, 1}, {0.152057021188, 1.374491472159}},
    {"gin", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-0.035979490647, 1.514166070682}},
    {"gin", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.540330077088, 1.150698799164, 3.099369026712}},
    {"gin", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.222897551182, 1.310881764290, 3.082122735636}},
    {"gin", recommended, 3, true, {1, 0, 1, 0, 1}, {0, 0, 1, 1}, {1.010717835193, 1.148067421199, 3.099232203837, 1.873037330362}},
    {"gin", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.298547031077, 1.231515707043, 3.065866456014, 1.841283407602}},
    {"sage", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.0625320319, -0.6898763395}},
    {"sage", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.4045145923, -0.1505835859}},
    {"sage", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.2272322701, -1.1878226004, 0.4863167161}},
    {"sage", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.3655784598, -0.2225444076, 0.6887426005}},
    {"sage", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {-1.1550094398, -2.5509516932, 0.0259508935, 1.4362727107}},
    {"sage", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {-2.5869927420, -1.0668094123, -1.5825417167, 0.9610686578}},
    {"sage", recommended, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.825682071364, 1.350083102801}},
    {"sage", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.703991016981, 1.188690144343}},
    {"sage", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.643581750404, 1.278461010164, 2.954403433026}},
    {"sage", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.525584848924, 1.295228110282, 2.902380271608}},
    {"sage", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.771008923161, 1.328208209934, 2.942338200919, 1.747385414949}},
    {"sage", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.607675886968, 1.357740632121, 2.805407411210, 1.523469967897}},
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
