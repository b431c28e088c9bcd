// Splits of a band are tested by hand, against the bound, against brute force, at the ends of the
// domain, on every target and any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "airlot/band_split.h"
#include "base/targets_for_tests.h"
#include "planning/band_fleet_for_tests.h"

namespace airlot {
namespace {

using base::OnEveryTarget;
using planning::DrawnBandFleet;
using planning::LargestOf;

// The search for the price ends where at most this share of the bound is lost, (B15).
constexpr double kGap = 1e-12;
// It is promised for every fleet that `Validate` accepts, (B16).
constexpr double kPromised = 1e-9;
// Probabilities are off by at most this share, whichever solver and target computes them: (22), and
// with circuit power (3u + 20)·2^-53, u below 90. Sums of some thousand devices add 1e-12 at most.
constexpr double kPlanned = 2e-12;

double Sum(const ColumnValues& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  return static_cast<double>(sum);
}

// Every split promises this.
void ExpectSound(const DrawnBandFleet& fleet, const BandSplit& split) {
  const double total_hz = fleet.problem.cell.total_bandwidth_hz;
  ASSERT_EQ(split.bandwidth_hz.size(), fleet.problem.cell.problem.devices);
  for (const double band_hz : split.bandwidth_hz) ASSERT_GE(band_hz, 0);
  EXPECT_LE(Sum(split.bandwidth_hz), total_hz);
  EXPECT_GE(split.value, split.equal_value);
  EXPECT_LE(split.value, split.bound * (1 + kPlanned));
  EXPECT_GE(split.value, split.bound * (1 - kPromised));
  // Equal bands are made to add up afterwards, and planned with once more.
  EXPECT_NEAR(split.value, SplitValue(fleet.problem, split.bandwidth_hz), kPlanned * split.value);
}

// The devices have no computation energy, g = 1, τ = 1, S·ln2 = 1: a = B·u, at most 1, where device
// 1 has u = ln(1 + E^max) = 1 and device 2 has u = ln(1 + P^max) = 2.
struct TwoDevices : DrawnBandFleet {
  TwoDevices() : DrawnBandFleet(2) {
    for (std::size_t i = 0; i < 2; ++i) {
      update_bits[i] = 1 / std::numbers::ln2;
      compute_energy_j[i] = 0;
      max_power_w[i] = energy_budget_j[i] = 100;
    }
    energy_budget_j[0] = std::expm1(1);
    max_power_w[1] = std::expm1(2);
  }
};

// Values are lost by kGap and by 64 roundings at most. The devices' hertz differ by 1 or 2 in what
// they give, so bands are known as well as values, which are at most 3.
constexpr double kByHand = 3 * kGap + 64 * 0x1p-53;
// At the price, 0.25 Hz or more are bought or not: by (B15) it is known within 4·kGap of the value.
constexpr double kPriceByHand = 4 * kByHand;

TEST(ShareBandwidth, ServesTheBetterDeviceFirst) {
  TwoDevices fleet;
  fleet.problem.cell.total_bandwidth_hz = 0.25;  // all to device 2, whose hertz gives twice as much
  BandSplit split = ShareBandwidth(fleet.problem);
  EXPECT_NEAR(split.bandwidth_hz[0], 0, kByHand);
  EXPECT_NEAR(split.bandwidth_hz[1], 0.25, kByHand);
  EXPECT_NEAR(split.value, 0.5, kByHand);
  EXPECT_NEAR(split.equal_value, 0.375, kByHand);
  EXPECT_NEAR(split.price, 2, kPriceByHand);

  fleet.problem.cell.total_bandwidth_hz = 0.75;  // device 2 is full at 0.5
  split = ShareBandwidth(fleet.problem);
  EXPECT_NEAR(split.bandwidth_hz[0], 0.25, kByHand);
  EXPECT_NEAR(split.bandwidth_hz[1], 0.5, kByHand);
  EXPECT_NEAR(split.value, 1.25, kByHand);
  EXPECT_NEAR(split.price, 1, kPriceByHand);

  fleet.weight[0] = 4;  // now device 1 is first, 4 to 2
  split = ShareBandwidth(fleet.problem);
  EXPECT_NEAR(split.bandwidth_hz[0], 0.75, kByHand);
  EXPECT_NEAR(split.bandwidth_hz[1], 0, kByHand);
  EXPECT_NEAR(split.value, 3, kByHand);
}

TEST(ShareBandwidth, GivesEverybodyWhatIsOfUse) {
  TwoDevices fleet;
  fleet.problem.cell.total_bandwidth_hz = 3;  // 1.5 would do
  const BandSplit split = ShareBandwidth(fleet.problem);
  EXPECT_NEAR(split.value, 2, kByHand);
  EXPECT_NEAR(split.bound, 2, kByHand);
  EXPECT_EQ(split.price, 0);
  // The rest is given in proportion, which saves power, and doubles what the bands are off by.
  EXPECT_NEAR(split.bandwidth_hz[0], 2, 2 * kByHand);
  EXPECT_NEAR(split.bandwidth_hz[1], 1, 2 * kByHand);
}

TEST(ShareBandwidth, TreatsEqualsAlike) {
  for (const bool is_density : {false, true}) {
    DrawnBandFleet fleet(7);
    fleet.problem.cell.noise_grows_with_band = is_density;
    fleet.problem.cell.total_bandwidth_hz = 0.3;
    const BandSplit split = ShareBandwidth(fleet.problem);
    for (const double band_hz : split.bandwidth_hz) EXPECT_NEAR(band_hz, 0.3 / 7, kByHand);
    EXPECT_NEAR(split.value, split.equal_value, (kGap + kPlanned) * split.value);
    ExpectSound(fleet, split);
  }
}

TEST(ShareBandwidth, MeetsTheBoundOnRandomFleets) {
  std::size_t without_band = 0, better = 0;
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(1 + seed * 7 % 40);
    fleet.Draw(seed, seed % 2 == 1);
    ASSERT_TRUE(Validate(fleet.problem).ok());
    const BandSplit split = ShareBandwidth(fleet.problem);
    ExpectSound(fleet, split);
    without_band += static_cast<std::size_t>(std::ranges::count(split.bandwidth_hz, 0.0));
    better += split.value > 1.05 * split.equal_value ? 1 : 0;
  }
  EXPECT_GT(without_band, 100u);  // both kinds occur
  EXPECT_GT(better, 300u);
}

// The conditions of an optimum hold: nobody gains by a little more band what another loses by as
// much less, by differences of the scalar planner. A trade would gain at most what the split lacks.
TEST(ShareBandwidth, NobodyCanTradeForMore) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(12);
    fleet.Draw(seed + 5000, seed % 2 == 1);
    const BandSplit split = ShareBandwidth(fleet.problem);
    const double step_hz = 1e-4 * fleet.problem.cell.total_bandwidth_hz / 12;
    double most_gained = 0, least_lost = INFINITY;
    for (std::size_t i = 0; i < 12; ++i) {
      const double band_hz = split.bandwidth_hz[i], now = fleet.Gain(i, band_hz);
      most_gained = std::max(most_gained, fleet.Gain(i, band_hz + step_hz) - now);
      if (band_hz < step_hz) continue;
      least_lost = std::min(least_lost, now - fleet.Gain(i, band_hz - step_hz));
    }
    EXPECT_LE(most_gained, least_lost + (kGap + kPlanned) * split.value);
  }
}

