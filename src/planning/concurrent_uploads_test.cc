// Bands are tested by hand, by the equations that define them, and against slower ways to find
// them.
#include "planning/concurrent_uploads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "planning/small_cell_for_tests.h"

namespace airlot::planning {
namespace {

constexpr double kLn2 = std::numbers::ln2;

// All of this is plain double arithmetic, one operation at a time on every target: an operation is
// off by at most kRoundoff of its result, a function of the mathematics library by twice that.
constexpr double kRoundoff = 0x1p-53;

// In the cells worked by hand the nats of a device take fewer than 100 roundings, the most of them
// in Excess, and the bands are no more sensitive than that: the price is the same for all, and the
// bands are made to add up.
constexpr double kByHand = 256 * kRoundoff;

// The bands of at most 12 devices are made to add up: 12 roundings in either sum, and 2.
constexpr double kAddedUp = 32 * kRoundoff;

// The search for a price takes its last step from where the bands are off by this share of all, or
// ends there if the step would leave its bracket: then all bands are off by that share.
constexpr double kStop = 1e-10;
// What rounding adds: logarithms of prices and of their scales are below 80 here, and by (S13) the
// nats change by at most half as much: 0.5·(128 + 8)·80 roundings, 6e-13.
constexpr double kPriceError = 1e-12;

// The arguments go from next to the branch point to far beyond the range of e^y.
const std::vector<double> kLogValues{-300, -40,  -5,  -1,    -1e-3, -1e-9, 0,   1e-9,
                                     1e-3, 0.05, 0.5, 0.999, 1,     1.001, 3,   30,
                                     200,  700,  900, 5e3,   1e6,   1e-12, 1e-6};

TEST(NatsOfPower, SolvesItsEquation) {
  for (const double value : kLogValues) {
    if (value <= 0) continue;
    const long double y = NatsOfPower(value);
    ASSERT_GT(y, 0) << value;
    // This is ln((e^y - 1)/y) in extended precision, and by its series near 0.
    const long double got = y < 1e-4L ? y / 2 + y * y / 24 : y + std::log(-std::expm1(-y) / y);
    // The quotient in the logarithm takes 3 roundings, which count absolutely; the rest, and the
    // end of the iteration at 1e-15·y, take less than 32 of the value. Series round only the
    // latter.
    const double most = 0x1p-53 * (y < 1e-3L ? 32 : 32 + 4 / value);
    EXPECT_NEAR(double(got / value), 1, most) << value;
  }
  // The slopes of the equation are 0.557 and 0.612 there.
  EXPECT_NEAR(NatsOfPower(std::log(1 / kLn2)), kLn2, 32 * 0x1p-53);        // (2 - 1)/ln 2
  EXPECT_NEAR(NatsOfPower(std::log(1.5 / kLn2)), 2 * kLn2, 48 * 0x1p-53);  // (4 - 1)/(2 ln 2)
}

TEST(NatsOfPrice, SolvesItsEquation) {
  for (const double value : kLogValues) {
    const long double y = NatsOfPrice(value);
    ASSERT_GT(y, 0) << value;
    long double excess = y - 1 + std::exp(-y);  // the sum loses digits near 0
    if (y < 1e-3L) excess = y * y / 2 * (1 - y / 3 + y * y / 12);
    // Excess is off by at most 82 roundings, where y is just above 0.05: e^-y - 1 is 41 times as
    // large there. The end of the iteration leaves 1e-15·y²/Excess(y), which is 25 at most, and
    // logarithm and sum make 6.
    EXPECT_NEAR(double(y + std::log(excess)), value,
                128 * kRoundoff * std::max(1.0, std::abs(value)));
  }
  // Excess is off by 5 and 7 roundings there, and the slopes of the equation are 2.7 and 3.6.
  EXPECT_NEAR(NatsOfPrice(0), 1, 16 * kRoundoff);
  EXPECT_NEAR(NatsOfPrice(std::log(2 * kLn2 - 1)), kLn2, 16 * kRoundoff);
}

TEST(NatsOfPriceFixedNoise, SolvesItsEquation) {
  for (const double value : kLogValues) {
    const double y = NatsOfPriceFixedNoise(value);
    ASSERT_GT(y, 0) << value;
    // The sum is rounded here and there, 5 times each, and the end of the iteration leaves
    // 1e-15·(y + 2), 14 roundings.
    EXPECT_NEAR(y + 2 * std::log(y), value, 32 * kRoundoff * std::max(4.0, std::abs(value)));
  }
  EXPECT_EQ(NatsOfPriceFixedNoise(1), 1);  // the start is the root
}

// For 1 bit at 1 W, log2(1 + 1/g) is 1 and 2 bit/s/Hz, so b = 1/T and 1/(2T); 3/(2T) = 2 Hz.
TEST(FinishTogether, ByHandFixedNoise) {
  SmallCell small({1, 1.0 / 3});
  const CommonFinish finish =
      FinishTogether(small.cell, std::vector<std::uint32_t>{0, 1}, small.cell.problem.max_power_w);
  EXPECT_NEAR(finish.finish_s, 0.75, kByHand);
  EXPECT_NEAR(finish.bandwidth_hz[0], 4.0 / 3, kByHand);
  EXPECT_NEAR(finish.bandwidth_hz[1], 2.0 / 3, kByHand);
}

// In 1 Hz, 1/(1·1) gives 1 bit/s; in 1/2 Hz, 1/(2/3·1/2) = 3 gives 1/2·log2 4 = 1 bit/s.
TEST(FinishTogether, ByHandNoiseDensity) {
  SmallCell small({1, 2.0 / 3});
  small.cell.noise_grows_with_band = true;
  small.cell.total_bandwidth_hz = 1.5;
  const CommonFinish finish =
      FinishTogether(small.cell, std::vector<std::uint32_t>{0, 1}, small.cell.problem.max_power_w);
  EXPECT_NEAR(finish.finish_s, 1, kByHand);
  EXPECT_NEAR(finish.bandwidth_hz[0], 1, kByHand);
  EXPECT_NEAR(finish.bandwidth_hz[1], 0.5, kByHand);
}

// The y are ln 2 and 2 ln 2 in bands of 1 and 1/2 Hz; a Hz more would save g·y²·e^y/ln 2 of each:
// g·2·ln 2 and g·16·ln 2, the same where the first g is 8 times the second. The powers are g·(2 -
// 1) and g·(4 - 1).
TEST(LeastEnergyBands, ByHandFixedNoise) {
  SmallCell small({1.0 / 2, 1.0 / 16});
  small.cell.total_bandwidth_hz = 1.5;
  const auto least =
      LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1});
  ASSERT_TRUE(least);
  EXPECT_NEAR(least->bandwidth_hz[0], 1, kByHand);
  EXPECT_NEAR(least->bandwidth_hz[1], 0.5, kByHand);
  EXPECT_NEAR(least->power_w[0], 0.5, kByHand);
  EXPECT_NEAR(least->power_w[1], 3.0 / 16, kByHand);
  EXPECT_NEAR(least->energy_j, 11.0 / 16, kByHand);
}

