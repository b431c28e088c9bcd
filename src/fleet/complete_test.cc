#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "airlot/fleet.h"

namespace airlot {
namespace {

// Columns follow from others by a few operations in double, so they are off by fewer than 16
// roundings.
constexpr double kRounding = 16 * 0x1p-53;

FleetDefaults Defaults(std::size_t devices = 1000) {
  FleetDefaults defaults;
  defaults.model.devices = devices;
  defaults.update_bits = 6374720;
  defaults.time_limit_s = 0.08;
  return defaults;
}

// Returns every column of a device, in one place to compare.
std::vector<double> Row(const Fleet& fleet, std::size_t i) {
  return {fleet.places->x_m[i],      fleet.places->y_m[i],      (*fleet.distance_m)[i],
          fleet.max_power_w[i],      fleet.energy_budget_j[i],  fleet.noise_to_gain_w[i],
          fleet.compute_energy_j[i], (*fleet.compute_time_s)[i]};
}

TEST(DrawFleet, StaysInItsRanges) {
  const Fleet fleet = *DrawFleet(Defaults());
  double furthest_m = 0, least_j = 1e9, most_j = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    EXPECT_LE(std::abs(fleet.places->x_m[i]), 500);
    EXPECT_LE(std::abs(fleet.places->y_m[i]), 500);
    EXPECT_GE((*fleet.distance_m)[i], 1);
    EXPECT_NEAR((*fleet.distance_m)[i],
                std::max(1.0, std::hypot(fleet.places->x_m[i], fleet.places->y_m[i])),
                kRounding * (*fleet.distance_m)[i]);
    furthest_m = std::max(furthest_m, (*fleet.distance_m)[i]);
    least_j = std::min(least_j, fleet.energy_budget_j[i]);
    most_j = std::max(most_j, fleet.energy_budget_j[i]);
  }
  EXPECT_GT(furthest_m, 600);  // the corners are reached
  EXPECT_GE(least_j, 1e-3);
  EXPECT_LT(least_j, 2e-3);
  EXPECT_LE(most_j, 100);
  EXPECT_GT(most_j, 50);
}

TEST(DrawFleet, DerivesWhatThePlannerNeeds) {
  const Fleet fleet = *DrawFleet(Defaults(100));
  EXPECT_EQ(fleet.bandwidth_hz[7], 1e5);  // 10 MHz are shared by 100
  EXPECT_NEAR(fleet.nat_time_s[7] / (6374720 * std::numbers::ln2 / 1e5), 1, kRounding);  // 44.2 s
  EXPECT_NEAR(fleet.noise_to_gain_w[7] / (1e-12 * std::pow((*fleet.distance_m)[7], 2)), 1,
              kRounding);
  // E^c = κ·work·γ² and T^c = work/γ, so E^c·T^c² = κ·work³.
  const double work =
      std::cbrt(fleet.compute_energy_j[7] * std::pow((*fleet.compute_time_s)[7], 2) / 1e-28);
  EXPECT_GE(work, 600 * 2e6);
  EXPECT_LE(work, 600 * 8e6);
}

TEST(DrawFleet, DoesNotDependOnThreadsOrSize) {
  const std::size_t devices = 40'000;  // several shards
  const Fleet one = *DrawFleet(Defaults(devices), 1);
  const Fleet three = *DrawFleet(Defaults(devices), 3);
  const Fleet small = *DrawFleet(Defaults(10), 1);
  for (std::size_t i = 0; i < devices; i += 997) EXPECT_EQ(Row(one, i), Row(three, i));
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(Row(one, i), Row(small, i));
}

TEST(DrawFleet, ChangesWithTheSeed) {
  FleetDefaults other = Defaults(10);
  other.seed = 2;
  EXPECT_NE(Row(*DrawFleet(Defaults(10)), 3), Row(*DrawFleet(other), 3));
}

TEST(DrawFleet, KeepsConstantsOnce) {
  FleetDefaults defaults = Defaults(10);
  defaults.model.cycles_per_sample = Spread::Constant(5e6);
  defaults.model.cpu_hz = Spread::Constant(2e9);
  const Fleet fleet = *DrawFleet(defaults);
  EXPECT_TRUE(fleet.max_power_w.is_constant());
  EXPECT_TRUE(fleet.compute_energy_j.is_constant());
  EXPECT_NEAR(fleet.compute_energy_j[0], 1e-28 * 5e6 * 600 * 4e18, kRounding);  // 1.2 J
  EXPECT_NEAR((*fleet.compute_time_s)[0], 1.5, kRounding);
}

TEST(Complete, GivenColumnsWin) {
  FleetRows rows{.devices = 2};
  rows.noise_to_gain_w = {1e-8, 2e-8};
  rows.compute_energy_j = {0.5, 0.25};
  rows.bandwidth_hz = {1e6, 2e6};
  const Fleet fleet = *CompleteFleet(std::move(rows), Defaults());
  EXPECT_FALSE(fleet.places);
  EXPECT_FALSE(fleet.distance_m);
  EXPECT_FALSE(fleet.compute_time_s);  // nothing says how long it takes
  EXPECT_EQ(fleet.noise_to_gain_w[1], 2e-8);
  EXPECT_EQ(fleet.compute_energy_j[1], 0.25);
  EXPECT_NEAR(fleet.nat_time_s[1], 6374720 * std::numbers::ln2 / 2e6, 3 * kRounding);
}

TEST(Complete, NoiseDensityCountsTheDevicesOwnBand) {
  FleetDefaults defaults = Defaults();
  defaults.radio.noise = NoiseDensity{.dbm_per_hz = -174};
  FleetRows rows{.devices = 2};
  rows.distance_m = {100, 100};
  rows.bandwidth_hz = {1e5, 3e5};
  const Fleet fleet = *CompleteFleet(std::move(rows), defaults);
  EXPECT_NEAR(fleet.noise_to_gain_w[1] / fleet.noise_to_gain_w[0], 3, 3 * kRounding);
}

// --- Samples that come from elsewhere ------------------------------------------------------------

FleetDefaults WithSlowCpus() {
  FleetDefaults defaults = Defaults();
  defaults.model.cycles_per_sample = Spread::Constant(1e6);
  defaults.model.cpu_hz = Spread::Constant(1e9);
  return defaults;
}

TEST(Samples, DecideTheComputation) {
  const Fleet fleet = *CompleteFleet({.devices = 3, .samples = {10, 0, 30}}, WithSlowCpus());
  EXPECT_DOUBLE_EQ((*fleet.compute_time_s)[0], 0.01);  // (7)
  EXPECT_EQ((*fleet.compute_time_s)[1], 0);
  EXPECT_DOUBLE_EQ(fleet.compute_energy_j[2], 1e-28 * 1e6 * 30 * 1e18);  // (6)
}

TEST(Samples, ADeviceWithoutThemHasNothingToSend) {
  const Fleet fleet = *CompleteFleet({.devices = 3, .samples = {10, 0, 30}}, WithSlowCpus());
  EXPECT_TRUE(std::isfinite(fleet.nat_time_s[0]));
  EXPECT_TRUE(std::isinf(fleet.nat_time_s[1]));
  EXPECT_EQ(fleet.nat_time_s[0], fleet.nat_time_s[2]);
  FleetRows known{.devices = 1, .compute_energy_j = {1}, .samples = {0}};
  EXPECT_TRUE(std::isinf(CompleteFleet(std::move(known), WithSlowCpus())->nat_time_s[0]));
}

TEST(Samples, AreLackedOnlyWhereTheyDecideTheComputation) {
  EXPECT_TRUE(FleetRows{.devices = 3}.LacksSamples());
  EXPECT_FALSE((FleetRows{.devices = 1, .samples = {5}}.LacksSamples()));
  EXPECT_FALSE((FleetRows{.devices = 1, .compute_energy_j = {1}}.LacksSamples()));
}

TEST(LocalWork, ComputesOnAllSamplesAtLeast) {
  EXPECT_EQ((LocalWork{.batch = 32, .steps = 1}.ComputedSamples(600)), 600);
  EXPECT_EQ((LocalWork{.batch = 32, .steps = 5}.ComputedSamples(600)), 600);  // 160 samples
  EXPECT_EQ((LocalWork{.batch = 32, .steps = 5}.ComputedSamples(20)), 100);   // 5 times all 20
  EXPECT_EQ((LocalWork{.batch = 32, .steps = 50}.ComputedSamples(600)), 1600);
  EXPECT_EQ((LocalWork{.batch = 0, .steps = 50}.ComputedSamples(600)), 50 * 600);
  EXPECT_EQ((LocalWork{.batch = 32, .steps = 50, .epochs = 3}.ComputedSamples(600)), 1800);
}

TEST(DrawFleet, RefusesWhatThePlannerCannotTake) {
  FleetDefaults defaults = Defaults(3);
  defaults.model.area_m = 1e35;
  const auto fleet = DrawFleet(defaults);
  ASSERT_FALSE(fleet);
  EXPECT_EQ(fleet.error().message.substr(0, 28), "device 1: noise_to_gain_w = ");
  EXPECT_NE(fleet.error().message.find(
                "which follows from distance_m and bandwidth_hz: must be 1e-40 to 1e+40"),
            std::string::npos);
}

// --- Channels ------------------------------------------------------------------------------------

FleetDefaults UrbanDefaults(std::size_t devices = 40'000) {
  FleetDefaults defaults = Defaults(devices);
  defaults.radio.propagation.path_loss = PathLoss::kUma;
  defaults.radio.propagation.shadowing.emplace();
  defaults.radio.fading.kind = Fading::kRician;
  return defaults;
}

// The numbers should be independent and standard normal: mean, spread, and no correlation between
// neighbours, each within 4.5 standard errors.
void ExpectStandardNormal(const std::vector<double>& z) {
  const auto n = static_cast<double>(z.size());
  double sum = 0, squares = 0, lag_1 = 0, lag_7 = 0, beyond_2 = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    sum += z[i];
    squares += z[i] * z[i];
    if (i >= 1) lag_1 += z[i] * z[i - 1];
    if (i >= 7) lag_7 += z[i] * z[i - 7];
    beyond_2 += std::abs(z[i]) > 2 ? 1 : 0;
  }
  EXPECT_NEAR(sum / n, 0, 4.5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4.5 * std::sqrt(2 / n));
  EXPECT_NEAR(lag_1 / n, 0, 4.5 / std::sqrt(n));
  EXPECT_NEAR(lag_7 / n, 0, 4.5 / std::sqrt(n));
  const double tail = std::erfc(std::numbers::sqrt2);
  EXPECT_NEAR(beyond_2 / n, tail, 4.5 * std::sqrt(tail / n));
}

