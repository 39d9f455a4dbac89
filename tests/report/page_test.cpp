#include "dotin/report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dotin/report/explain_json.h"
#include "report/explained.h"

namespace dotin::report {
namespace {

using namespace dotin::testing;  // NOLINT: its helpers make up most of this file
using nlohmann::json;

json page_data(const Explained& given, std::size_t graph) {
  return {{"model", model_json(given.learner, *given.dataset)},
          {"graphs", {graph_json(given.predictions.at(graph), given.learner, *given.dataset)}}};
}

/// The content of the page's data element.
std::string data_of(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(mark) + mark.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(Page, HoldsItsDataWhateverTextIsInIt) {
  io::Records records = small_records(12);
  records.name = "<b>\"&</script><script>alert(1)</script>";
  records.node_labels[0].values = {"</script>", "<!--", "@script@"};
  const Explained given = explained(std::move(records));
  const json data = page_data(given, 0);
  const std::string page = graphs_page(data);
  EXPECT_EQ(json::parse(data_of(page)), data);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_SAYS(page, "&lt;b>\"&amp;&lt;/script>") << "the title is escaped";
}

TEST(Page, BytesThatAreNoTextDoNotBreakIt) {
  io::Records records = small_records(12);
  records.node_labels[0].values = {"\xff", "b", "c"};
  const Explained given = explained(std::move(records));
  EXPECT_NO_THROW(json::parse(data_of(graphs_page(page_data(given, 0)))));
}

TEST(Page, AsksTheNetworkForNothing) {
  const std::string page = graphs_page(page_data(explained(small_records(12)), 0));
  for (const char* const asking : {"<script src", "<img", "<iframe", "rel=\"stylesheet\"", "@import"})
    EXPECT_EQ(page.find(asking), std::string::npos) << asking;
  EXPECT_SAYS(page, "default-src 'none'");
}

TEST(Page, OfA300NodeGraphStaysUnder400Kilobytes) {
  io::Records records;
  records.name = "ring";
  std::vector<int32_t> labels;
  std::vector<double> classes;
  for (int32_t g = 0; g < 4; ++g) {
    for (int32_t i = 0; i < 300; ++i) {
      for (const int32_t step : {1, 7}) {
        records.edge_from.push_back(300 * g + i);
        records.edge_to.push_back(300 * g + (i + step) % 300);
      }
      labels.push_back((i * i + g) % 20);
    }
    records.node_offsets.push_back(300 * (g + 1));
    classes.push_back(g % 2);
  }
  std::vector<std::string> values;
  for (int i = 0; i < 20; ++i) values.push_back("label " + std::to_string(i));
  records.node_labels = {{"label", std::move(labels), std::move(values)}};
  records.targets = {{"label", 1, std::move(classes), {}}};
  const Explained given = explained(std::move(records), {"a=classify", "b=classify", "ged"});
  EXPECT_LT(graphs_page(page_data(given, 0)).size(), 400'000u);
}

}  // namespace
}  // namespace dotin::report