// The bands are 1 and 1/2 Hz, the savings g·(1 + (y - 1)·e^y) = g·(2 ln 2 - 1) and g·(8 ln 2 - 3),
// the powers g·1·(2 - 1) and g·1/2·(4 - 1).
TEST(LeastEnergyBands, ByHandNoiseDensity) {
  const double other = 0.5 * (2 * kLn2 - 1) / (8 * kLn2 - 3);
  SmallCell small({0.5, other});
  small.cell.noise_grows_with_band = true;
  small.cell.total_bandwidth_hz = 1.5;
  const auto least =
      LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1});
  ASSERT_TRUE(least);
  EXPECT_NEAR(least->bandwidth_hz[0], 1, kByHand);
  EXPECT_NEAR(least->bandwidth_hz[1], 0.5, kByHand);
  EXPECT_NEAR(least->power_w[0], 0.5, kByHand);
  EXPECT_NEAR(least->power_w[1], 1.5 * other, kByHand);
}

// Here the first device has only 1/4 W: it needs log2(1 + 1/2) in 1 Hz, so a band of 1/log2(3/2) =
// 1.7095 Hz, more than all; with g = 1/4 it would have 1 bit/s/Hz and needs 1 Hz.
TEST(LeastEnergyBands, RespectsThePowerLimit) {
  SmallCell small({0.5, 1.0 / 16});
  small.cell.total_bandwidth_hz = 1.5;
  small.cell.problem.max_power_w = 0.25;
  const std::vector<std::uint32_t> both{0, 1};
  const std::vector<double> second{1, 1};
  const auto none = LeastEnergyBands(small.cell, both, second);
  EXPECT_FALSE(none);

  SmallCell other({0.25, 1.0 / 32});  // unlimited it would be shared as 1 to 1/2, at 1/4 and 3/32 W
  other.cell.total_bandwidth_hz = 1.5;
  const std::vector<double> limits{0.2, 1};
  other.cell.problem.max_power_w = limits;
  const auto tight = LeastEnergyBands(other.cell, both, second);
  ASSERT_TRUE(tight);
  EXPECT_NEAR(tight->power_w[0], 0.2, kByHand);
  EXPECT_NEAR(tight->bandwidth_hz[0], 1 / std::log2(1 + 0.2 / 0.25), kByHand);
  EXPECT_NEAR(tight->bandwidth_hz[0] + tight->bandwidth_hz[1], 1.5, kByHand);
}