TEST(Channel, OfThePaperIsHeldOnce) {
  const Fleet fleet = *DrawFleet(Defaults(100));
  EXPECT_TRUE(fleet.line_of_sight.is_constant());
  EXPECT_TRUE(fleet.shadowing_db.is_constant());
  EXPECT_TRUE(fleet.rician_k.is_constant());
  EXPECT_EQ(fleet.line_of_sight[0], 1);
  EXPECT_EQ(fleet.shadowing_db[0], 0);
  EXPECT_EQ(fleet.rician_k[0], 0);
  for (std::size_t i = 0; i < 100; ++i) {  // equal to the last bit
    const double d = (*fleet.distance_m)[i];
    EXPECT_EQ(fleet.noise_to_gain_w[i], 1e-12 / (1 / (d * d)));
  }
}

TEST(Channel, LineOfSightHasItsProbability) {
  const FleetDefaults defaults = UrbanDefaults();
  const Fleet fleet = *DrawFleet(defaults);
  // The places are taken in rings, so that a wrong dependence on the distance shows, too.
  constexpr int kRings = 7;
  double have[kRings] = {}, expected[kRings] = {}, variance[kRings] = {};
  double lag = 0, lag_variance = 0, before = 0, before_variance = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const double p = LineOfSightProbability(defaults.radio.propagation, (*fleet.distance_m)[i]);
    const auto ring = static_cast<int>((*fleet.distance_m)[i] / 101.1);
    have[ring] += fleet.line_of_sight[i];
    expected[ring] += p;
    variance[ring] += p * (1 - p);
    lag += (fleet.line_of_sight[i] - p) * before;
    lag_variance += p * (1 - p) * before_variance;
    before = fleet.line_of_sight[i] - p;
    before_variance = p * (1 - p);
    EXPECT_TRUE(fleet.line_of_sight[i] == 0 || fleet.line_of_sight[i] == 1);
  }
  for (int ring = 0; ring < kRings; ++ring) {
    ASSERT_GT(variance[ring], 10);
    EXPECT_NEAR(have[ring], expected[ring], 4.5 * std::sqrt(variance[ring])) << ring;
  }
  EXPECT_NEAR(lag, 0, 4.5 * std::sqrt(lag_variance));
}

