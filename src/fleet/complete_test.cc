#include "fleet/complete.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace airlot {
namespace {

FleetDefaults Defaults(std::size_t devices = 1000) {
  FleetDefaults defaults;
  defaults.model.devices = devices;
  defaults.update_bits = 6374720;
  defaults.time_limit_s = 0.08;
  return defaults;
}

// Every column of a device, in one place to compare.
std::vector<double> Row(const Fleet& fleet, std::size_t i) {
  return {fleet.x_m[i],
          fleet.y_m[i],
          fleet.distance_m[i],
          fleet.max_power_w[i],
          fleet.energy_budget_j[i],
          fleet.noise_to_gain_w[i],
          fleet.compute_energy_j[i],
          fleet.compute_time_s[i]};
}

TEST(DrawFleet, StaysInItsRanges) {
  const Fleet fleet = *DrawFleet(Defaults());
  double furthest_m = 0, least_j = 1e9, most_j = 0;
  for (std::size_t i = 0; i < fleet.devices; ++i) {
    EXPECT_LE(std::abs(fleet.x_m[i]), 500);
    EXPECT_LE(std::abs(fleet.y_m[i]), 500);
    EXPECT_GE(fleet.distance_m[i], 1);
    EXPECT_NEAR(fleet.distance_m[i], std::max(1.0, std::hypot(fleet.x_m[i], fleet.y_m[i])), 1e-9);
    furthest_m = std::max(furthest_m, fleet.distance_m[i]);
    least_j = std::min(least_j, fleet.energy_budget_j[i]);
    most_j = std::max(most_j, fleet.energy_budget_j[i]);
  }
  EXPECT_GT(furthest_m, 600);  // corners are reached
  EXPECT_GE(least_j, 1e-3);
  EXPECT_LT(least_j, 2e-3);
  EXPECT_LE(most_j, 100);
  EXPECT_GT(most_j, 50);
}

TEST(DrawFleet, DerivesWhatThePlannerNeeds) {
  const Fleet fleet = *DrawFleet(Defaults(100));
  EXPECT_EQ(fleet.bandwidth_hz[7], 1e5);  // 10 MHz shared by 100
  EXPECT_NEAR(fleet.nat_time_s[7], 6374720 * std::numbers::ln2 / 1e5, 1e-9);  // 44.2 s
  EXPECT_NEAR(fleet.noise_to_gain_w[7], 1e-12 * std::pow(fleet.distance_m[7], 2), 1e-18);
  // E^c = κ·work·γ² and T^c = work/γ, so E^c·T^c² = κ·work³.
  const double work =
      std::cbrt(fleet.compute_energy_j[7] * std::pow(fleet.compute_time_s[7], 2) / 1e-28);
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
  EXPECT_NEAR(fleet.compute_energy_j[0], 1e-28 * 5e6 * 600 * 4e18, 1e-12);  // 1.2 J
  EXPECT_NEAR(fleet.compute_time_s[0], 1.5, 1e-12);
}

TEST(Complete, GivenColumnsWin) {
  fleet::GivenColumns given;
  given.noise_to_gain_w = {1e-8, 2e-8};
  given.compute_energy_j = {0.5, 0.25};
  given.bandwidth_hz = {1e6, 2e6};
  const Fleet fleet = *fleet::Complete(2, std::move(given), Defaults(), 1);
  EXPECT_FALSE(fleet.has_place);
  EXPECT_FALSE(fleet.has_distance);
  EXPECT_FALSE(fleet.has_compute_time);  // nothing says how long it takes
  EXPECT_EQ(fleet.noise_to_gain_w[1], 2e-8);
  EXPECT_EQ(fleet.compute_energy_j[1], 0.25);
  EXPECT_NEAR(fleet.nat_time_s[1], 6374720 * std::numbers::ln2 / 2e6, 1e-12);
}

TEST(Complete, NoiseDensityCountsTheDevicesOwnBand) {
  FleetDefaults defaults = Defaults();
  defaults.radio.noise_dbm_per_hz = -174;
  fleet::GivenColumns given;
  given.distance_m = {100, 100};
  given.bandwidth_hz = {1e5, 3e5};
  const Fleet fleet = *fleet::Complete(2, std::move(given), defaults, 1);
  EXPECT_NEAR(fleet.noise_to_gain_w[1] / fleet.noise_to_gain_w[0], 3, 1e-12);
}

// --- Samples that come from elsewhere ------------------------------------------------------------

FleetDefaults WithSamples(std::vector<double> samples) {
  FleetDefaults defaults = Defaults(samples.size());
  defaults.model.cycles_per_sample = Spread::Constant(1e6);
  defaults.model.cpu_hz = Spread::Constant(1e9);
  defaults.samples_of = [samples](std::size_t devices) -> Result<Values> {
    if (devices != samples.size()) return Error{"no such fleet"};
    return Values(samples.begin(), samples.end());
  };
  return defaults;
}

TEST(SamplesOf, DecideTheComputation) {
  const Fleet fleet = *DrawFleet(WithSamples({10, 0, 30}));
  EXPECT_DOUBLE_EQ(fleet.compute_time_s[0], 0.01);  // (7)
  EXPECT_EQ(fleet.compute_time_s[1], 0);
  EXPECT_DOUBLE_EQ(fleet.compute_energy_j[2], 1e-28 * 1e6 * 30 * 1e18);  // (6)
}

TEST(SamplesOf, AreAskedForOnlyWhereAFileDoesNotSay) {
  FleetDefaults defaults = WithSamples({10, 20});
  fleet::GivenColumns samples, energy;
  samples.samples = {5, 6, 7};
  energy.compute_energy_j = {1, 2, 3};
  EXPECT_DOUBLE_EQ(fleet::Complete(3, std::move(samples), defaults, 1)->compute_time_s[2], 0.007);
  EXPECT_EQ(fleet::Complete(3, std::move(energy), defaults, 1)->compute_energy_j[2], 3);
  const auto neither = fleet::Complete(3, {}, defaults, 1);
  ASSERT_FALSE(neither.ok());
  EXPECT_EQ(neither.error().message, "no such fleet");
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

}  // namespace
}  // namespace airlot