// At 1/2 bit/s/Hz at most, 1 bit in 1 s needs 2 Hz, however strong the channel.
TEST(LeastEnergyBands, RespectsTheEfficiencyCap) {
  for (const bool is_density : {false, true}) {
    SmallCell small({1e-3, 1});
    small.cell.noise_grows_with_band = is_density;
    small.cell.problem.max_power_w = 100.0;
    small.cell.problem.spectral_efficiency_cap = 0.5;
    small.cell.total_bandwidth_hz = 5;
    const auto least =
        LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1});
    ASSERT_TRUE(least);
    EXPECT_NEAR(least->bandwidth_hz[0], 2, kByHand);
    EXPECT_NEAR(least->bandwidth_hz[1], 3, kByHand);
    small.cell.total_bandwidth_hz = 3.9;
    EXPECT_FALSE(
        LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1}, std::vector<double>{1, 1}));
    // Together they send 2 bits at 1/2 bit/s/Hz in 3.9 Hz.
    const CommonFinish finish = FinishTogether(small.cell, std::vector<std::uint32_t>{0, 1},
                                               small.cell.problem.max_power_w);
    EXPECT_NEAR(finish.finish_s, 4 / 3.9, kByHand);
  }
}

TEST(Bandwidth, OfNobody) {
  SmallCell small({1});
  EXPECT_EQ(FinishTogether(small.cell, {}, 1.0).finish_s, 0);
  EXPECT_TRUE(LeastEnergyBands(small.cell, {}, {}));
}

TEST(LeastEnergyBands, NoTimeIsInfeasible) {
  SmallCell small({1});
  for (const double upload_s : {0.0, -1.0}) {
    EXPECT_FALSE(
        LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0}, std::vector<double>{upload_s}));
  }
}