TEST(Channel, ShadowingIsNormalWithTheLinksOwnSpread) {
  const FleetDefaults defaults = UrbanDefaults();
  const Fleet fleet = *DrawFleet(defaults);
  std::vector<double> with_sight, without;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const bool line_of_sight = fleet.line_of_sight[i] == 1;
    (line_of_sight ? with_sight : without)
        .push_back(fleet.shadowing_db[i] / (line_of_sight ? 4 : 6));
  }
  ExpectStandardNormal(with_sight);
  ExpectStandardNormal(without);
}

TEST(Channel, IsPathLossShadowingAndNoise) {
  FleetDefaults defaults = UrbanDefaults(200);
  defaults.radio.noise = NoiseDensity{.dbm_per_hz = -174};
  const Fleet fleet = *DrawFleet(defaults);
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const double loss_db =
        PathLossDb(defaults.radio.propagation, (*fleet.distance_m)[i], fleet.line_of_sight[i] == 1);
    const double noise_db = -174 - 30 + 10 * std::log10(1e7 / 200);
    EXPECT_NEAR(10 * std::log10(fleet.noise_to_gain_w[i]),
                noise_db + loss_db + fleet.shadowing_db[i], 300 * kRounding);
  }
}

TEST(Channel, RicianKIsNormalInDecibelWithLineOfSightOnly) {
  const Fleet fleet = *DrawFleet(UrbanDefaults());
  std::vector<double> drawn;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    if (fleet.line_of_sight[i] == 1) {
      drawn.push_back((10 * std::log10(fleet.rician_k[i]) - 9) / 3.5);
    } else {
      EXPECT_EQ(fleet.rician_k[i], 0);
    }
  }
  ExpectStandardNormal(drawn);
  FleetDefaults set = UrbanDefaults(10);
  set.radio.fading.rician_k_db = 6;
  EXPECT_TRUE(DrawFleet(set)->rician_k.is_constant());
  EXPECT_NEAR(DrawFleet(set)->rician_k[3], 3.981, 1e-3);
  set.radio.fading.rician_k_db.reset();
  set.radio.propagation.path_loss = PathLoss::kUmaNlos;
  EXPECT_EQ(DrawFleet(set)->rician_k[3], 0);
  EXPECT_TRUE(DrawFleet(set)->rician_k.is_constant());
}

