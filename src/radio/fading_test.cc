#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "airlot/radio.h"
#include "base/random.h"
#include "radio/fading_gains.h"
#include "radio/purposes.h"

namespace airlot {
namespace {

FadingModel With(Fading kind) { return {.kind = kind}; }

std::vector<double> Draw(const FadingModel& model, ColumnView rician_k, std::size_t devices,
                         std::uint64_t seed = 1, std::uint64_t round = 1) {
  std::vector<double> gains(devices);
  DrawFading(model, rician_k, seed, round, 0, gains);
  return gains;
}

TEST(Fading, NoneIsOne) {
  EXPECT_EQ(Draw(With(Fading::kNone), 0.0, 3), (std::vector<double>{1, 1, 1}));
}

TEST(Fading, DoesNotDependOnHowTheFleetIsCut) {
  std::vector<double> k(700);  // several blocks
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = static_cast<double>(i);
  for (const Fading fading : {Fading::kRayleigh, Fading::kRician, Fading::kNakagami}) {
    const FadingModel model = With(fading);
    const std::vector<double> whole = Draw(model, k, 700);
    std::vector<double> parts(700);
    DrawFading(model, k, 1, 1, 0, std::span(parts).first(37));
    DrawFading(model, k, 1, 1, 37, std::span(parts).subspan(37));
    EXPECT_EQ(whole, parts);
    EXPECT_NE(whole, Draw(model, k, 700, 2, 1));  // another seed
    EXPECT_NE(whole, Draw(model, k, 700, 1, 2));  // another round
  }
}

TEST(Fading, RayleighIsTheLogarithmOfItsBits) {
  const std::vector<double> gains = Draw(With(Fading::kRayleigh), 0.0, 1000, 5, 6);
  std::vector<std::uint64_t> bits(gains.size());
  base::DeviceBits(5, radio::kFading, 6, 0, bits);
  for (std::size_t i = 0; i < gains.size(); ++i) EXPECT_EQ(gains[i], radio::RayleighGain(bits[i]));
}

TEST(Fading, RicianWithoutADirectPathIsRayleigh) {
  EXPECT_EQ(Draw(With(Fading::kRician), 0.0, 50), Draw(With(Fading::kRayleigh), 0.0, 50));
}

// --- Statistics ----------------------------------------------------------------------------------

// Everything here is computed in double, one operation at a time on every target. An operation is
// off by at most kRoundoff of its result, and a function of the mathematics library by twice that.
constexpr double kRoundoff = 0x1p-53;

// Simpson's rule in log X is exact for an integrand that is smooth and falls to nothing at both
// ends, as its error falls by e^(-2π·(π/2)/h) with the step h = 0.018. What remains are 2001 terms
// of up to 10 roundings each, 2.2e-12 in the worst case, and ends that 1e-14 of the rounds are
// beyond.
constexpr double kErgodicError = 1e-11;
// Under a cap the integrand ends abruptly: the rule is off by h⁴/180 of its third derivative there,
// which is below 0.13; in bits that is 1.1e-10.
constexpr double kCappedError = 2e-10;

// Returns e^x·E1(x).
double ScaledE1(double x) { return -std::exp(x) * std::expint(-x); }

TEST(FadingStatistics, RayleighIsItsClosedForm) {
  const FadingModel model = With(Fading::kRayleigh);
  LinkCoding coding;
  EXPECT_NEAR(FadingCdf(model, 0, 1), 1 - std::exp(-1), 4 * kRoundoff);
  // The bisection ends at neighbours of ln x = -2.25, and the distribution has 3 roundings.
  EXPECT_NEAR(FadingQuantile(model, 0, 0.1) / -std::log1p(-0.1), 1, 16 * kRoundoff);
  for (const double snr : {0.02, 0.1, 1.0, 10.0, 1e4}) {
    const double closed = ScaledE1(1 / snr) / std::numbers::ln2;  // (R36)
    EXPECT_NEAR(ErgodicEfficiency(model, coding, 0, snr) / closed, 1, kErgodicError) << snr;
    coding.snr_gap_db = 10;
    EXPECT_NEAR(ErgodicEfficiency(model, coding, 0, 10 * snr) / closed, 1, kErgodicError) << snr;
    coding.snr_gap_db = 0;
  }
}

TEST(FadingStatistics, TheCapCutsTheRate) {
  FadingModel model = With(Fading::kRayleigh);
  LinkCoding coding;
  const double snr = 100;
  for (const double cap : {0.5, 4.0, 8.0}) {
    coding.spectral_efficiency_cap = cap;
    const double closed =  // (R36)
        std::exp(1 / snr) * (std::expint(-std::exp2(cap) / snr) - std::expint(-1 / snr)) /
        std::numbers::ln2;
    EXPECT_NEAR(ErgodicEfficiency(model, coding, 0, snr), closed, kCappedError) << cap;
  }
  model.kind = Fading::kNone;
  EXPECT_EQ(ErgodicEfficiency(model, coding, 0, 1e6), 8);
  EXPECT_NEAR(ErgodicEfficiency(model, coding, 0, 3), 2, 8 * kRoundoff);
}

TEST(FadingStatistics, NakagamiIsItsClosedForm) {
  FadingModel model = With(Fading::kNakagami);
  // The exponent of the first term has three parts, together below 16, of 3 roundings each, and up
  // to 60 terms are multiplied and added.
  constexpr double kSeriesError = 256 * kRoundoff;
  for (const double x : {0.01, 0.3, 1.0, 2.5}) {
    model.nakagami_m = 0.5;  // the square of a normal number
    EXPECT_NEAR(FadingCdf(model, 0, x), std::erf(std::sqrt(x / 2)), kSeriesError);
    model.nakagami_m = 1;
    EXPECT_NEAR(FadingCdf(model, 0, x), 1 - std::exp(-x), kSeriesError);
    model.nakagami_m = 3;  // the sum of three exponential numbers
    EXPECT_NEAR(FadingCdf(model, 0, x), 1 - std::exp(-3 * x) * (1 + 3 * x + 9 * x * x / 2),
                kSeriesError);
  }
  // For a whole m the distribution is a sum over Poisson numbers: P[X < x] = P[N >= m] of mean m·x.
  // The parts of the exponent are up to 7000, and three roundings of each are 7e-12: the error that
  // is stated of the function.
  for (const double m : {50.0, 1000.0}) {
    model.nakagami_m = m;
    for (const double x : {0.9, 1.0, 1.08}) {
      long double below = 0;
      for (int n = 0; n < int(m); ++n) {
        below += std::exp(n * std::log((long double)(m * x)) - (long double)(m * x) -
                          std::lgamma((long double)(n + 1)));
      }
      EXPECT_NEAR(FadingCdf(model, 0, x), double(1 - below), 1e-11) << m << " " << x;
    }
  }
  // By parts, m = 2 gives E[ln(1 + ρX)] = 1 + (1 - y)·e^y·E1(y) with y = 2/ρ.
  model.nakagami_m = 2;
  for (const double snr : {0.1, 3.0, 1000.0}) {
    const double y = 2 / snr;
    const double closed = (1 + (1 - y) * ScaledE1(y)) / std::numbers::ln2;
    EXPECT_NEAR(ErgodicEfficiency(model, {}, 0, snr) / closed, 1, kErgodicError) << snr;
  }
}

// Integrates the density of (R26), which is an independent route. The midpoint rule with the step h
// is off by h²/24 times the difference of the integrand's slopes at both ends.
double IntegrateRician(double k, const std::function<double(double)>& of, double until) {
  constexpr int kSteps = 20'000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double x = until * (i + 0.5) / kSteps;
    const double density = (k + 1) * std::exp(-k - (k + 1) * x) *
                           std::cyl_bessel_i(0.0, 2 * std::sqrt(k * (k + 1) * x));
    sum += density * of(x);
  }
  return sum * until / kSteps;
}

TEST(FadingStatistics, RicianIsTheIntegralOfItsDensity) {
  const FadingModel model = With(Fading::kRician);
  // The slopes of the densities are at most 3 in size, and h is 1.8/20000; times the efficiency,
  // the densities begin with at most 10/ln 2, and h is 40/20000.
  constexpr double kCdfError = 9e-5 * 9e-5 / 24 * 6;
  const double efficiency_error = 2e-3 * 2e-3 / 24 * 10 / std::numbers::ln2 * 1.1;
  for (const double k : {0.0, 0.5, 8.0, 20.0}) {
    for (const double x : {0.05, 0.7, 1.0, 1.8}) {
      EXPECT_NEAR(FadingCdf(model, k, x),
                  IntegrateRician(
                      k, [](double) { return 1.0; }, x),
                  kCdfError);
    }
    const auto efficiency = [](double x) { return std::log2(1 + 10 * x); };
    EXPECT_NEAR(ErgodicEfficiency(model, {}, k, 10), IntegrateRician(k, efficiency, 40),
                efficiency_error)
        << k;
  }
  // There is hardly any fading: the variance 2e-4 takes off half of it times (10/11)²/ln 2.
  EXPECT_NEAR(ErgodicEfficiency(model, {}, 1e4, 10), std::log2(11.0) - 1.19e-4, 1e-5);
}

// The bisection ends between neighbours of ln x, at most 2^-49 apart, and by ln x the logarithm of
// the share rises by at most 50. The distribution itself is computed from exponents below 600,
// whose roundings, 3e-13, are its own.
TEST(FadingStatistics, QuantilesInvertTheDistribution) {
  for (const Fading fading : {Fading::kRayleigh, Fading::kRician, Fading::kNakagami}) {
    for (const double share : {1e-6, 0.1, 0.5, 0.999}) {
      const FadingModel model = With(fading);
      EXPECT_NEAR(FadingCdf(model, 8, FadingQuantile(model, 8, share)) / share, 1, 1e-12);
    }
  }
}

// --- What is drawn follows them ------------------------------------------------------------------
//
// Another seed would fail a comparison within 4.5 standard errors once in 150 000 times. The seeds
// are fixed, and so is the outcome.

struct DrawnCase {
  const char* name;
  Fading fading;
  double rician_k, nakagami_m;
};
class DrawnFading : public testing::TestWithParam<DrawnCase> {};

constexpr std::size_t kDraws = 40'000;

TEST_P(DrawnFading, HasItsDistributionMeanAndErgodicRate) {
  FadingModel model = With(GetParam().fading);
  model.nakagami_m = GetParam().nakagami_m;
  const double k = GetParam().rician_k;
  std::vector<double> gains = Draw(model, k, kDraws);

  const double snr = 30;
  double sum = 0, squares = 0, rate = 0, rate_squares = 0;
  for (const double x : gains) {
    ASSERT_GT(x, 0);
    sum += x;
    squares += x * x;
    rate += std::log2(1 + snr * x);
    rate_squares += std::pow(std::log2(1 + snr * x), 2);
  }
  const auto standard_error = [](double mean, double mean_square) {
    return std::sqrt((mean_square - mean * mean) / kDraws);
  };
  EXPECT_NEAR(sum / kDraws, 1, 4.5 * standard_error(sum / kDraws, squares / kDraws));
  EXPECT_NEAR(rate / kDraws, ErgodicEfficiency(model, {}, k, snr),
              4.5 * standard_error(rate / kDraws, rate_squares / kDraws));

  // The distance of Kolmogorov and Smirnov is beyond 2.2/sqrt(n) in 1 of 8000 seeds.
  std::ranges::sort(gains);
  double furthest = 0;
  for (std::size_t i = 0; i < kDraws; i += 40) {
    const double cdf = FadingCdf(model, k, gains[i]);
    furthest = std::max(furthest, std::abs(cdf - static_cast<double>(i) / kDraws));
  }
  EXPECT_LT(furthest, 2.2 / std::sqrt(kDraws));
  EXPECT_GT(furthest, 0);
}

// Neighbours, and a device's rounds, know nothing of each other.
TEST_P(DrawnFading, IsIndependentOfDevicesAndRounds) {
  FadingModel model = With(GetParam().fading);
  model.nakagami_m = GetParam().nakagami_m;
  const double k = GetParam().rician_k;
  const std::vector<double> gains = Draw(model, k, kDraws);
  const std::vector<double> next_round = Draw(model, k, kDraws, 1, 2);
  const std::vector<double> next_seed = Draw(model, k, kDraws, 2, 1);
  double variance = 0;
  for (const double x : gains) variance += (x - 1) * (x - 1) / kDraws;
  const auto correlation = [&](const std::vector<double>& others, std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < kDraws; ++i) sum += (gains[i] - 1) * (others[i + lag] - 1);
    return sum / variance / static_cast<double>(kDraws);
  };
  for (const std::size_t lag : {1, 2, 3, 4, 64}) {
    EXPECT_NEAR(correlation(gains, lag), 0, 4.5 / std::sqrt(kDraws)) << lag;
  }
  EXPECT_NEAR(correlation(next_round, 0), 0, 4.5 / std::sqrt(kDraws));
  EXPECT_NEAR(correlation(next_seed, 0), 0, 4.5 / std::sqrt(kDraws));
  EXPECT_NEAR(correlation(gains, 0), 1, 3.0 * kDraws * kRoundoff);  // two sums of the same terms
}

INSTANTIATE_TEST_SUITE_P(Kinds, DrawnFading,
                         testing::Values(DrawnCase{"Rayleigh", Fading::kRayleigh, 0, 1},
                                         DrawnCase{"RicianWeak", Fading::kRician, 0.3, 1},
                                         DrawnCase{"RicianStrong", Fading::kRician, 8, 1},
                                         DrawnCase{"NakagamiHalf", Fading::kNakagami, 0, 0.5},
                                         DrawnCase{"NakagamiDefault", Fading::kNakagami, 0, 1.5},
                                         DrawnCase{"NakagamiSteady", Fading::kNakagami, 0, 50}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace airlot
