#include "report/scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/statistics.h"

namespace airlot::report {
namespace {

using Limits = std::numeric_limits<double>;

// Returns numbers of every size, with what is next to each.
std::vector<double> AllSizes() {
  std::vector<double> values{0, Limits::denorm_min(), Limits::min(), Limits::max()};
  for (int exponent = -322; exponent <= 308; exponent += 7) {
    for (const double factor : {1.0, 3.7, 9.99}) values.push_back(factor * std::pow(10, exponent));
  }
  // These are a whole number of which the next is not a number of its own, and times that differ by
  // rounding.
  for (const double value : {9007199254740992.0, 0.1 + 0.2, 60.0}) values.push_back(value);
  return values;
}

// Returns ranges of every width around every size.
std::vector<std::pair<double, double>> AllRanges() {
  std::vector<std::pair<double, double>> ranges;
  for (const double value : AllSizes()) {
    for (const double high : {value, std::nextafter(value, Limits::infinity()), value * (1 + 1e-12),
                              value * (1 + 2e-6), value * 1.5, value * 1e9, Limits::max()}) {
      if (std::isfinite(high) && value <= high) ranges.emplace_back(value, high);
      if (std::isfinite(high) && value <= high) ranges.emplace_back(-high, -value);
    }
    ranges.emplace_back(-value, value);
    ranges.emplace_back(0, value);
  }
  return ranges;
}

void CheckScale(Scale scale, double low, double high) {
  scale.begin = 10;
  scale.end = 110;
  ASSERT_TRUE(std::isfinite(scale.low) && std::isfinite(scale.high)) << low << " to " << high;
  ASSERT_LT(scale.low, scale.high) << low << " to " << high;
  for (const double value : {low, high, (low + high) / 2, Limits::infinity(), -Limits::infinity(),
                             Limits::quiet_NaN(), Limits::max(), Limits::lowest(), 0.0}) {
    const double place = scale(value);
    ASSERT_TRUE(place >= 10 && place <= 110) << value << " at " << place;
  }
  for (const int wanted : {2, 5}) {
    const std::vector<Tick> ticks = scale.Ticks(wanted);
    ASSERT_LE(ticks.size(), 12u) << low << " to " << high;
    std::set<std::string> labels;
    for (const Tick& tick : ticks) {
      ASSERT_TRUE(std::isfinite(tick.value)) << low << " to " << high;
      ASSERT_TRUE(labels.insert(tick.label).second) << tick.label << ": " << low << " to " << high;
    }
  }
}

TEST(ScaleTest, TicksAreRoundAndInside) {
  for (const auto& [low, high, is_log] : {std::tuple{0.0, 0.0307, false},
                                          {-500.0, 500.0, false},
                                          {31.0, 126747.0, true},
                                          {1e-9, 0.2, true},
                                          {3.0, 3.0, true},
                                          {2.0, 2.0, false}}) {
    Scale scale = RoundScale(low, high, is_log);
    scale.begin = 10;
    scale.end = 110;
    EXPECT_LE(scale.low, low);
    EXPECT_GE(scale.high, high * (1 - 1e-9));
    const auto ticks = scale.Ticks();
    EXPECT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    for (const Tick& tick : ticks) {
      // A millionth of a pixel is not seen; ten roundings of numbers up to 110 are 1e-13.
      EXPECT_GE(scale(tick.value), 10 - 1e-6);
      EXPECT_LE(scale(tick.value), 110 + 1e-6);
      EXPECT_NE(tick.label, "-0");
    }
  }
  const Scale decades{.low = 1, .high = 100, .begin = 0, .end = 2, .is_log = true};
  EXPECT_DOUBLE_EQ(decades(10), 1);
}

TEST(ScaleTest, HasAPlaceForEveryNumberThereIs) {
  for (const auto& [low, high] : AllRanges()) {
    CheckScale(ExactScale(low, high, false), low, high);
    CheckScale(RoundScale(low, high, false), low, high);
    ASSERT_GE(RoundScale(low, high, false).Ticks().size(), 2u) << low << " to " << high;
    if (!(low > 0)) continue;
    CheckScale(ExactScale(low, high, true), low, high);
    CheckScale(RoundScale(low, high, true), low, high);
    ASSERT_GE(RoundScale(low, high, true).Ticks().size(), 2u) << low << " to " << high;
  }
}

TEST(ScaleTest, WhatDiffersOnlyByRoundingIsOneValue) {
  const double low = 0.3, high = 0.1 + 0.2;
  ASSERT_LT(low, high);
  EXPECT_DOUBLE_EQ(ExactScale(low, high, false).high, 0.6);
  EXPECT_DOUBLE_EQ(ExactScale(low, high, true).low, 0.15);
  EXPECT_EQ(ExactScale(1, 1 + 2e-6, false).high, 1 + 2e-6);
}

TEST(BinsTest, WhatDiffersOnlyByRoundingIsInOneBin) {
  const Bins bins =
      BinsOf(std::vector<double>{60, std::nextafter(60, 0), std::nextafter(60, 61)}, 20);
  EXPECT_EQ(bins.counts, std::vector<std::size_t>{3});
}

TEST(BinsTest, HoldEveryNumberThereIs) {
  for (const auto& [low, high] : AllRanges()) {
    const Bins bins = BinsOf(std::vector<double>{low, high, high}, 20);
    ASSERT_EQ(bins.edges.size(), bins.counts.size() + 1);
    ASSERT_GE(bins.counts.size(), 1u);
    ASSERT_LE(bins.counts.size(), 21u) << low << " to " << high;
    ASSERT_TRUE(std::ranges::is_sorted(bins.edges)) << low << " to " << high;
    std::size_t count = 0;
    for (const std::size_t in_bin : bins.counts) count += in_bin;
    ASSERT_EQ(count, 3u);
    CheckScale(ExactScale(bins.edges.front(), bins.edges.back(), bins.is_log), low, high);
  }
}

}  // namespace
}  // namespace airlot::report
