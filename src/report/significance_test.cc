#include "report/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "report/paired.h"
#include "report/statistics.h"
#include "report/statistics_vectors_for_tests.h"

namespace airlot::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The logarithm of a tail is a sum of six terms of at most 1000 here, and each is rounded about
// four times: 6·4·1000·2^-53 = 2.7e-12. The fraction has at most 100 steps of ten roundings: 1e-13.
constexpr double kOwnTailError = 3e-12;

TEST(SignificanceTest, TailsByHand) {
  // One degree: 1/2 - atan(t)/π; two degrees: 1/2 - t/(2·√(2 + t²)). The terms of the logarithm are
  // at most 10 here: 3e-14 of a tail of at most 1/2.
  for (const double t : {-3.0, -0.5, 0.0, 0.25, 1.0, 4.0}) {
    EXPECT_NEAR(StudentAtLeast(t, 1), 0.5 - std::atan(t) / std::numbers::pi, 2e-14);
    EXPECT_NEAR(StudentAtLeast(t, 2), 0.5 - t / (2 * std::sqrt(2 + t * t)), 2e-14);
  }
  // Far out, the tail of one degree is 1/(π·t) but for a share of 1/(3·t²).
  EXPECT_NEAR(StudentAtLeast(1e9, 1) * std::numbers::pi * 1e9, 1, kOwnTailError);
  // What lies between the quantiles is 95 %: both functions come by different routes.
  for (const std::size_t degrees : {1, 2, 3, 7, 30, 200}) {
    EXPECT_NEAR(StudentAtLeast(StudentQuantile(degrees), degrees), 0.025, 1e-12) << degrees;
  }
}

TEST(SignificanceTest, QuantilesAndTailsAreThoseOfSciPy) {
  // Our quantile comes from a sum of up to 500 terms, each rounded four times, of a probability
  // that rises by 0.22 of itself or more where t rises by 1 of itself: 500·4·2^-53/0.2 = 1.1e-12.
  // With one degree the probability rises by 0.05 only, but is one term.
  for (const QuantileVector& vector : kQuantiles) {
    EXPECT_NEAR(StudentQuantile(vector.degrees) / vector.t, 1, kQuantileError + 2e-12)
        << vector.degrees;
  }
  for (const TailVector& vector : kTails) {
    EXPECT_NEAR(StudentAtLeast(vector.t, vector.degrees) / vector.probability, 1,
                kTailError + kOwnTailError)
        << vector.degrees << " " << vector.t;
    EXPECT_NEAR(StudentAtLeast(-vector.t, vector.degrees), 1 - vector.probability,
                kTailError + kOwnTailError);
  }
}

TEST(SignificanceTest, IntervalsAndPairedTestsAreThoseOfSciPy) {
  for (const PairedVector& vector : kPaired) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < vector.first.size(); ++i) {
      differences.push_back(std::log(vector.second[i]) - std::log(vector.first[i]));
    }
    // Logarithms of at most 8 are rounded by 2^-51 in either library, their differences spread by
    // 0.01 or more, and 50 of them are added: means and deviations err by 50·2^-50 = 4.5e-14 at
    // most, relative to the spread by 4.5e-12.
    const Band band = MeanBand(differences);
    const double half = (vector.high - vector.low) / 2,
                 scale = std::max(std::abs(vector.mean), half);
    EXPECT_NEAR(band.mean, vector.mean, 1e-13);
    EXPECT_NEAR(band.low, vector.low, (kIntervalError + 5e-12) * scale);
    EXPECT_NEAR(band.high, vector.high, (kIntervalError + 5e-12) * scale);
    const Interval interval = IntervalOf(differences, differences);
    EXPECT_EQ(interval.low, band.low);
    EXPECT_EQ(interval.high, band.high);
    // A p value changes by at most the degrees of freedom, 49, times as much of itself as t does.
    const double p = *PairedTest(differences, differences);
    const double within = kTestError + kOwnTailError + 49 * 5e-12;
    EXPECT_NEAR(p / vector.p_paired, 1, within) << vector.first.size();
    EXPECT_NEAR(p / vector.p_one_sample, 1, within) << vector.first.size();
  }
}

TEST(SignificanceTest, HolmIsThatOfItsSteps) {
  for (const HolmVector& vector : kHolm) {
    const std::vector<double> adjusted = HolmAdjusted(vector.p);
    ASSERT_EQ(adjusted.size(), vector.adjusted.size());
    // A product is rounded once.
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      EXPECT_DOUBLE_EQ(adjusted[i], vector.adjusted[i]);
    }
  }
  // By hand, out of order: 0.005·4, then 0.01·3; 0.03·2 is more than 0.04·1, which takes it over.
  const std::vector<double> adjusted = HolmAdjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  const double wanted[] = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(adjusted[i], wanted[i]);
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

TEST(SignificanceTest, SharesAreThoseOfSciPy) {
  for (const ShareVector& vector : kShares) {
    const ShareInterval interval = IntervalOfShare(vector.hits, vector.trials);
    // Ours is a bisection of sums of at most 51 terms, whose logarithms are up to 200 and rounded
    // ten times: 51·200·10·2^-53 = 1.2e-11.
    EXPECT_NEAR(interval.low, vector.low, (kShareError + 2e-11)) << vector.hits;
    EXPECT_NEAR(interval.high, vector.high, (kShareError + 2e-11)) << vector.hits;
  }
}

TEST(SignificanceTest, WhatIsNotKnownIsNoEvidence) {
  EXPECT_EQ(PairedTest(std::vector<double>{1}, std::vector<double>{1}), std::nullopt);
  // The upper bounds do not matter where the lower ones decide, and the other way round.
  const std::vector<double> high{1, 1.1, 0.9, 1.05}, open(4, kInfinity), none(4, -kInfinity);
  const double p = *PairedTest(high, high);
  EXPECT_LT(p, 0.001);
  EXPECT_EQ(*PairedTest(high, open), p);
  EXPECT_EQ(*PairedTest(none, high), 1);
  EXPECT_EQ(*PairedTest(none, open), 1);
  std::vector<double> low;
  for (const double value : high) low.push_back(-value);
  EXPECT_EQ(*PairedTest(none, low), p);
  // Differences that are all the same do not say how much they vary. Of multiples of 1/500 they are
  // the same but for the last digits.
  const std::vector<double> same(3, 0.5), zero(3, 0.0),
      rounded{100 * (0.942 - 0.936), 100 * (0.064 - 0.058), 100 * (0.984 - 0.978)};
  EXPECT_NE(rounded[0], rounded[1]);
  EXPECT_EQ(PairedTest(same, same), std::nullopt);
  EXPECT_EQ(PairedTest(rounded, rounded), std::nullopt);
  EXPECT_EQ(PairedTest(same, open), std::nullopt);
  // Without any difference nothing speaks for one.
  EXPECT_EQ(PairedTest(zero, zero), 1);
}

}  // namespace
}  // namespace airlot::report
