#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "airlot/fleet.h"
#include "base/mutations_for_tests.h"
#include "fleet/fleet_file_for_tests.h"

namespace airlot {
namespace {

// Columns follow from others by a few operations in double, so they are off by fewer than 32
// roundings of numbers up to 2.
constexpr double kRounding = 32 * 0x1p-53 * 2;

class FleetCsv : public fleet::FleetFileTest {};

TEST_F(FleetCsv, ReadsColumnsInAnyOrder) {
  const auto fleet = Read(
      "energy_budget_j,id,distance_m,max_power_w\n"
      "2.5,kitchen,100,0.1\n"
      "0,\"hall, upper\",200,0.2\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  std::string buffer;
  EXPECT_EQ(fleet->devices, 2u);
  EXPECT_EQ(fleet->ids.Get(1, buffer), "hall, upper");
  EXPECT_EQ(fleet->energy_budget_j[0], 2.5);
  EXPECT_EQ(fleet->energy_budget_j[1], 0);
  EXPECT_EQ(fleet->max_power_w[1], 0.2);
  EXPECT_DOUBLE_EQ(fleet->noise_to_gain_w[1], 4e-8);
  EXPECT_EQ(fleet->bandwidth_hz[0], 5e6);  // the cell's 10 MHz are shared by two
  EXPECT_EQ(fleet->time_limit_s[0], 0.1);  // the scenario's limit
}

TEST_F(FleetCsv, DrawsAbsentColumnsLikeTheScenario) {
  const auto fleet = Read("id\na\nb\nc\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  FleetDefaults defaults = defaults_;
  defaults.model.devices = 3;
  const Fleet drawn = *DrawFleet(defaults);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(fleet->energy_budget_j[i], drawn.energy_budget_j[i]);
    EXPECT_EQ(fleet->noise_to_gain_w[i], drawn.noise_to_gain_w[i]);
    EXPECT_EQ(fleet->compute_energy_j[i], drawn.compute_energy_j[i]);
  }
}

TEST_F(FleetCsv, ComputesTheEnergyFromItsParts) {
  const auto fleet =
      Read("distance_m,samples,cycles_per_sample,cpu_hz,kappa\n10,600,5e6,2e9,1e-28\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_NEAR(fleet->compute_energy_j[0], 1.2, kRounding);
  EXPECT_NEAR((*fleet->compute_time_s)[0], 1.5, kRounding);
}

TEST_F(FleetCsv, AcceptsCrlfAndByteOrderMark) {
  const auto fleet = Read(
      "\xEF\xBB\xBF"
      "id,distance_m\r\na,10\r\nb,20\r\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_EQ((*fleet->distance_m)[1], 20);
}

TEST_F(FleetCsv, PerDeviceUpdateAndLimit) {
  const auto fleet = Read("distance_m,update_bits,time_limit_s\n10,5,0.5\n10,7,0.25\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_EQ(fleet->update_bits[1], 7);
  EXPECT_EQ(fleet->time_limit_s[1], 0.25);
}

TEST_F(FleetCsv, WhatIsWrittenReadsBackToTheSameFleet) {
  FleetDefaults defaults = defaults_;
  defaults.model.devices = 20;
  const Fleet drawn = *DrawFleet(defaults);
  ASSERT_TRUE(WriteFleet(path_, drawn).ok());
  const auto read = ReadFleet(path_, {.seed = 7});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->devices, 20u);
  ASSERT_TRUE(read->places);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ((*read->distance_m)[i], (*drawn.distance_m)[i]);
    EXPECT_EQ(read->places->x_m[i], drawn.places->x_m[i]);
    EXPECT_EQ(read->places->y_m[i], drawn.places->y_m[i]);
    EXPECT_EQ(read->noise_to_gain_w[i], drawn.noise_to_gain_w[i]);
    EXPECT_EQ(read->nat_time_s[i], drawn.nat_time_s[i]);
    EXPECT_EQ(read->max_power_w[i], drawn.max_power_w[i]);
    EXPECT_EQ(read->energy_budget_j[i], drawn.energy_budget_j[i]);
    EXPECT_EQ(read->compute_energy_j[i], drawn.compute_energy_j[i]);
    EXPECT_EQ((*read->samples)[i], (*drawn.samples)[i]);
    EXPECT_EQ((*read->compute_time_s)[i], (*drawn.compute_time_s)[i]);
    EXPECT_EQ(read->time_limit_s[i], drawn.time_limit_s[i]);
  }
}

TEST_F(FleetCsv, SamplesMayStandBesideTheEnergy) {
  const auto fleet = Read("distance_m,compute_energy_j,samples\n1,2,30\n1,4,10\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  ASSERT_TRUE(fleet->samples);
  EXPECT_EQ((*fleet->samples)[0], 30);
  EXPECT_EQ((*fleet->samples)[1], 10);
  EXPECT_EQ(fleet->compute_energy_j[1], 4);
  EXPECT_FALSE(Read("distance_m,compute_energy_j\n1,2\n")->samples);
}

// Errors of all kinds: a fleet of finite numbers, or an error that names the file.
TEST_F(FleetCsv, MutationsAreReadOrRefused) {
  path_ = base::FolderInMemory() + "/fleet_csv_" + std::to_string(::getpid());
  std::size_t read = 0, refused = 0;
  base::ForEachMutation(
      "id,distance_m,max_power_w,energy_budget_j,samples,cycles_per_sample,cpu_hz,kappa\n"
      "a,10,0.1,2.5,600,5e6,2e9,1e-28\nb,250.5,0.2,0,20,1e6,1e9,2e-28\n",
      2000, [&](const std::string& text) {
        const auto fleet = Read(text);
        if (!fleet) {
          ++refused;
          ASSERT_TRUE(fleet.error().message.starts_with(path_ + ":")) << fleet.error().message;
          return;
        }
        ++read;
        for (std::size_t i = 0; i < fleet->devices; ++i) {
          ASSERT_TRUE(std::isfinite(fleet->noise_to_gain_w[i]) && fleet->noise_to_gain_w[i] > 0);
          ASSERT_TRUE(std::isfinite(fleet->energy_budget_j[i]) && fleet->energy_budget_j[i] >= 0);
          ASSERT_TRUE(std::isfinite(fleet->compute_energy_j[i]));
        }
      });
  std::filesystem::remove(path_);
  EXPECT_GT(read, 100U);
  EXPECT_GT(refused, 100U);
}

TEST_F(FleetCsv, HarvestNeedsABattery) {
  EXPECT_EQ(Read("distance_m,harvest_w\n1,2\n").error().message,
            path_ +
                ":1: column harvest_w: there is no battery to charge: add battery_j, or "
                "battery_mah and battery_v, or set fleet.battery_j");
  defaults_.model.harvest_w = Spread::Constant(1);
  EXPECT_EQ(Read("distance_m\n1\n").error().message,
            "fleet.harvest_w: there is no battery to charge: set fleet.battery_j");
  // The battery is from the file; the rest is drawn.
  const auto fleet = Read("distance_m,battery_j\n1,5\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  EXPECT_EQ(fleet->batteries->harvest_w[0], 1);
}

TEST_F(FleetCsv, ReceptionAndBatteriesReadBackToo) {
  FleetDefaults defaults = defaults_;
  defaults.model.devices = 20;
  defaults.model.battery_j = Spread::LogUniform(1, 100);
  defaults.model.harvest_w = Spread::Uniform(0, 1);
  defaults.radio.consumption.receive_power_w = 0.1;
  defaults.model_bits = 1e6;
  const Fleet drawn = *DrawFleet(defaults);
  ASSERT_TRUE(drawn.batteries);
  ASSERT_TRUE(WriteFleet(path_, drawn).ok());
  FleetDefaults others{.seed = 7};
  others.radio.consumption.receive_power_w = 9;
  const auto read = ReadFleet(path_, others);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->batteries);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(read->batteries->capacity_j[i], drawn.batteries->capacity_j[i]);
    EXPECT_EQ(read->batteries->harvest_w[i], drawn.batteries->harvest_w[i]);
    EXPECT_EQ(read->ReceiveEnergy()[i], drawn.ReceiveEnergy()[i]);
    EXPECT_EQ(read->FixedEnergy()[i], drawn.compute_energy_j[i] + drawn.ReceiveEnergy()[i]);
  }
}

// With a server of 3 W and g = 1 W in the whole band of 10 Hz there are 2 bit/s/Hz, so 40 bit take
// 2 s.
TEST_F(FleetCsv, ReceptionByHand) {
  defaults_.radio = {.noise = FixedNoise{1}, .band = {.bandwidth_hz = 10}, .server_power_w = 3};
  defaults_.model_bits = 40;
  EXPECT_EQ(Read("distance_m\n1\n")->ReceiveEnergy()[0], 0);
  EXPECT_FALSE(Read("distance_m\n1\n")->reception);
  defaults_.radio.consumption.receive_power_w = 0.5;
  EXPECT_NEAR(Read("distance_m\n1\n")->ReceiveEnergy()[0], 1, kRounding);
  defaults_.radio.coding.spectral_efficiency_cap = 1;
  EXPECT_NEAR(Read("distance_m\n1\n")->ReceiveEnergy()[0], 2, kRounding);
  defaults_.radio.coding.spectral_efficiency_cap = std::numeric_limits<double>::infinity();
  defaults_.radio.coding.mcs.rows = {{-10, 0.1}, {0, 0.5}};  // the last row caps it, too
  EXPECT_NEAR(Read("distance_m\n1\n")->ReceiveEnergy()[0], 4, kRounding);
  defaults_.radio.coding = {.spectral_efficiency_cap = 9};
  // A density of 0.1 W/Hz gives 1 W in the whole band too, though a device's own band holds less.
  defaults_.radio.noise = NoiseDensity{.dbm_per_hz = 20};
  EXPECT_NEAR(Read("distance_m,bandwidth_hz\n1,2\n1,8\n")->ReceiveEnergy()[0], 1, kRounding);
  // The whole band is that of all devices: in 2 Hz, 0.2 W and 4 bit/s/Hz, 40 bit take 5 s.
  EXPECT_NEAR(Read("distance_m,bandwidth_hz\n1,2\n")->ReceiveEnergy()[0], 2.5, 2 * kRounding);
}

TEST_F(FleetCsv, ReportsProgressOnLargeFiles) {
  std::string text = "distance_m\n";
  for (int i = 0; i < 200'000; ++i) text += "10\n";
  std::ofstream(path_) << text;
  std::vector<double> shares;
  const auto fleet = ReadFleet(path_, defaults_, 1, [&](double share) { shares.push_back(share); });
  ASSERT_TRUE(fleet);
  EXPECT_EQ(fleet->devices, 200'000u);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LE(shares.back(), 1);
}

TEST_F(FleetCsv, NamesFileLineFieldValueAndBound) {
  const std::string header = "id,distance_m,energy_budget_j,bandwidth_hz\n";
  const auto row = [&](const std::string& text) {
    return ErrorOf(header + "a,1,1,1\n" + text + "\n");
  };
  EXPECT_EQ(row("b,1,-3,1"), "fleet.csv:3: energy_budget_j = -3: must be >= 0");
  EXPECT_EQ(row("b,1,1,0"), "fleet.csv:3: bandwidth_hz = 0: must be > 0");
  EXPECT_EQ(row("b,1,1,-1"), "fleet.csv:3: bandwidth_hz = -1: must be > 0");
  EXPECT_EQ(row("b,1,much,1"), "fleet.csv:3: energy_budget_j = \"much\": must be a number");
  EXPECT_EQ(row("b,1,nan,1"), "fleet.csv:3: energy_budget_j = nan: must be a finite number");
  EXPECT_EQ(row("b,1,inf,1"), "fleet.csv:3: energy_budget_j = inf: must be a finite number");
  EXPECT_EQ(row("b,1,1e400,1"), "fleet.csv:3: energy_budget_j = 1e400: must be a finite number");
  EXPECT_EQ(row("b,1,1e41,1"), "fleet.csv:3: energy_budget_j = 1e41: must be <= 1e+40");
  EXPECT_EQ(row("b,1,1,1e-41"), "fleet.csv:3: bandwidth_hz = 1e-41: must be >= 1e-40");
  EXPECT_EQ(row("b,1,1e-41,1"), "fleet.csv:3: energy_budget_j = 1e-41: must be 0 or >= 1e-40");
  EXPECT_EQ(row("b,1,,1"), "fleet.csv:3: energy_budget_j is missing");
  EXPECT_EQ(row(",1,1,1"), "fleet.csv:3: id is missing");
  EXPECT_EQ(row("b\033[2J,1,1,1"), "fleet.csv:3: id = \"b?[2J\": must not have control characters");
  EXPECT_EQ(row("b,1,1,1,1"), "fleet.csv:3: 5 fields, but the header has 4");
}

TEST_F(FleetCsv, RefusesWhatFollowsFromTheColumns) {
  EXPECT_EQ(ErrorOf("id,noise_to_gain_w,update_bits,bandwidth_hz\na,1,1,1\nb,1,1e30,1e-30\n"),
            "fleet.csv:3: device 2 (b): nat_time_s = 6.931471805599453e+59, which follows from "
            "update_bits and bandwidth_hz: must be 1e-40 to 1e+40");
}

TEST_F(FleetCsv, RefusesBadHeaders) {
  EXPECT_EQ(ErrorOf("id,distance\n"),
            "fleet.csv:1: unknown column \"distance\": did you mean distance_m?");
  EXPECT_EQ(ErrorOf("id,colour\n").substr(0, 42), "fleet.csv:1: unknown column \"colour\": plan");
  EXPECT_EQ(ErrorOf("id;distance_m\na;1\n"),
            "fleet.csv:1: unknown column \"id;distance_m\": columns are separated by commas");
  EXPECT_EQ(ErrorOf("id,distance_m,id\n"), "fleet.csv:1: column id appears twice");
  EXPECT_EQ(
      ErrorOf("compute_energy_j,cpu_hz\n1,1\n"),
      "fleet.csv:1: columns compute_energy_j and cpu_hz: give either the energy or what it is "
      "computed from");
  EXPECT_EQ(ErrorOf("id,distance_m\n"), "fleet.csv: has a header but no devices");
  EXPECT_EQ(ErrorOf("1,100,0.5\n2,50,0.5\n").substr(0, 32), "fleet.csv:1: unknown column \"1\":");
}

}  // namespace
}  // namespace airlot
