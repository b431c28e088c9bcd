#include "report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

namespace airlot::report {
namespace {

// Returns the probability of Student's distribution between -t and t, by Simpson's rule on its
// density.
double Integral(double t, double degrees) {
  const double scale = std::tgamma((degrees + 1) / 2) /
                       (std::sqrt(degrees * std::numbers::pi) * std::tgamma(degrees / 2));
  const auto density = [&](double x) {
    return scale * std::pow(1 + x * x / degrees, -(degrees + 1) / 2);
  };
  constexpr int kSteps = 20000;
  double sum = density(0) + density(t);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * density(t * i / kSteps);
  return 2 * sum * t / (3 * kSteps);
}

TEST(StatisticsTest, StudentQuantileHoldsNineteenOfTwenty) {
  // The slope of the distribution is 1/255 there, and of the tangent 162: some ten roundings of
  // the share, and one of the angle, make 3e-13.
  EXPECT_NEAR(StudentQuantile(1), std::tan(0.95 * std::numbers::pi / 2), 1e-12);
  // The 20 001 terms of the integral are rounded three times each: 7e-12. Its rule leaves 1e-13.
  for (const std::size_t degrees : {1, 2, 3, 4, 5, 9, 10, 19, 30, 99, 100}) {
    EXPECT_NEAR(Integral(StudentQuantile(degrees), double(degrees)), 0.95, 1e-11) << degrees;
  }
  // The distribution is nearly normal: the quantile z is larger by (z³ + z)/(4·100000) = 2.4e-5.
  EXPECT_NEAR(StudentQuantile(100000), 1.95996 + 2.4e-5, 1e-5);
}

TEST(StatisticsTest, BandOfThreeByHand) {
  const std::vector<double> values{1, 2, 6};  // Their mean is 3, and s^2 = (4 + 1 + 9) / 2.
  const Band band = MeanBand(values);
  EXPECT_DOUBLE_EQ(band.mean, 3);
  EXPECT_NEAR(band.high - 3, StudentQuantile(2) * std::sqrt(7.0 / 3), 32 * 0x1p-53 * 10);
  EXPECT_NEAR(3 - band.low, band.high - 3, 4 * 0x1p-53 * 10);  // numbers up to 10
  const std::vector<double> one{5};
  EXPECT_EQ(MeanBand(one).low, 5);
  EXPECT_EQ(MeanBand(one).high, 5);
}

TEST(StatisticsTest, ReadsBetweenPoints) {
  const Track track{{0, 2, 2, 4}, {0.1, 0.3, 0.5, 0.6}};
  EXPECT_DOUBLE_EQ(At(track, 1), 0.2);
  EXPECT_DOUBLE_EQ(At(track, 2), 0.5);  // The last of both counts.
  EXPECT_DOUBLE_EQ(At(track, 3), 0.55);
  EXPECT_DOUBLE_EQ(At(track, 9), 0.6);
}

TEST(StatisticsTest, OneRunIsItsEvaluations) {
  const Track track{{0, 2, 2, 4}, {0.1, 0.3, 0.5, 0.6}};
  const auto curve = MeanCurve(std::span(&track, 1), 100);
  ASSERT_EQ(curve.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(curve[i].x, track.x[i]);
    EXPECT_EQ(curve[i].y.mean, track.y[i]);
  }
}

TEST(StatisticsTest, RunsMeetAtCommonPlacesAsFarAsAllCame) {
  // By hand, the places are 0, 3, then min(6, 4) = 4, where the first run has ended.
  const std::vector<Track> tracks{{{0, 2, 4}, {0, 0.2, 0.4}}, {{0, 4, 8}, {0, 0.8, 1}}};
  const auto curve = MeanCurve(tracks, 100);
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_DOUBLE_EQ(curve[1].x, 3);
  EXPECT_DOUBLE_EQ(curve[1].y.mean, (0.3 + 0.6) / 2);
  EXPECT_DOUBLE_EQ(curve[2].x, 4);
  EXPECT_DOUBLE_EQ(curve[2].y.mean, (0.4 + 0.8) / 2);
  for (const CurvePoint& point : curve) {
    EXPECT_GE(point.y.low, 0);
    EXPECT_LE(point.y.high, 1);
  }
  EXPECT_TRUE(MeanCurve({}, 100).empty());
}

TEST(StatisticsTest, TheTailIsTheMeanOfThoseThatGoOn) {
  // By hand: the first run ends at 4, the second at 6, the third at 10.
  const std::vector<Track> tracks{
      {{0, 4}, {0, 0.4}}, {{0, 6}, {0, 0.6}}, {{0, 5, 10}, {0, 0.2, 0.9}}};
  const auto tail = MeanTail(tracks, 100);
  const CurvePoint wanted[] = {{4, {.mean = (0.4 + 0.16) / 2}, 2},
                               {5, {.mean = (0.5 + 0.2) / 2}, 2},
                               {6, {.mean = (0.6 + 0.34) / 2}, 2},
                               {6, {.mean = 0.34}, 1},
                               {10, {.mean = 0.9}, 1}};
  ASSERT_EQ(tail.size(), std::size(wanted));
  for (std::size_t i = 0; i < tail.size(); ++i) {
    EXPECT_EQ(tail[i].x, wanted[i].x);
    EXPECT_DOUBLE_EQ(tail[i].y.mean, wanted[i].y.mean) << i;
    EXPECT_EQ(tail[i].runs, wanted[i].runs) << i;
    EXPECT_EQ(tail[i].y.low, tail[i].y.high);
  }
  // It goes on where the curve of all ends.
  EXPECT_EQ(MeanCurve(tracks, 100).back().x, tail.front().x);
  // Thinned, it keeps the places where runs end.
  const auto thinned = MeanTail(tracks, 2);
  EXPECT_EQ(thinned.front().x, 4);
  EXPECT_EQ(thinned[2].x, 6);
  EXPECT_EQ(thinned.back().x, 10);
}

TEST(StatisticsTest, RunsThatEndTogetherHaveNoTail) {
  const Track track{{0, 4}, {0, 0.4}}, rounded{{0, 4 * (1 + 1e-9)}, {0, 0.6}};
  EXPECT_TRUE(MeanTail({}, 100).empty());
  EXPECT_TRUE(MeanTail(std::vector{track}, 100).empty());
  EXPECT_TRUE(MeanTail(std::vector{track, track}, 100).empty());
  EXPECT_TRUE(MeanTail(std::vector{track, rounded}, 100).empty());
}

TEST(StatisticsTest, TheMedianOfAnEvenNumberLiesBetween) {
  EXPECT_EQ(MedianOf({3}), 3);
  EXPECT_EQ(MedianOf({9, 1, 2}), 2);
  EXPECT_EQ(MedianOf({9, 1, 2, 4}), 3);
  EXPECT_EQ(MedianOf({5, 1}), 3);
}

TEST(StatisticsTest, ThinnedKeepsTheEnds) {
  EXPECT_EQ(Thinned({3, 1, 2}, 3), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(Thinned({5, 4, 3, 2, 1}, 3), (std::vector<double>{1, 3, 5}));
}

TEST(StatisticsTest, LongCurvesAreThinned) {
  Track track;
  for (int i = 0; i < 1000; ++i) {
    track.x.push_back(i);
    track.y.push_back(i / 1000.0);
  }
  const auto curve = MeanCurve(std::span(&track, 1), 100);
  ASSERT_EQ(curve.size(), 101u);  // These are every tenth place and the last.
  EXPECT_EQ(curve[1].x, 10);
  EXPECT_EQ(curve.back().x, 999);
}

TEST(StatisticsTest, DistributionRisesToOne) {
  const auto curve = Distribution({3, 1, 2, 2}, 100);
  ASSERT_EQ(curve.size(), 4u);
  EXPECT_EQ(curve[0].y.mean, 0);
  EXPECT_EQ(curve[1].x, 1);
  EXPECT_EQ(curve[1].y.mean, 0.25);
  EXPECT_EQ(curve[2].y.mean, 0.75);
  EXPECT_EQ(curve[3].y.mean, 1);
  std::vector<double> many(1000);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_LE(Distribution(many, 50).size(), 51u);
  EXPECT_EQ(Distribution(many, 50).back().x, 999);
  EXPECT_TRUE(Distribution({}, 50).empty());
}

TEST(StatisticsTest, BinsHoldEveryValue) {
  for (const std::vector<double>& values : {std::vector<double>{0.01, 0.02, 0.03},
                                            {5},
                                            {0},
                                            {0, 0},
                                            {1e-9, 0.2, 0.2},
                                            {1, 1000},
                                            {0, 1e-3, 7}}) {
    const Bins bins = BinsOf(values, 20);
    ASSERT_EQ(bins.edges.size(), bins.counts.size() + 1);
    EXPECT_TRUE(std::is_sorted(bins.edges.begin(), bins.edges.end()));
    EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), std::size_t{0}),
              values.size());
  }
  EXPECT_FALSE(BinsOf(std::vector<double>{1, 29}, 20).is_log);
  EXPECT_TRUE(BinsOf(std::vector<double>{1, 31}, 20).is_log);
}

}  // namespace
}  // namespace airlot::report