TEST(ShareBandwidth, BruteForceFindsNoMoreForTwoDevices) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(2);
    fleet.Draw(seed + 10'000, seed % 2 == 1);
    const double total_hz = fleet.problem.cell.total_bandwidth_hz;
    const BandSplit split = ShareBandwidth(fleet.problem);
    // There are two starts: one end of the interval may be a million times the other's scale.
    const auto value = [&](double first_hz) {
      return fleet.Gain(0, first_hz) + fleet.Gain(1, total_hz - first_hz);
    };
    const double found =
        std::max(LargestOf(0, total_hz, value), LargestOf(0, 1e-3 * total_hz, value));
    EXPECT_GE(split.value, found * (1 - kPromised));
    EXPECT_LE(found, split.bound * (1 + kPlanned));
    EXPECT_LE(split.value, found * (1 + 1e-4));  // the route is not blind
  }
}

TEST(ShareBandwidth, BruteForceFindsNoMoreForThreeDevices) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(3);
    fleet.Draw(seed + 20'000, seed % 2 == 1);
    const double total_hz = fleet.problem.cell.total_bandwidth_hz;
    const BandSplit split = ShareBandwidth(fleet.problem);
    const double found = LargestOf(0, total_hz, [&](double first_hz) {
      return fleet.Gain(0, first_hz) + LargestOf(0, total_hz - first_hz, [&](double second_hz) {
               return fleet.Gain(1, second_hz) + fleet.Gain(2, total_hz - first_hz - second_hz);
             });
    });
    EXPECT_GE(split.value, found * (1 - kPromised));
    EXPECT_LE(split.value, found * (1 + 1e-3));  // the route is not blind
  }
}