// A RandomCell has values over many orders of magnitude, and either kind of noise.
struct RandomCell {
  explicit RandomCell(std::uint64_t seed, bool is_density) {
    base::RandomStream random(seed, base::Purpose{900}, 0, 0);
    const auto between = [&](double low, double high) {  // log-uniform
      return low * std::pow(high / low, random.Uniform());
    };
    const std::size_t count = 1 + random.Below(12);
    for (std::size_t i = 0; i < count; ++i) {
      gain.push_back(between(1e-9, 1));
      power.push_back(between(0.01, 1));
      bits.push_back(between(1e4, 1e7));
      compute.push_back(seed % 3 == 0 ? 0 : between(1e-3, 1));
      devices.push_back(std::uint32_t(i));
    }
    cell.problem = {.devices = count,
                    .noise_to_gain_w = gain,
                    .nat_time_s = 1.0,
                    .max_power_w = power,
                    .energy_budget_j = 1.0,
                    .time_limit_s = 1.0,
                    .snr_gap = seed % 2 == 0 ? 1.0 : 2.0};
    if (seed % 5 == 0) cell.problem.spectral_efficiency_cap = 6;
    cell.bandwidth_hz = 1e6;
    cell.update_bits = bits;
    cell.compute_time_s = compute;
    cell.total_bandwidth_hz = 1e7;
    cell.noise_grows_with_band = is_density;
  }
  RandomCell(const RandomCell&) = delete;
  RandomCell& operator=(const RandomCell&) = delete;

  std::vector<double> gain, power, bits, compute;
  std::vector<std::uint32_t> devices;
  Cell cell;
};

// Returns by which share of the time a device may miss the common finish. The nats y of a device
// are off by at most 64 + 20/y roundings: a quotient of powers with 6, whose logarithm may be
// small, and NatsOfPower. By (S11) the time hardly depends on the band where y is small, so 80
// roundings of that count for the device itself. But all bands are made to add up, and so it also
// has what the sum is off by: the rounding of the time itself counts there (T/t)·(1 + 2/y) times,
// since a band falls with the time t that is left to send by up to 1 + 2/y of its share. The last
// step of the search, from 1e-7, leaves the square of that.
double FinishError(const Cell& cell, std::span<const std::uint32_t> devices,
                   const CommonFinish& finish) {
  double steepness = 0;
  for (std::size_t j = 0; j < devices.size(); ++j) {
    const double band_hz = finish.bandwidth_hz[j];
    const double upload_s = finish.finish_s - cell.compute_time_s[devices[j]];
    const double nats = cell.update_bits[devices[j]] * kLn2 / (band_hz * upload_s);
    steepness += band_hz / cell.total_bandwidth_hz * finish.finish_s / upload_s * (1 + 2 / nats);
  }
  return 1e-14 + kRoundoff * (256 + 16 * steepness);
}

// Every device finishes at the common time, by the cell's own formula; the bands are all there is.
// Both together make it the least time: less of it needs more of every band.
TEST(FinishTogether, AllFinishAtOnceInTheWholeBand) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const bool is_density : {false, true}) {
      const RandomCell random(seed, is_density);
      const CommonFinish finish = FinishTogether(random.cell, random.devices, random.power);
      const double most = FinishError(random.cell, random.devices, finish);
      EXPECT_LT(most, 1e-9);
      double sum_hz = 0;
      for (const std::uint32_t i : random.devices) {
        sum_hz += finish.bandwidth_hz[i];
        const double end_s = random.compute[i] + SendTime(random.cell, i, random.power[i],
                                                          finish.bandwidth_hz[i], random.bits[i]);
        EXPECT_NEAR(end_s / finish.finish_s, 1, most) << seed << ' ' << is_density;
      }
      EXPECT_NEAR(sum_hz / 1e7, 1, kAddedUp);
    }
  }
}

TEST(FinishTogether, WeakerOrSlowerNeedsMore) {
  for (const bool is_density : {false, true}) {
    SmallCell small({0.1, 0.2, 0.1});
    small.cell.noise_grows_with_band = is_density;
    small.compute_s = {0.1, 0.1, 0.2};
    const CommonFinish finish =
        FinishTogether(small.cell, std::vector<std::uint32_t>{0, 1, 2}, 1.0);
    EXPECT_GT(finish.bandwidth_hz[1], finish.bandwidth_hz[0]);
    EXPECT_GT(finish.bandwidth_hz[2], finish.bandwidth_hz[0]);
    const std::vector<double> left_s{0.9, 0.9, 0.8};
    const auto least = LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1, 2}, left_s);
    ASSERT_TRUE(least);
    EXPECT_GT(least->bandwidth_hz[1], least->bandwidth_hz[0]);
    EXPECT_GT(least->bandwidth_hz[2], least->bandwidth_hz[0]);
  }
}

