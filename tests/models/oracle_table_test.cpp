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

// clang-format off
const Row kTable[] = {
{"gat", Knobs::paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.202004413845, -1.148014487486}},
    {"gat", Knobs::paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.506509399729, -1.299551474051}},
    {"gat", Knobs::paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.166942152166, -0.951331629302, -0.353159681793}},
    {"gat", Knobs::paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.375838249302, -1.074050066510, -0.525251625672}},
    {"gat", Knobs::paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.214929522371, -0.649172524839, -0.518119818830, 0.229007989546}},
    {"gat", Knobs::paper, 3, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {-1.047705206341, -0.704781772980, -0.337072734726, 0.380794893899}},
    {"gat", Knobs::recommended, 1, true, {1, 0, 1, 0, 1}, {0, 1, 1, 0}, {1.257254287123, 0.975184984209}},
    {"gat", Knobs::recommended, 1, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.124168024975, 0.970365433173}},
    {"gat", Knobs::recommended, 2, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.258479302323, 0.979204058976, 2.765104773545}},
    {"gat", Knobs::recommended, 2, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.130334384233, 0.985272591016, 2.744538749711}},
    {"gat", Knobs::recommended, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {1.247481941023, 1.004729273486, 2.745239193022, 1.840169400270}},
    {"gat", Knobs::recommended, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {1.121798371859, 1.013127563450, 2.716894517306, 1.765505539807}},
    {"gcn", Knobs::paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.136197528969, -0.928379592233}},
    {"gcn", Knobs::paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.145457789344, -0.947526914537}},
    {"gcn", Knobs::paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-1.359749383777, -1.568839828781, -0.354959339001}},
    {"gcn", Knobs::paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {-1.245800071402, -1.278711699445, -0.362619229345}},
    {"gcn", Knobs::paper, 3, true, {1, 0, 1, 0, 1}, {0, 1, 0, 1}, {-1.629909393213, -1.389531583116, -0.609259200690, 0.055104468637}},
    {"gcn", Knobs::paper, 3, false, {1, 0, 1, 0, 1}, {0, 1, 1}, {-1.421911401568, -1.063005488815, -0.549613555974, 0.041690601612}},
    {"gcn", Knobs::recommended, 1, true, {0, 0, 1, 1, 1}, {0, 0, 1, 1}, {1.419883455942, 0.923638352878}},
    {"gcn", Knobs::recommended, 1, false, {0, 0, 1, 1, 1}, {1, 0, 1}, {1.290072486511, 1.016666467953}},
    {"gcn", Knobs::recommended, 2, true, {1, 0, 0, 1, 1}, {0, 0, 1, 1}, {1.354599864370, 0.925429268555, 2.815764958651}},
    {"gcn", Knobs::recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {1.225702487363, 0.808919159439, 2.778897893673}},
    {"gcn", Knobs::recommended, 3, true, {1, 0, 0, 1, 1}, {1, 0, 1, 0}, {1.345678248011, 0.918412212098, 2.767507199152, 1.893758918679}},
    {"gcn", Knobs::recommended, 3, false, {1, 0, 0, 1, 1}, {1, 1, 0}, {1.236016515725, 0.831281144448, 2.775916155354, 1.846629633652}},  // a tie
    {"gin", Knobs::paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.931272783911, 2.956617269696}},
    {"gin", Knobs::paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.925901684554, 2.881746155940}},
    {"gin", Knobs::paper, 2, true, {0, 1, 0, 1, 1}, {0, 0, 1, 1}, {0.718172264579, 2.142536288985, 0.551645479127}},
    {"gin", Knobs::paper, 2, false, {0, 1, 0, 1, 1}, {1, 0, 1}, {0.897028892654, 2.757160996767, 0.521609538653}},
    {"gin", Knobs::paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {0.564138418871, 1.546887561289, 0.956200814472, 1.219133736776}},
    {"gin", Knobs::paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {0.404789869436, 0.016745826723, 0.922679619271, 1.336035982535}},
    {"gin", Knobs::recommended, 1, true, {0, 0, 1, 1, 1}, {0, 1, 0, 1}, {0.291586539050, 1.294081603750}},
    {"gin", Knobs::recommended, 1, false, {0, 0, 1, 1, 1}, {1, 1, 0}, {0.113314361638, 1.400833907676}},
    {"gin", Knobs::recommended, 2, true, {1, 0, 0, 1, 1}, {0, 1, 1, 0}, {0.562644056031, 1.142102553007, 3.101817082243}},
    {"gin", Knobs::recommended, 2, false, {1, 0, 0, 1, 1}, {0, 1, 1}, {0.197922003433, 1.327107934781, 3.087221711203}},
    {"gin", Knobs::recommended, 3, true, {1, 0, 0, 1, 1}, {1, 0, 1, 0}, {0.854252541186, 1.091747648463, 3.098108108305, 1.858380484582}},
    {"gin", Knobs::recommended, 3, false, {1, 0, 0, 1, 1}, {1, 0, 1}, {0.891278094936, 1.282683127854, 3.086446010730, 1.882605697620}},
    {"sage", Knobs::paper, 1, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {0.062532031915, -0.689876339500}},
    {"sage", Knobs::paper, 1, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.404514592385, -0.150583585924}},
    {"sage", Knobs::paper, 2, true, {0, 1, 0, 1, 1}, {1, 1, 0, 0}, {-0.227232270116, -1.187822600440, 0.486316716170}},
    {"sage", Knobs::paper, 2, false, {0, 1, 0, 1, 1}, {1, 1, 0}, {0.365578459862, -0.222544407660, 0.688742600567}},
    {"sage", Knobs::paper, 3, true, {1, 0, 1, 0, 1}, {1, 0, 1, 0}, {-1.155009439891, -2.550951693242, 0.025950893500, 1.436272710711}},
    {"sage", Knobs::paper, 3, false, {1, 0, 1, 0, 1}, {1, 0, 1}, {-2.586992742003, -1.066809412398, -1.582541716749, 0.961068657896}},
    {"sage", Knobs::recommended, 1, true, {1, 0, 1, 0, 1}, {1, 1, 0, 0}, {0.819285018993, 1.394788499490}},  // a tie
    {"sage", Knobs::recommended, 1, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {0.666102090135, 1.444571106862}},  // a tie
    {"sage", Knobs::recommended, 2, true, {1, 0, 1, 0, 1}, {1, 1, 0, 0}, {0.726705705643, 1.304051957914, 2.990802657545}},  // a tie
    {"sage", Knobs::recommended, 2, false, {1, 0, 1, 0, 1}, {1, 1, 0}, {0.520975392703, 1.425998111799, 2.841550646091}},  // a tie
    {"sage", Knobs::recommended, 3, true, {1, 1, 0, 1, 0}, {0, 1, 1, 0}, {0.666621043406, 1.255708967486, 2.946646792152, 1.762778204406}},
    {"sage", Knobs::recommended, 3, false, {1, 1, 0, 1, 0}, {1, 0, 1}, {0.659516044624, 1.213261267125, 3.024937408195, 1.840455262097}},
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