TEST(Channel, WhatIsDrawnIsIndependent) {
  const Fleet fleet = *DrawFleet(UrbanDefaults());
  double shadowing_and_k = 0, shadowing_and_distance = 0;
  int with_sight = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    if (fleet.line_of_sight[i] == 0) continue;
    ++with_sight;
    const double shadowing = fleet.shadowing_db[i] / 4;
    shadowing_and_k += shadowing * (10 * std::log10(fleet.rician_k[i]) - 9) / 3.5;
    shadowing_and_distance += shadowing * (fleet.places->x_m[i] > 0 ? 1 : -1);
  }
  ASSERT_GT(with_sight, 1000);
  EXPECT_NEAR(shadowing_and_k, 0, 4.5 * std::sqrt(with_sight));
  EXPECT_NEAR(shadowing_and_distance, 0, 4.5 * std::sqrt(with_sight));
}

TEST(Channel, DoesNotDependOnThreadsOrSize) {
  const auto row = [](const Fleet& fleet, std::size_t i) {
    return std::vector<double>{(*fleet.distance_m)[i], fleet.line_of_sight[i],
                               fleet.shadowing_db[i], fleet.rician_k[i]};
  };
  FleetDefaults tall = UrbanDefaults();
  tall.radio.propagation.device_height_m = 20;  // the environment height is drawn, too
  const Fleet one = *DrawFleet(tall, 1);
  const Fleet three = *DrawFleet(tall, 3);
  tall.model.devices = 10;
  const Fleet small = *DrawFleet(tall, 1);
  for (std::size_t i = 0; i < one.devices; i += 997) {
    EXPECT_EQ(row(one, i), row(three, i));
    EXPECT_EQ(one.noise_to_gain_w[i], three.noise_to_gain_w[i]);
  }
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(row(one, i), row(small, i));
}

