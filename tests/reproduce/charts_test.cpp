#include "reproduce/charts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/svg.h"
#include "support/expect.h"

namespace dotin::reproduce {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Scale, MapsItsEndsLinearlyOrByRatio) {
  const Scale linear{10, 20, 100, 0, false};
  EXPECT_DOUBLE_EQ(linear(10), 100);
  EXPECT_DOUBLE_EQ(linear(15), 50);
  const Scale log{8, 128, 0, 4, true};
  EXPECT_NEAR(log(16), 1, 1e-12);
  EXPECT_NEAR(log(128), 4, 1e-12);
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(71.3, 74.9, 4), (std::vector<double>{72, 73, 74}));
  const std::vector<double> small = ticks(0.08, 0.92, 9);
  ASSERT_EQ(small.size(), 9u);
  EXPECT_NEAR(small.front(), 0.1, 1e-12);
  EXPECT_NEAR(small.back(), 0.9, 1e-12);
}

TEST(Ticks, OfRatiosAreOneTwoAndFiveOfEachPower) {
  EXPECT_EQ(log_ticks(3, 120), (std::vector<double>{5, 10, 20, 50, 100}));
  EXPECT_EQ(log_ticks(10, 20), (std::vector<double>{10, 20}));
}

TEST(LineChart, OfRatiosPlacesEqualRatiosAtEqualDistances) {
  LineChart chart;
  chart.log_y = true;
  chart.lines.push_back({"speed", {{1, 10}, {2, 100}, {3, 1000}}});
  const std::string svg = draw(chart, "speed");
  std::vector<double> heights;
  for (std::size_t at = svg.find("d=\"M", svg.find("class=\"line")); heights.size() < 3;) {
    at = svg.find(',', at) + 1;
    heights.push_back(std::stod(svg.substr(at)));
  }
  EXPECT_NEAR(heights[0] - heights[1], heights[1] - heights[2], 0.02);
  EXPECT_GT(heights[0], heights[1]);
  EXPECT_SAYS(svg, ">500<");
}

TEST(LineChart, HasAMarkWithItsValueForEveryPointAndABandWhereThereAreIntervals) {
  LineChart chart;
  chart.x_name = "drop ratio";
  chart.y_name = "accuracy";
  chart.lines = {{"one", {{0.1, 70, 68, 72}, {0.5, 71, 70, 72}}}, {"level", {{0, 69.5}}, true}, {"two", {{0.1, 66}}}};
  const std::string svg = draw(chart, "a <chart>");
  EXPECT_EQ(count_of(svg, "data-y="), 4u);
  EXPECT_EQ(count_of(svg, "class=\"band"), 1u);
  EXPECT_SAYS(svg, "<title>one, 0.1: 70, 68 to 72</title>");
  EXPECT_SAYS(svg, "<title>level: 69.5</title>");
  EXPECT_SAYS(svg, "aria-label=\"a &lt;chart&gt;\"");
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 4u) << "lines differ by more than colour, in the legend too";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(RowChart, DrawsMarksOfTheKindsThatOccur) {
  RowChart chart;
  chart.kinds = {"ours", "never", "paper"};
  chart.rows = {{"A & B", {{0, 70, 65, 75}, {2, 72}}}, {"not run", {}}};
  const std::string svg = draw(chart, "rows");
  EXPECT_EQ(count_of(svg, "data-y="), 2u);
  EXPECT_SAYS(svg, "A &amp; B");
  EXPECT_SAYS(svg, "<title>A &amp; B, paper: 72</title>");
  EXPECT_EQ(svg.find("never"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(ScatterChart, PlacesPointsOnASquare) {
  ScatterChart chart;
  chart.kinds = {"similar", "apart"};
  chart.points = {{0, 1, 1, "node 0"}, {1, 1, 9, "node 1"}};
  const std::string svg = draw(chart, "ranks");
  EXPECT_EQ(count_of(svg, "data-x=\"1\""), 2u);
  EXPECT_SAYS(svg, "<title>node 1</title>");
}

TEST(Charts, WithoutNumbersAreStillDrawn) {
  EXPECT_EQ(draw(LineChart{}, "").find("nan"), std::string::npos);
  EXPECT_EQ(draw(RowChart{}, "").find("inf"), std::string::npos);
  EXPECT_EQ(draw(ScatterChart{}, "").find("nan"), std::string::npos);
}

TEST(Standalone, BringsItsColoursForLightAndDark) {
  const std::string file = standalone(draw(LineChart{}, "x"));
  EXPECT_EQ(file.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  EXPECT_SAYS(file, "prefers-color-scheme: dark");
  EXPECT_SAYS(file, "--series-0");
}

}  // namespace
}  // namespace dotin::reproduce
