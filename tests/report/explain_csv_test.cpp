#include "dotin/report/explain_csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/explained.h"

namespace dotin::report {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (!text.empty() && text.back() == separator && separator == ',') parts.emplace_back();
  return parts;
}

TEST(ExplainCsv, ARowPerNodeWithWhatEachLayerSays) {
  const Explained given = explained(small_records(12));
  const std::vector<std::string> header = split(split(node_header(given.learner, *given.dataset), '\n').at(0), ',');
  const auto column = [&](const std::string& name) {
    const auto found = std::find(header.begin(), header.end(), name);
    EXPECT_NE(found, header.end()) << name;
    return static_cast<std::size_t>(found - header.begin());
  };
  const explain::Prediction& prediction = given.predictions[5];
  const std::vector<std::string> rows = split(node_rows(prediction, *given.dataset), '\n');
  ASSERT_EQ(rows.size(), prediction.explanation.departure.size());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const std::vector<std::string> fields = split(rows[v], ',');
    ASSERT_EQ(fields.size(), header.size()) << rows[v];
    EXPECT_EQ(fields[column("graph")], "5");
    EXPECT_EQ(fields[column("node")], std::to_string(v));
    EXPECT_EQ(fields[column("departure")], std::to_string(prediction.explanation.departure[v]));
    EXPECT_EQ(fields[column("layer0.ged.attentiveness")],
              fmt::format("{}", prediction.explanation.layers[0].attentiveness[1][v]));
    EXPECT_EQ(fields[column("layer1.ged.attentiveness")].empty(), prediction.explanation.departure[v] == 0)
        << "a layer says nothing of nodes that never entered it";
  }
}

TEST(ExplainCsv, TextIsQuotedWhereItMustBe) {
  io::Records records = small_records(12);
  records.node_labels[0].values = {"a,b", "say \"no\"", "plain"};
  const Explained given = explained(std::move(records));
  const std::string rows = node_rows(given.predictions[0], *given.dataset);
  EXPECT_SAYS(rows, "\"a,b\"");
  EXPECT_SAYS(rows, "\"say \"\"no\"\"\"");
  EXPECT_SAYS(rows, ",plain,");
}

TEST(ExplainCsv, RetentionHasARowPerTaskAndFeature) {
  explain::DatasetSummary summary;
  summary.nodes = 10;
  summary.retention = {{"", {{"atom", "C", 8, 6, 4, 2.5}}, {}}, {"ged", {}, {{"degree", 2, 1.5, 0.5}}}};
  EXPECT_EQ(retention_csv(summary),
            "task,feature,value,nodes,kept,expected,z\n"
            "all,atom,C,8,6,4,2.5\n"
            "ged,degree,mean,10,2,1.5,0.5\n");
}

}  // namespace
}  // namespace dotin::report