TEST(Channel, OneModelNeverShiftsAnothersDraws) {
  FleetDefaults plain = UrbanDefaults(50);
  plain.radio.propagation.shadowing.reset();
  plain.radio.fading.kind = Fading::kNone;
  const Fleet all = *DrawFleet(UrbanDefaults(50)), some = *DrawFleet(plain);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(all.line_of_sight[i], some.line_of_sight[i]);
    EXPECT_EQ(all.energy_budget_j[i], some.energy_budget_j[i]);
  }
}

TEST(Channel, TallDevicesDrawTheirEnvironment) {
  FleetDefaults defaults = Defaults(20'000);
  defaults.radio.propagation.path_loss = PathLoss::kUmaLos;
  defaults.radio.propagation.device_height_m = 22.5;
  const Fleet fleet = *DrawFleet(defaults);
  // Only 21 m moves the break point (to 280 m at 3.5 GHz) inside the cell: then the loss is larger
  // than with 1 m, and 0.06 to 0.21 of the far devices have it.
  int far = 0, larger = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    if ((*fleet.distance_m)[i] < 400) continue;
    const double lowest_w =
        1e-12 / PathGain(defaults.radio.propagation, (*fleet.distance_m)[i], true, 1);
    EXPECT_GE(fleet.noise_to_gain_w[i], lowest_w * (1 - kRounding));
    ++far;
    larger += fleet.noise_to_gain_w[i] > lowest_w * 1.01 ? 1 : 0;
  }
  EXPECT_GT(larger, 0.19 * far);
  EXPECT_LT(larger, 0.23 * far);
}

TEST(Channel, PlacesCountAsFarAsThePathLossIsDefined) {
  FleetDefaults defaults = Defaults(1000);
  defaults.model.area_m = 40;
  defaults.radio.propagation.path_loss = PathLoss::kUmi;
  const Fleet fleet = *DrawFleet(defaults);
  int closest = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    EXPECT_EQ((*fleet.distance_m)[i],
              std::max(10.0, std::hypot(fleet.places->x_m[i], fleet.places->y_m[i])));
    closest += (*fleet.distance_m)[i] == 10 ? 1 : 0;
  }
  EXPECT_NEAR(closest, 1000 * std::numbers::pi * 100 / 1600, 4.5 * 12.6);  // sd = √(1000·p·(1-p))
}

TEST(Channel, TheAreaMustBeWithinTheRange) {
  FleetDefaults defaults = Defaults(3);
  defaults.model.area_m = 8000;
  defaults.radio.propagation.path_loss = PathLoss::kUma;
  EXPECT_EQ(DrawFleet(defaults).error().message,
            "fleet.area_m = 8000: its corners are 5656.85 m from the server, and uma is defined up "
            "to 5000 m: must be <= 7071.07");
  defaults.model.area_m = 7071;
  EXPECT_TRUE(DrawFleet(defaults));
  defaults.radio.propagation.frequency_hz = 1;
  EXPECT_EQ(DrawFleet(defaults).error().message,
            "radio.frequency_hz = 1: uma is defined from 5e+08 to 1e+11");
}

