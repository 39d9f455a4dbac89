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
    {"gin", paper, 1, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.8729182096, 2.6813438728}},
    {"gin", paper, 1, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.9085074688, 2.8151178329}},
    {"gin", paper, 2, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.6961104917, 2.0684242185, 0.5287811175}},
    {"gin", paper, 2, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.7907128522, 2.3894506544, 0.4788796987}},
    {"gin", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.5891315978, 1.7118178582, 0.5460348621, 0.5260564637}},
    {"gin", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.5611704858, 1.5179407178, 0.6295244819, 0.4204764862}},
    {"gin", recommended, 1, true, {0, 1, 0, 1, 1}, {0, 1, 0, 1}, {0.729348310572, 0.806347892393}},
    {"gin", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.455958426470, 0.984183086752}},
    {"gin", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {1.019289568321, 0.649197406925, 3.203059743155}},
    {"gin", recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.029261817705, 0.653127239037, 3.160547797091}},
    {"gin", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.657976256579, 0.695496200650, 3.192879616755, 2.046804947997}},
    {"gin", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.830581321680, 1.219101523074, 3.115229299291, 1.926359293805}},
    {"sage", paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.2883687599, -1.1789174490}},
    {"sage", paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-0.0169939264, -0.8499477905}},
    {"sage", paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.4882566692, -1.5789597016, 0.3123761747}},
    {"sage", paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-0.0702085416, -0.9421167486, 0.4857014755}},
    {"sage", paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {-0.9177305911, -2.1107952729, -0.1589983153, 1.2936466960}},
    {"sage", paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {-2.8286213188, -1.8602731749, -2.0510827960, 0.7998992919}},
    {"sage", recommended, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.898059526681, 1.381105302064}},
    {"sage", recommended, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.812900614317, 1.104179314258}},
    {"sage", recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 0, 1}, {0.810912028885, 1.243965035471, 2.740823969453}},
    {"sage", recommended, 2, false, {1, 0, 0, 1, 1}, {1, 1, 0}, {0.570005345028, 1.272500468353, 2.757559847068}},
    {"sage", recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.854007472055, 1.462086903771, 2.712521714282, 1.443647641684}},
    {"sage", recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.471672980860, 1.446130205843, 2.623688186835, 1.292254118525}},
};
// clang-format on

TEST(OracleTable, EveryBackboneGivesTheWrittenChoicesAndOutputs) {
  const batch::Batch batch = dotin::testing::batch_of(
      {{5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 3}}, {1, 0, 0, 1, 1, 1, -1, 2, 0.5f, -1}, 0}}, 2);
  for (const Row& row : kTable) {
    SCOPED_TRACE(row.backbone + (row.knobs == Knobs::paper ? " paper " : " recommended ") + std::to_string(row.tasks) +
                 (row.merge ? " merge" : " no merge"));
    network::ModelOptions options = dotin::testing::small_options(row.backbone, row.knobs);
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