TEST(ShareBandwidth, WithoutBudgetsNobodyTakesPart) {
  for (const bool is_density : {false, true}) {
    DrawnBandFleet fleet(3);
    fleet.problem.cell.noise_grows_with_band = is_density;
    fleet.energy_budget_j.assign(3, 0.0);
    const BandSplit split = ShareBandwidth(fleet.problem);
    EXPECT_EQ(split.value, 0);
    EXPECT_EQ(split.bound, 0);
    // 4e-16 is taken off, so that rounded bands do not exceed the total.
    for (const double band_hz : split.bandwidth_hz) {
      EXPECT_NEAR(band_hz, 1.0 / 3, 4e-16 + 4 * 0x1p-53);
    }
  }
}

// Every column goes from one end of what `Validate` accepts to the other: what it accepts reaches
// the bound, (B16).
TEST(ShareBandwidth, ReachesTheBoundAtTheEndsOfTheDomain) {
  std::size_t accepted_far = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(1 + seed % 5);
    base::RandomStream stream(seed, base::Purpose{903}, 0, 0);
    const double reach = seed % 3 == 0 ? 40 : (seed % 3 == 1 ? 20 : 8);
    const auto draw = [&] { return std::pow(10, stream.Uniform(-reach, reach)); };
    for (ColumnValues* column : fleet.Columns()) {
      for (double& value : *column) value = draw();
    }
    for (double& value : fleet.nat_time_s) value = 1;  // not used
    fleet.problem.cell.total_bandwidth_hz = draw();
    fleet.problem.cell.noise_grows_with_band = seed % 2 == 1;
    if (const auto status = Validate(fleet.problem); !status) {
      ASSERT_GT(reach, 8) << status.error().message;
      EXPECT_NE(status.error().message.find("total_bandwidth_hz = "), std::string::npos);
      continue;
    }
    accepted_far += reach > 8 ? 1 : 0;
    const BandSplit split = ShareBandwidth(fleet.problem);
    for (const double band_hz : split.bandwidth_hz) ASSERT_TRUE(band_hz >= 0 && band_hz < 1e41);
    EXPECT_LE(Sum(split.bandwidth_hz), fleet.problem.cell.total_bandwidth_hz);
    EXPECT_GE(split.value, split.equal_value);
    EXPECT_LE(split.value, split.bound * (1 + kPromised));
    EXPECT_GE(split.value, split.bound * (1 - kPromised));
  }
  EXPECT_GT(accepted_far, 200u);
}

// An update of 1e30 bits in 1e-10 Hz takes 1e40 s at a nat per second and hertz, as long as the
// planner computes with; a share of the band would be too narrow.
TEST(ValidateBandProblem, RefusesBandsThatCannotBeCompared) {
  DrawnBandFleet fleet(2);
  fleet.update_bits[1] = 1e30;
  fleet.problem.cell.total_bandwidth_hz = 1e-10;
  const std::string message = Validate(fleet.problem).error().message;
  EXPECT_EQ(message.find("device 2: total_bandwidth_hz = 1e-10: must be "), 0u) << message;
  fleet.problem.cell.total_bandwidth_hz = 100;
  EXPECT_TRUE(Validate(fleet.problem).ok());
}