TEST(Channel, AGivenOneIsKeptAndOnlyTheKFactorDrawn) {
  FleetDefaults defaults = UrbanDefaults();
  const auto given = [](bool has_distance) {
    FleetRows rows{.devices = 2, .noise_to_gain_w = {1e-8, 2e-8}};
    if (has_distance) rows.distance_m = {10, 3000};
    return rows;
  };
  const Fleet fleet = *CompleteFleet(given(true), defaults);
  EXPECT_EQ(fleet.noise_to_gain_w[1], 2e-8);
  EXPECT_GT(fleet.rician_k[0], 0);  // at 10 m there is line of sight
  EXPECT_EQ(CompleteFleet(given(false), defaults).error().message,
            "radio.fading = rician: the fleet gives its channel but no distance_m, from which "
            "uma would draw line of sight: set radio.rician_k_db, or one of uma-los and uma-nlos");
  defaults.radio.propagation.path_loss = PathLoss::kUmaLos;
  EXPECT_GT(CompleteFleet(given(false), defaults)->rician_k[1], 0);
  defaults.radio.propagation.path_loss = PathLoss::kUma;
  defaults.radio.fading.rician_k_db = 0;
  EXPECT_EQ(CompleteFleet(given(false), defaults)->rician_k[1], 1);
  defaults.radio.fading.kind = Fading::kRayleigh;
  EXPECT_EQ(CompleteFleet(given(false), defaults)->rician_k[1], 0);
}

TEST(DeviceIds, RowNumbersWithoutNames) {
  DeviceIds ids;
  std::string buffer;
  EXPECT_EQ(ids.Get(0, buffer), "1");
  EXPECT_EQ(ids.Get(41, buffer), "42");
  ids.Append("kitchen");
  ids.Append("");
  ids.Append("hall");
  EXPECT_EQ(ids.Get(0, buffer), "kitchen");
  EXPECT_EQ(ids.Get(1, buffer), "");
  EXPECT_EQ(ids.Get(2, buffer), "hall");
}

// --- Radios with steps ---------------------------------------------------------------------------

TEST(CompleteFleet, MaxPowerIsALevel) {
  FleetDefaults defaults = Defaults(50);
  defaults.radio.power.levels_w = {0.01, 0.1, 0.15};
  EXPECT_EQ(DrawFleet(defaults)->max_power_w[0], 0.15);
  defaults.model.max_power_w = Spread::Uniform(0.05, 0.2);
  const Fleet fleet = *DrawFleet(defaults);
  defaults.radio.power = {};
  const Fleet any = *DrawFleet(defaults);
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    const double cap_w = any.max_power_w[i];
    EXPECT_EQ(fleet.max_power_w[i], cap_w >= 0.15 ? 0.15 : cap_w >= 0.1 ? 0.1 : 0.01);
  }
}

TEST(CompleteFleet, EveryDeviceHasAPower) {
  const auto message = [](const PowerControl& power, const Spread& max_power_w) {
    FleetDefaults defaults = Defaults(2);
    defaults.radio.power = power;
    defaults.model.max_power_w = max_power_w;
    const auto fleet = DrawFleet(defaults);
    return fleet.ok() ? "" : fleet.error().message;
  };
  EXPECT_EQ(message({.min_power_w = 0.3}, Spread::Constant(0.2)),
            "radio.min_power_w = 0.3: must be at most fleet.max_power_w = 0.2");
  EXPECT_EQ(message({.levels_w = {0.1, 0.3}}, Spread::Constant(0.2)),
            "radio.power_levels_w = 0.3: must be at most fleet.max_power_w = 0.2");
  const std::string one = message({.levels_w = {0.3}}, Spread::Uniform(0.1, 0.2));
  EXPECT_TRUE(one.starts_with("device 1: max_power_w = 0.1")) << one;
  EXPECT_TRUE(one.ends_with("must be at least 0.3, the least power of radio.power_levels_w"))
      << one;
}

}  // namespace
}  // namespace airlot
