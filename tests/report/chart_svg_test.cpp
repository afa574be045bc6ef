#include <cmath>
#include <gmock/gmock.h>

#include "report/chart/line_chart.hpp"

namespace mirab::report {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

TEST(Ticks, AreRoundAndHoldAllValues) {
  EXPECT_THAT(axis_for(0.05, 0.95, 6).ticks(), Pointwise(DoubleNear(1e-12), {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_THAT(axis_for(-3, 12, 6).ticks(), Pointwise(DoubleNear(1e-12), {-5.0, 0.0, 5.0, 10.0, 15.0}));
  for (const auto& [low, high] : {std::pair(0.3, 0.31), {1e-9, 3e-9}, {-1e6, -9e5}, {17.0, 4000.0}}) {
    const Axis axis = axis_for(low, high, 6);
    EXPECT_LE(axis.low, low * (low > 0 ? 1 + 1e-9 : 1 - 1e-9));
    EXPECT_GE(axis.high, high * (high > 0 ? 1 - 1e-9 : 1 + 1e-9));
    EXPECT_LE(axis.ticks().size(), 9u);
  }
}

TEST(Ticks, AreThereForASingleValue) {
  EXPECT_LT(axis_for(0, 0, 6).low, axis_for(0, 0, 6).high);
  EXPECT_LT(axis_for(3, 3, 6).low, 3);
  EXPECT_LT(axis_for(-3, -3, 6).low, -3);
}

experiments::Figure figure() {
  return {.title = "γ <of> A & B",
          .x_label = "load",
          .y_label = "rate",
          .curves = {{.name = "pf", .x = {0, 1}, .y = {1, 0}, .low = {0.9, 0}, .high = {1, 0.1}},
                     {.name = "drf", .x = {0, 0.5, 1}, .y = {1, NAN, 0.5}}}};
}

TEST(ChartSvg, DrawsEveryCurveItsIntervalsAndItsName) {
  const std::string svg = chart_svg(figure());
  EXPECT_THAT(svg, HasSubstr("<title>γ &lt;of> A &amp; B</title>"));
  EXPECT_THAT(svg, HasSubstr("<polygon class=\"b f0\""));
  EXPECT_THAT(svg, Not(HasSubstr("<polygon class=\"b f1\"")));
  EXPECT_THAT(svg, HasSubstr("<path class=\"c s0\" d=\"M70.0,34.0 704.0,334.0\"/>"));
  EXPECT_THAT(svg, HasSubstr(">drf</text>"));
}

TEST(ChartSvg, APointThatIsNotFiniteInterruptsTheLine) {
  EXPECT_THAT(chart_svg(figure()), HasSubstr("<path class=\"c s1\" d=\"M70.0,34.0M704.0,184.0\"/>"));
}

TEST(ChartSvg, ACurveNamedAfterAnotherHasItsColourAndDashes) {
  experiments::Figure both = figure();
  both.curves.push_back({.name = "pf, exact", .x = {0, 1}, .y = {1, 0}});
  both.curves.push_back({.name = "pfx", .x = {0, 1}, .y = {1, 0}});
  const std::string svg = chart_svg(both);
  EXPECT_THAT(svg, HasSubstr("<path class=\"c s0\" stroke-dasharray=\"3 3\" d=\"M70.0,34.0 704.0,334.0\"/>"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"c s2\" d=\"M70.0,34.0 704.0,334.0\"/>"));
}

TEST(ChartSvg, ThinsALongLineAndKeepsItsEnd) {
  experiments::Figure figure{
      .title = "t", .x_label = "x", .y_label = "y", .curves = {{.name = "n", .x = {}, .y = {}}}};
  for (int i = 0; i <= 100'000; ++i) {
    figure.curves[0].x.push_back(i);
    figure.curves[0].y.push_back(i);
  }
  const std::string svg = chart_svg(figure);
  EXPECT_LT(svg.size(), 20'000u);
  EXPECT_THAT(svg, HasSubstr(" 704.0,34.0\""));
}

TEST(ChartSvg, AFigureWithoutCurvesIsAnEmptyFrame) {
  EXPECT_THAT(chart_svg({.title = "t", .x_label = "x", .y_label = "y", .curves = {}}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace mirab::report
