// Files with random damage: a reader may refuse them or find problems, nothing else.
//
// DOTIN_DAMAGE_ROUNDS raises the number of damaged copies for a longer search.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "dotin/core/random.h"
#include "dotin/io/csv.h"
#include "dotin/io/jsonl.h"
#include "support/real_data.h"
#include "tu_files_support.h"

namespace dotin::io {
namespace {

int rounds() {
  const char* const wanted = std::getenv("DOTIN_DAMAGE_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : 100;
}

/// Replaces, inserts, removes or repeats a few bytes; often by ones that mean something.
std::string damaged(std::string bytes, core::Rng& rng) {
  const std::string telling = "0123456789,.-+eE\n\r \t\"[]{}:\xff\x80PKnai";
  const auto place = [&] { return static_cast<std::size_t>(rng.below(static_cast<int64_t>(bytes.size()) + 1)); };
  for (int64_t i = 1 + rng.below(4); i > 0; --i) {
    const char byte = rng.chance(0.5)
                          ? telling[static_cast<std::size_t>(rng.below(static_cast<int64_t>(telling.size())))]
                          : static_cast<char>(rng.bits());
    const std::size_t at = place();
    switch (rng.below(5)) {
      case 0:
        bytes.insert(at, 1, byte);
        break;
      case 1:
        bytes.erase(at, static_cast<std::size_t>(rng.below(4)));
        break;
      case 2:
        bytes.insert(at, bytes.substr(place(), 20));
        break;
      case 3:
        bytes.resize(rng.chance(0.1) ? at : bytes.size());
        break;
      default:
        if (at < bytes.size()) bytes[at] = byte;
    }
  }
  return bytes;
}

/// The reader either gives consistent records or throws core::Error.
void survive(const std::function<Records(ProblemSink&)>& read) {
  CollectingSink collecting(5);
  try {
    const Records records = read(collecting);
    ASSERT_EQ(records.edge_from.size(), records.edge_to.size());
    for (std::size_t i = 0; i < records.edge_from.size(); ++i) {
      ASSERT_GE(records.edge_from[i], 0);
      ASSERT_LT(records.edge_from[i], records.nodes());
      ASSERT_GE(records.edge_to[i], 0);
      ASSERT_LT(records.edge_to[i], records.nodes());
    }
    const auto nodes = static_cast<std::size_t>(records.nodes());
    for (const LabelColumn& column : records.node_labels) ASSERT_EQ(column.codes.size(), nodes);
    for (const LabelColumn& column : records.edge_labels) ASSERT_EQ(column.codes.size(), records.edge_from.size());
    ASSERT_EQ(records.node_attributes.values.size(), nodes * static_cast<std::size_t>(records.node_attributes.columns));
    ASSERT_EQ(records.edge_attributes.values.size(),
              records.edge_from.size() * static_cast<std::size_t>(records.edge_attributes.columns));
    for (const Target& target : records.targets) {
      ASSERT_EQ(target.values.size(), static_cast<std::size_t>(records.graphs() * target.width));
    }
    for (const RelevantNodes& relevant : records.relevant) ASSERT_EQ(relevant.nodes.size(), nodes);
  } catch (const core::Error&) {
  }
  ThrowingSink throwing;
  try {
    read(throwing);
    ASSERT_EQ(collecting.count(), 0) << "one sink heard of a problem, the other did not";
  } catch (const core::Error&) {
  }
}

TEST(DamagedFiles, SmallTuFiles) {
  for (int round = 0; round < rounds(); ++round) {
    core::Rng rng{1, static_cast<uint64_t>(round)};
    const testing::TemporaryFolder folder;
    TuContent content = small_dataset();
    content["relevant_nodes"] = "1\n0\n1\n0\n0\n";
    content["relevant_targets"] = "label\n";
    auto victim = content.begin();
    std::advance(victim, rng.below(static_cast<int64_t>(content.size())));
    victim->second = damaged(victim->second, rng);
    write_dataset(folder, content);
    survive([&](ProblemSink& problems) { return read_tu(folder.path(), {}, problems); });
    if (HasFatalFailure()) FAIL() << "round " << round << ", " << victim->first << ":\n" << victim->second;
  }
}

TEST(DamagedFiles, SmallZips) {
  const testing::TemporaryFolder folder;
  make_zip(folder / "x.zip", small_entries("D/D_"));
  const std::string whole = testing::read_text(folder / "x.zip");
  for (int round = 0; round < rounds(); ++round) {
    core::Rng rng{2, static_cast<uint64_t>(round)};
    folder.write("x.zip", damaged(whole, rng));
    survive([&](ProblemSink& problems) { return read_tu(folder / "x.zip", {}, problems); });
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(DamagedFiles, ARealZip) {
  DOTIN_REAL_DATA(path, "MUTAG");
  const testing::TemporaryFolder folder;
  const std::string whole = testing::read_text(path);
  for (int round = 0; round < rounds(); ++round) {
    core::Rng rng{3, static_cast<uint64_t>(round)};
    folder.write("x.zip", damaged(whole, rng));
    survive([&](ProblemSink& problems) { return read_tu(folder / "x.zip", {}, problems); });
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(DamagedFiles, JsonLines) {
  const std::string whole =
      R"({"edges": [[0,1],[1,2]], "nodes": 3, "x": [[0.1],[0.2],[0.3]], "node_labels": [6,6,8], "edge_attr": [[1.0],[2.0]],)"
      R"( "edge_labels": ["a","b"], "y": 1, "targets": {"logp": 0.3, "tox": [0,1,null]}, "relevant": {"label": [0,2]}})"
      "\n"
      R"({"edges": [], "x": [[0.5]], "node_labels": [7], "y": null, "id": "b"})"
      "\n";
  for (int round = 0; round < rounds(); ++round) {
    core::Rng rng{4, static_cast<uint64_t>(round)};
    const testing::TemporaryFolder folder;
    const std::string text = damaged(whole, rng);
    folder.write("own.jsonl", text);
    survive([&](ProblemSink& problems) { return read_jsonl(folder / "own.jsonl", {}, problems); });
    if (HasFatalFailure()) FAIL() << "round " << round << ":\n" << text;
  }
}

TEST(DamagedFiles, Csv) {
  const std::map<std::string, std::string> whole = {
      {"edges.csv",
       "target,attr:length,graph,source,label:bond\nq,1.5,a,p,single\nr,2,b,s,\"dou\nble\"\np,3,a,q,single\n"},
      {"nodes.csv", "graph,node,label,attr:mass,relevant:label\nb,r,10,1,0\na,q,9,2,1\nb,s,9,3,1\na,p,-1,4,0\n"},
      {"graphs.csv", "y,graph,logp,class\n1,a,0.5,toxic\n0,b,,harmless\n"}};
  for (int round = 0; round < rounds(); ++round) {
    core::Rng rng{5, static_cast<uint64_t>(round)};
    const testing::TemporaryFolder folder;
    for (const auto& [name, text] : whole) folder.write(name, rng.chance(0.5) ? damaged(text, rng) : text);
    survive([&](ProblemSink& problems) { return read_csv(folder.path(), {}, problems); });
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

}  // namespace
}  // namespace dotin::io