constexpr double kStep = 1e-5;  // of a band, to both sides
// Returns by which share a saving may be off. The third derivative of the energy makes
// kStep²·(y + 3)²/6 at the most, with either noise. A power has 4y + 10 roundings, and a larger
// band saves at least y/2 of its share of the energy. The band itself counts y + 2 times, by (S13).
double SavingError(double nats) {
  return kStep * kStep * (nats + 3) * (nats + 3) / 6 + kRoundoff * (8 + 20 / nats) / kStep +
         (nats + 2) * (kStop + kPriceError);
}

// The conditions of (S14) are: all uploads last their time, the bands are all there is, nobody is
// above a limit; a Hz more would save the same of all that are below their limits, and no more of
// the others. The savings are differences of energies, not the formula that found the bands.
TEST(LeastEnergyBands, MeetsTheConditionsOfAnOptimum) {
  int limited = 0, free = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const bool is_density : {false, true}) {
      const RandomCell random(seed, is_density);
      const Cell& cell = random.cell;
      const CommonFinish finish = FinishTogether(cell, random.devices, random.power);
      const double stretch = seed % 4 == 0 ? 1.01 : 1.5;  // so that limits bind, or do not
      std::vector<double> upload_s;
      for (const std::uint32_t i : random.devices) {
        upload_s.push_back(stretch * finish.finish_s - random.compute[i]);
      }
      const auto least = LeastEnergyBands(cell, random.devices, upload_s);
      ASSERT_TRUE(least) << seed;
      const double sum_hz =
          std::accumulate(least->bandwidth_hz.begin(), least->bandwidth_hz.end(), 0.0);
      EXPECT_NEAR(sum_hz / 1e7, 1, kAddedUp);

      std::vector<double> savings;
      double limited_savings = 0, most = 0;
      for (const std::uint32_t i : random.devices) {
        const double b = least->bandwidth_hz[i], t = upload_s[i], bits = random.bits[i];
        EXPECT_NEAR(SendTime(cell, i, least->power_w[i], b, bits) / t, 1, kStop + kPriceError);
        EXPECT_LE(least->power_w[i], random.power[i]);
        const double efficiency = bits / (b * t);
        EXPECT_LE(efficiency, cell.problem.spectral_efficiency_cap * (1 + kStop + kPriceError));
        most = std::max(most, 2 * SavingError(efficiency * kLn2));
        const double h = kStep * b;
        const double saving =
            (SendPower(cell, i, b - h, bits, t) - SendPower(cell, i, b + h, bits, t)) * t / (2 * h);
        const bool is_limited = least->power_w[i] > random.power[i] * (1 - 1e-9) ||
                                efficiency > cell.problem.spectral_efficiency_cap * (1 - 1e-9);
        if (is_limited) {
          limited_savings = std::max(limited_savings, saving);
          ++limited;
        } else {
          savings.push_back(saving);
          ++free;
        }
      }
      EXPECT_LT(most, 1e-4);
      for (const double saving : savings) {
        EXPECT_NEAR(saving / savings[0], 1, most) << seed << ' ' << is_density;
        EXPECT_LE(limited_savings, saving * (1 + most)) << seed << ' ' << is_density;
      }
    }
  }
  EXPECT_GT(limited, 50);
  EXPECT_GT(free, 500);
}

