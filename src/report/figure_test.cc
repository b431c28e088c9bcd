#include "report/figure.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "report/devices.h"

namespace airlot::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// These are values that no file of ours holds, beside some that it may.
const std::vector<double> kValues = {0,         -1,         5e-324,  1e-300,   0.25,
                                     0.5,       1,          1e300,   kNan,     -1e300,
                                     kInfinity, -kInfinity, 1.7e308, -1.7e308, 3};

void ExpectFinitePlaces(const Figure& figure) {
  static const std::regex kPlaces(R"re( (?:d|x|y|width|height|transform)="([^"]*)")re");
  std::size_t places = 0;
  for (std::sregex_iterator at(figure.svg.begin(), figure.svg.end(), kPlaces), end; at != end;
       ++at, ++places) {
    const std::string text = (*at)[1];
    EXPECT_EQ(text.find("nan"), std::string::npos) << figure.id << ": " << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << figure.id << ": " << text;
  }
  EXPECT_GT(places, 0u) << figure.id;
}

TEST(FigureTest, LinesHaveFinitePlaces) {
  Curve curve{.strategy = "uniform", .runs = 3};
  for (const double x : kValues) {
    for (const double y : kValues) curve.points.push_back({x, {y, y, y}});
  }
  for (const bool is_log : {false, true}) {
    const Figure figure =
        DrawLines({"lines", "", ""}, {.label = "x", .name = "x", .is_log = is_log},
                  {.label = "y", .name = "y"}, {curve}, {0.5});
    ExpectFinitePlaces(figure);
    EXPECT_EQ(figure.interactive.find("null"), std::string::npos);
  }
}

TEST(FigureTest, ATailIsThinAndWithoutABand) {
  const std::vector<Track> tracks{{{0, 4}, {0, 0.4}}, {{0, 6}, {0, 0.6}}, {{0, 8}, {0, 0.5}}};
  const Curve curve = MeanCurveOf("uniform", Looks(), tracks, 100);
  ASSERT_TRUE(curve.end);
  EXPECT_DOUBLE_EQ(curve.end->x, 6);
  EXPECT_DOUBLE_EQ(curve.end->y.mean, 0.5);
  const Figure figure = DrawLines({"lines", "", ""}, {.label = "x", .name = "x"},
                                  {.label = "y", .name = "y", .is_percent = true}, {curve}, {});
  const std::string look = "y c2 d2";  // that of the third strategy
  EXPECT_NE(figure.svg.find("class=\"" + look + "\""), std::string::npos) << figure.svg;
  EXPECT_NE(figure.svg.find("class=\"x c2\""), std::string::npos);
  // Of the rows after the head, the tail has fewer runs and no band.
  EXPECT_NE(figure.csv.find("\nuniform,1,8,0.5,,\n"), std::string::npos) << figure.csv;
  EXPECT_NE(figure.csv.find("\nuniform,3,0,0,0,0\n"), std::string::npos) << figure.csv;
  EXPECT_NE(figure.interactive.find(R"("runs":[2,2,1,1],"end":[6.0,0.5])"), std::string::npos)
      << figure.interactive;
  EXPECT_NE(figure.description.find("in the longest until 8."), std::string::npos);
}

TEST(FigureTest, AMarkIsALineThatIsInSight) {
  Curve curve{.strategy = "uniform"};
  curve.points = {{0.01, {0, 0, 0}}, {0.1, {1, 1, 1}}};
  const Figure figure =
      DrawLines({"lines", "", ""}, {.label = "x", .name = "x", .is_log = true, .mark = 1.0},
                {.label = "y", .name = "y"}, {curve}, {});
  // The scale ends at the mark.
  EXPECT_NE(figure.svg.find(R"(<path class="e" d="M436 )"), std::string::npos) << figure.svg;
  EXPECT_NE(figure.interactive.find(R"("mark":1.0)"), std::string::npos);
}

Trade At(double x, double y, bool is_bound = false) {
  return {.strategy = "all", .x = {x, x, x}, .y = {y, y, y}, .is_bound = is_bound};
}

TEST(FigureTest, TheFrontIsWhatNoOtherBeats) {
  const std::vector<Trade> trades{At(1, 9), At(2, 5), At(3, 5),       At(3, 6), At(9, 1),
                                  At(9, 1), At(5, 3), At(8, 2, true), At(6, 4), At(0.5, 0.5, true)};
  EXPECT_EQ(FrontOf(trades),
            (std::vector<bool>{true, true, false, false, true, true, true, false, false, false}));
}

TEST(FigureTest, WhatIsNotDrawnKeepsNobodyOffTheFront) {
  const std::vector<Trade> trades{At(0, 0), At(1, 9), At(2, 5), At(0, 5), At(3, 6)};
  EXPECT_EQ(FrontOf(trades), (std::vector<bool>{false, true, true, false, false}));
}

TEST(FigureTest, TradesHaveFinitePlaces) {
  std::vector<Trade> trades;
  for (const double x : kValues) {
    for (const double y : kValues) {
      trades.push_back(At(x, y));
      trades.back().x.low = y;
      trades.back().y.high = x;
    }
  }
  ExpectFinitePlaces(DrawTrades({"trades", "", ""}, {.label = "x", .name = "x"},
                                {.label = "y", .name = "y"}, trades, ""));
}

TEST(FigureTest, FilledAndHollowMarksDiffer) {
  Trade kept = At(1, 9), broken = At(2, 5);
  kept.x = {1, 0.5, 1.5};
  broken.is_filled = false;
  const Figure figure = DrawTrades({"trades", "", ""}, {.label = "x", .name = "x"},
                                   {.label = "y", .name = "y"}, {kept, broken}, "");
  // Each has a mark in the legend and one in the plot; one interval and one front are drawn.
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = figure.svg.find(text); at != std::string::npos;
         at = figure.svg.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("class=\"m c0\""), 2u);
  EXPECT_EQ(count("class=\"x c0\""), 2u);
  EXPECT_EQ(count("class=\"y c0\""), 1u);
  EXPECT_EQ(count("class=\"e front\""), 1u);
}

TEST(FigureTest, DotsStandInTheirRows) {
  const Figure figure =
      DrawDots({"dots", "", ""}, {.label = "x", .name = "x"}, "class",
               {{"a", StyleAt(0), {0.5, kNan, 1}}, {"b", StyleAt(1), {0.25}}}, "");
  ExpectFinitePlaces(figure);
  for (const char* text : {"class 0, a: 50.0 %", "class 2, a: 100.0 %", "class 0, b: 25.0 %"}) {
    EXPECT_NE(figure.svg.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(figure.svg.find("class 1, "), std::string::npos);
}

TEST(FigureTest, BarsHaveFinitePlaces) {
  BarGroup group{.name = "to 80 %"};
  for (const double value : kValues) {
    for (const double other : kValues) {
      group.bars.push_back(
          {.strategy = "all", .value = value, .spread = other, .reference = other});
    }
  }
  ExpectFinitePlaces(DrawBars({"bars", "", ""}, {.label = "x", .name = "x"}, {group}, ""));
}

TEST(FigureTest, PointsHaveFinitePlaces) {
  Cloud cloud{.strategy = "all"};
  for (const double x : kValues) {
    for (const double y : kValues) {
      cloud.ids.emplace_back("device");
      cloud.hover.emplace_back("device");
      cloud.x.push_back(x);
      cloud.y.push_back(y);
    }
  }
  for (const double draws : {0.0, 12.0}) {
    ExpectFinitePlaces(DrawScatter({"points", "", ""}, {.label = "x", .name = "x"},
                                   {.label = "y", .name = "y"}, {cloud},
                                   {.name = "y = x", .draws = draws}));
  }
}

TEST(FigureTest, HistogramsSayHowManyTheyLeaveOut) {
  const Figure figure = DrawHistogram({"bins", "", ""}, {.label = "x", .name = "x"}, kValues);
  ExpectFinitePlaces(figure);
  EXPECT_NE(figure.caption.find("3 devices"), std::string::npos) << figure.caption;
}

TEST(FigureTest, MapsHaveFinitePlaces) {
  DeviceSample sample;
  for (const double place : kValues) {
    for (const double value : kValues) {
      sample.drawn.push_back({.id = "device",
                              .place = Place{place, value},
                              .distance_m = value,
                              .samples = value,
                              .probability = value,
                              .power_w = value,
                              .upload_s = value,
                              .energy_j = value,
                              .budget_j = value});
    }
  }
  sample.devices = sample.drawn.size();
  ExpectFinitePlaces(DrawMap({"map", "", ""}, sample));
}

}  // namespace
}  // namespace airlot::report