TEST(ShareBandwidth, IsTheSameOnAnyNumberOfThreads) {
  for (const bool has_circuits : {false, true}) {
    const bool is_density = !has_circuits;
    DrawnBandFleet fleet(has_circuits ? 2'001 : 100'001);
    fleet.Draw(3, is_density);
    fleet.problem.cell.problem.circuit_power_w = has_circuits ? 0.1 : 0;
    const BandSplit one = ShareBandwidth(fleet.problem, 1),
                    three = ShareBandwidth(fleet.problem, 3);
    EXPECT_EQ(one.bandwidth_hz, three.bandwidth_hz);
    EXPECT_EQ(one.value, three.value);
    EXPECT_EQ(one.bound, three.bound);
    ExpectSound(fleet, one);
  }
}

TEST(ShareBandwidth, IsTheSameOnEveryTarget) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    DrawnBandFleet fleet(1 + seed);
    fleet.Draw(seed + 30'000, seed % 2 == 1);
    const double value = ShareBandwidth(fleet.problem).value;
    OnEveryTarget([&] {
      const BandSplit split = ShareBandwidth(fleet.problem);
      ExpectSound(fleet, split);
      // Both are below the same bound, by kGap at the most.
      EXPECT_NEAR(split.value, value, (kGap + kPlanned) * value);
    });
  }
}

TEST(ValidateBandProblem, NamesWhatItDoesNotKnow) {
  DrawnBandFleet fleet(2);
  EXPECT_TRUE(Validate(fleet.problem).ok());
  const auto message = [&] { return Validate(fleet.problem).error().message; };
  fleet.problem.cell.problem.time_rule = TimeRule::kDeadline;
  EXPECT_EQ(message(),
            "time_rule = deadline: cannot stand beside a shared band: set it to expected");
  fleet.problem.cell.problem.time_rule = TimeRule::kExpected;
  fleet.problem.cell.problem.compute_time_s = fleet.time_limit_s;
  EXPECT_EQ(message(),
            "count_compute_time = true: cannot stand beside a shared band: set it to false");
  fleet.problem.cell.problem.compute_time_s = 0.0;
  fleet.problem.cell.total_bandwidth_hz = 0;
  EXPECT_EQ(message(), "total_bandwidth_hz = 0: must be 1e-40 to 1e+40");
  fleet.problem.cell.total_bandwidth_hz = 1;
  fleet.weight[1] = -1;
  EXPECT_EQ(message(), "device 2: weight = -1: must be 0 or 1e-40 to 1e+40");
  fleet.weight[1] = 0;
  EXPECT_TRUE(Validate(fleet.problem).ok());
  fleet.update_bits[0] = 0;
  EXPECT_EQ(message(), "device 1: update_bits = 0: must be 1e-40 to 1e+40");
}

// A device without samples gets no band, however much it weighs, with circuit power and without.
TEST(ShareBandwidth, NothingGoesToADeviceWithoutSamples) {
  for (const double circuit_power_w : {0.0, 0.1}) {
    SCOPED_TRACE(circuit_power_w);
    DrawnBandFleet fleet(3);
    const ColumnValues samples = {5, 0, 5};
    fleet.weight[1] = 100;
    fleet.nat_time_s[1] = INFINITY;
    fleet.problem.cell.problem.samples = samples;
    fleet.problem.cell.problem.circuit_power_w = circuit_power_w;
    ASSERT_TRUE(Validate(fleet.problem).ok());
    const BandSplit split = ShareBandwidth(fleet.problem);
    EXPECT_EQ(split.bandwidth_hz[1], 0);
    // 4e-16 is taken off, so that rounded bands do not exceed the total.
    EXPECT_NEAR(split.bandwidth_hz[0] + split.bandwidth_hz[2], 1, 4e-16 + 4 * 0x1p-53);
    EXPECT_LE(split.value, 2);
    EXPECT_EQ(ShareBlocks(fleet.problem, 0.25).bandwidth_hz[1], 0);
  }
}

}  // namespace
}  // namespace airlot
