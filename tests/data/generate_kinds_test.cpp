// What holds for every kind of generated data.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "data/generated_graphs.h"
#include "dotin/core/error.h"
#include "dotin/data/check.h"
#include "dotin/data/open.h"
#include "dotin/data/packed.h"
#include "dotin/io/jsonl.h"
#include "dotin/io/tu.h"
#include "support/expect.h"
#include "support/temporary_folder.h"

namespace dotin::data {
namespace {

using dotin::testing::generated;
using dotin::testing::GeneratedEdge;
using dotin::testing::GeneratedGraph;
using dotin::testing::graphs_of;
using dotin::testing::refusal;
using dotin::testing::TemporaryFolder;

class EveryKind : public ::testing::TestWithParam<std::string> {
 protected:
  static io::Records made(int64_t graphs, int64_t nodes = 0, uint64_t seed = 0) {
    core::NoProgress quiet;
    GenerateOptions options;
    options.graphs = graphs;
    options.nodes = nodes;
    options.seed = seed;
    return generate(GetParam(), options, quiet);
  }

  /// The smallest average number of nodes that the kind takes.
  static int64_t least_nodes() {
    for (int64_t nodes = 1;; ++nodes) {
      try {
        made(1, nodes);
        return nodes;
      } catch (const core::UsageError&) {
      }
    }
  }
};

void expect_same(const std::vector<GeneratedGraph>& a, const std::vector<GeneratedGraph>& b, std::size_t graphs) {
  const auto plain = [](const std::vector<GeneratedEdge>& edges) {
    std::vector<std::array<int, 3>> result;
    for (const GeneratedEdge& edge : edges) {
      result.push_back({std::min(edge.u, edge.v), std::max(edge.u, edge.v), edge.label});
    }
    std::sort(result.begin(), result.end());
    // A file may hold an edge in both directions.
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  };
  for (std::size_t g = 0; g < graphs; ++g) {
    EXPECT_EQ(a[g].classes, b[g].classes) << g;
    EXPECT_EQ(a[g].labels, b[g].labels) << g;
    EXPECT_EQ(a[g].attributes, b[g].attributes) << g;
    EXPECT_EQ(a[g].truth, b[g].truth) << g;
    EXPECT_EQ(plain(a[g].edges), plain(b[g].edges)) << g;
  }
}

TEST_P(EveryKind, SameSeedSameGraphsAndAPrefixIsAPrefix) {
  const auto few = graphs_of(made(9, 0, 3)), many = graphs_of(made(40, 0, 3));
  expect_same(many, graphs_of(made(40, 0, 3)), 40);
  expect_same(few, many, 9);
  EXPECT_NE(made(40, 0, 3).edge_from, made(40, 0, 4).edge_from);
}

TEST_P(EveryKind, EveryPrefixIsBalanced) {
  int ones = 0, graphs = 0;
  for (const GeneratedGraph& graph : generated(GetParam(), 101, 24, 6)) {
    ones += graph.classes[0];
    ++graphs;
    EXPECT_LE(std::abs(2 * ones - graphs), 1);
  }
}

TEST_P(EveryKind, EdgesAreSimpleAtTheSmallestSizeAndAtThousands) {
  const int64_t least = least_nodes();
  EXPECT_GE(least, 8);
  EXPECT_LE(least, 17);
  for (const int64_t nodes : {least, least + 1, int64_t{5000}}) {
    const auto graphs = generated(GetParam(), nodes == 5000 ? 2 : 200, nodes, 8);
    for (const GeneratedGraph& graph : graphs) {
      std::set<std::pair<int, int>> seen;
      for (const GeneratedEdge& edge : graph.edges) {
        EXPECT_NE(edge.u, edge.v);
        EXPECT_TRUE(seen.emplace(std::minmax(edge.u, edge.v)).second) << edge.u << " - " << edge.v << " twice";
      }
      for (int i = 0; i < graph.nodes() && GetParam() != "random"; ++i) EXPECT_GT(graph.degree(i), 0);
    }
    if (nodes == least) {
      EXPECT_LE(std::abs(graphs[0].nodes() - least), 2);  // a grid is rounded to whole rows
    }
    if (nodes == 5000) {
      EXPECT_GE(graphs[0].nodes(), 2400);
    }
  }
}

TEST_P(EveryKind, PlantedNodesStandAtNoFixedPlace) {
  double place = 0, squares = 0, count = 0;
  for (const GeneratedGraph& graph : generated(GetParam(), 500, 50)) {
    for (const auto& nodes : graph.truth) {
      for (const int node : nodes) {
        const double at = (node + 0.5) / graph.nodes();
        place += at;
        squares += at * at;
        ++count;
      }
    }
  }
  if (count == 0) return;
  // Uniform in [0, 1]: mean 1/2 with variance 1/12, mean square 1/3 with variance 4/45.
  EXPECT_NEAR(place / count, 0.5, 4.5 * std::sqrt(1 / (12 * count)));
  EXPECT_NEAR(squares / count, 1.0 / 3, 4.5 * std::sqrt(4 / (45 * count)));
}

TEST_P(EveryKind, EveryFormHoldsItAllAndPassesTheCheck) {
  const TemporaryFolder folder;
  const io::Records records = made(30);
  const auto graphs = graphs_of(records);
  io::write_jsonl(records, folder / "made.jsonl");
  io::write_tu(records, folder / "made");
  for (const char* name : {"made.jsonl", "made"}) {
    const std::string path = folder / name;
    io::CollectingSink problems(10);
    io::Records read = read_records(path, form_of(path), {}, problems);
    EXPECT_EQ(problems.count(), 0) << name;
    EXPECT_EQ(read.targets.size(), records.targets.size());
    expect_same(graphs, graphs_of(read), 30);
    const Dataset dataset = build_dataset(std::move(read), DuplicatePolicy::error);
    EXPECT_EQ(find_duplicates(dataset, 10, 0).groups, 0) << name;
    write_packed(dataset, folder / "made.safetensors");
    const Dataset packed = open_packed(folder / "made.safetensors");
    EXPECT_EQ(packed.graphs(), 30);
    EXPECT_EQ(packed.edge_labels.size(), records.edge_labels.size());
    EXPECT_EQ(packed.relevant.size(), records.relevant.size());
    for (int64_t g = 0; g < 30; ++g) validate_graph(packed, g);
  }
}

TEST_P(EveryKind, ADescriptionSaysWhatTheDocumentSays) {
  const auto kinds = described_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [](const GeneratedKind& each) { return each.name == GetParam(); });
  ASSERT_NE(kind, kinds.end());
  const std::string row = "| `" + kind->name + "` | " + kind->decides + " | " +
                          (kind->truth.empty() ? "none: every node counts a little" : kind->truth) + " | " +
                          kind->same + " | " + std::to_string(kind->nodes) + " |\n";
  EXPECT_NE(dotin::testing::read_text(DOTIN_SOURCE_DIR "/docs/formats.md").find(row), std::string::npos)
      << "docs/formats.md has not this row: " << row;
  double nodes = 0;
  const auto graphs = generated(GetParam(), 300);
  for (const GeneratedGraph& graph : graphs) nodes += graph.nodes();
  // Uniform over about [n/2, 3n/2]: a standard deviation of at most n / sqrt(12).
  const auto average = static_cast<double>(kind->nodes);
  EXPECT_NEAR(nodes / 300, average, 4.5 * average / std::sqrt(12.0 * 300) + 1);
  EXPECT_EQ(kind->truth.empty(), graphs[0].truth.empty());
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryKind, ::testing::ValuesIn(generated_kinds()),
                         [](const auto& each) { return each.param; });

TEST(GenerateRefuses, OptionsThatAKindDoesNotHave) {
  using Options = GenerateOptions;
  EXPECT_SAYS(refusal("house", [](Options& o) { o.labels = 3; }), "house has no labels to choose: leave that out");
  EXPECT_SAYS(refusal("vote", [](Options& o) { o.labels = 3; }), "vote has no labels");
  for (const char* kind : {"grid", "house", "surroundings"}) {
    EXPECT_SAYS(refusal(kind, [](Options& o) { o.degree = 3; }), "has no degree to choose");
  }
  EXPECT_SAYS(refusal("motif", [](Options& o) { o.radius = 2; }), "kinds that have it: surroundings");
  EXPECT_SAYS(refusal("surroundings", [](Options& o) { o.degree = 3; }), "motif, random, counts, adjacent");
}

TEST(GenerateRefuses, NumbersThatCannotBe) {
  using Options = GenerateOptions;
  EXPECT_SAYS(refusal("surroundings", [](Options& o) { o.radius = 4; }), "radius 4 asked for: from 1 to 3");
  EXPECT_SAYS(refusal("surroundings", [](Options& o) { o.radius = -1; }), "radius -1");
  EXPECT_SAYS(refusal("surroundings", [](Options& o) { o.labels = 2; }), "2 labels asked for: from 3");
  EXPECT_SAYS(refusal("surroundings", [](Options& o) { o.nodes = 15; }), "at least 16 nodes");
  EXPECT_SAYS(refusal("two_tasks", [](Options& o) { o.tasks = 3; }), "two_tasks has 2");
  EXPECT_SAYS(refusal("two_tasks", [](Options& o) { o.nodes = 13; }), "two_tasks needs at least 14 nodes");
  EXPECT_SAYS(refusal("motif", [](Options& o) { o.tasks = 2, o.nodes = 15; }), "motif with 2 tasks needs at least 16");
  EXPECT_SAYS(refusal("counts", [](Options& o) { o.tasks = 2; }), "counts has 1");
  EXPECT_SAYS(refusal("house", [](Options& o) { o.nodes = 12; }), "at least 13 nodes");
  EXPECT_SAYS(refusal("two_patterns", [](Options& o) { o.nodes = 16; }), "at least 17 nodes");
  EXPECT_SAYS(refusal("adjacent", [](Options& o) { o.degree = 2; }), "adjacent graphs of 60 nodes");
}

/// All but every pair of the rest has an edge, and a free one must be found for each pattern.
TEST(GenerateRefuses, NothingWhereTheRestIsAllButComplete) {
  core::NoProgress quiet;
  for (const auto& [kind, nodes] : {std::pair<const char*, int64_t>{"adjacent", 10}, {"two_patterns", 17}}) {
    GenerateOptions options;
    options.graphs = 50;
    options.nodes = nodes;
    options.degree = 6;
    for (const GeneratedGraph& graph : graphs_of(generate(kind, options, quiet))) EXPECT_EQ(graph.nodes(), nodes);
  }
}

}  // namespace
}  // namespace dotin::data