// No other split of the band on a fine grid needs less. The energy is convex, so the best point of
// the grid is within a step of the optimum, and its energy within half of the step's square times
// the second derivative, which is below 4 J/Hz².
TEST(LeastEnergyBands, NoBetterSplitOnAGrid) {
  for (const bool is_density : {false, true}) {
    SmallCell small({0.4, 0.02});
    small.cell.noise_grows_with_band = is_density;
    const std::vector<double> upload_s{1, 0.7};
    const auto least = LeastEnergyBands(small.cell, std::vector<std::uint32_t>{0, 1}, upload_s);
    ASSERT_TRUE(least);
    constexpr double kGridHz = 1e-4;
    double best_j = 1e300, best_hz = 0;
    for (int step = 1; step < 20000; ++step) {
      const double first_hz = kGridHz * step;
      const double p = SendPower(small.cell, 0, first_hz, 1, upload_s[0]);
      const double q = SendPower(small.cell, 1, 2 - first_hz, 1, upload_s[1]);
      const double energy_j = p * upload_s[0] + q * upload_s[1];
      if (p <= 1 && q <= 1 && energy_j < best_j) best_j = energy_j, best_hz = first_hz;
    }
    EXPECT_NEAR(least->bandwidth_hz[0], best_hz, kGridHz);
    EXPECT_LE(least->energy_j, best_j * (1 + kByHand));
    EXPECT_NEAR(least->energy_j, best_j, 2 * kGridHz * kGridHz);
  }
}

// There is exactly enough band: everybody sends at P^max, for exactly as long as there is. What
// rounding makes to spare may all be one device's, and all share what the search leaves. A power
// falls by up to 1 + y times the share by which its band grows.
TEST(LeastEnergyBands, NothingToSpare) {
  for (const bool is_density : {false, true}) {
    const RandomCell random(7, is_density);
    const CommonFinish finish = FinishTogether(random.cell, random.devices, random.power);
    const double spare_hz =
        random.cell.total_bandwidth_hz * FinishError(random.cell, random.devices, finish);
    std::vector<double> upload_s;
    for (const std::uint32_t i : random.devices) {
      upload_s.push_back(finish.finish_s - random.compute[i]);
    }
    const auto least = LeastEnergyBands(random.cell, random.devices, upload_s);
    ASSERT_TRUE(least);
    for (const std::uint32_t i : random.devices) {
      const double band_hz = least->bandwidth_hz[i];
      const double nats = random.bits[i] * kLn2 / (band_hz * upload_s[i]);
      const double most = (1 + nats) * (spare_hz / band_hz + kStop);
      EXPECT_NEAR(least->power_w[i] / random.power[i], 1, most);
      EXPECT_LT(most, 1e-5);
    }
    for (const double spare : {1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8}) {
      std::vector<double> longer_s = upload_s;
      for (double& time_s : longer_s) time_s *= 1 + spare;
      const auto hardly = LeastEnergyBands(random.cell, random.devices, longer_s);
      ASSERT_TRUE(hardly);
      for (const std::uint32_t i : random.devices) {
        EXPECT_NEAR(
            SendTime(random.cell, i, hardly->power_w[i], hardly->bandwidth_hz[i], random.bits[i]) /
                longer_s[i],
            1, kStop + kPriceError);
      }
    }
    for (double& time_s : upload_s) time_s *= 0.99;
    EXPECT_FALSE(LeastEnergyBands(random.cell, random.devices, upload_s));
  }
}

// The noise is 1e7 times the signal: the band of the weakest hardly changes its time any more, so
// that half of the digits of all bands are lost, but not more.
TEST(Bandwidth, FarBelowTheNoise) {
  SmallCell small({1e7, 3e7, 1e7});
  small.cell.noise_grows_with_band = true;
  const std::vector<std::uint32_t> all{0, 1, 2};
  const CommonFinish finish = FinishTogether(small.cell, all, 1.0);
  const double most = FinishError(small.cell, all, finish);
  EXPECT_LT(most, 1e-6);
  for (const std::uint32_t i : all) {
    EXPECT_NEAR(SendTime(small.cell, i, 1, finish.bandwidth_hz[i], 1) / finish.finish_s, 1, most);
  }
  const std::vector<double> upload_s(3, 2 * finish.finish_s);
  const auto least = LeastEnergyBands(small.cell, all, upload_s);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->bandwidth_hz[0], least->bandwidth_hz[2]);  // the same arithmetic
  EXPECT_GT(least->bandwidth_hz[1], least->bandwidth_hz[0]);
}

}  // namespace
}  // namespace airlot::planning
