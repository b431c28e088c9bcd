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
