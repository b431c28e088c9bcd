#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fleet/fleet_file_for_tests.h"

namespace airlot::fleet {
namespace {

class MeasuredNoise : public FleetFileTest {
 protected:
  double NoiseToGain(const std::string& text) {
    const auto fleet = Read(text);
    EXPECT_TRUE(fleet) << fleet.error().message;
    return fleet ? fleet->noise_to_gain_w[0] : NAN;
  }
  void UseDensity() { defaults_.radio.noise = NoiseDensity{.dbm_per_hz = -174, .figure_db = 4}; }
};

// Decibels become factors by pow, whose error in the exponent of up to 40 counts 92 times (40·ln
// 10), and a few products follow.
constexpr double kRounding = 200 * 0x1p-53;

TEST_F(MeasuredNoise, WorkedByHand) {
  // The noise is 1e-12 W = -90 dBm; over 100 dB it is 1e-2 W.
  EXPECT_NEAR(NoiseToGain("path_loss_db\n100\n") / 1e-2, 1, kRounding);
  EXPECT_NEAR(NoiseToGain("channel_gain_db\n-100\n") / 1e-2, 1, kRounding);
  EXPECT_NEAR(NoiseToGain("path_loss_db,noise_dbm\n100,-110\n") / 1e-4, 1, kRounding);
  EXPECT_NEAR(NoiseToGain("distance_m,noise_dbm\n100,-110\n") / 1e-10, 1, kRounding);
  EXPECT_EQ(NoiseToGain("noise_to_gain_w\n3e-9\n"), 3e-9);
}

TEST_F(MeasuredNoise, OfTheScenarioIsInTheOwnBand) {
  UseDensity();
  defaults_.radio.band.bandwidth_hz = 1e6;  // -174 + 4 + 60 = -110 dBm for one device
  EXPECT_NEAR(NoiseToGain("path_loss_db\n100\n") / 1e-4, 1, kRounding);
  EXPECT_NEAR(NoiseToGain("path_loss_db,bandwidth_hz\n100,1e5\n") / 1e-5, 1, kRounding);
}

TEST_F(MeasuredNoise, GrowsWithTheBandWhereTheNoiseIsADensity) {
  UseDensity();
  for (const double band_hz : {1e5, 1e6, 5e7}) {
    defaults_.radio.band.bandwidth_hz = band_hz;
    EXPECT_NEAR(NoiseToGain("noise_to_gain_w,noise_band_hz\n3e-9,1e6\n"), 3e-9 * band_hz / 1e6,
                3e-9 * band_hz / 1e6 * kRounding);
    EXPECT_NEAR(NoiseToGain("path_loss_db,noise_dbm,noise_band_hz\n100,-110,1e6\n"),
                1e-4 * band_hz / 1e6, 1e-4 * band_hz / 1e6 * kRounding);
  }
  // In its own band it is what it was, to the bit.
  EXPECT_EQ(NoiseToGain("noise_to_gain_w,noise_band_hz,bandwidth_hz\n3e-9,7e5,7e5\n"), 3e-9);
  EXPECT_EQ(NoiseToGain("noise_to_gain_w,bandwidth_hz\n3e-9,7e5\n"), 3e-9);
}

TEST_F(MeasuredNoise, TwoDevicesAreTwiceAsSensitive) {
  // More rows make narrower bands, and the noise follows.
  UseDensity();
  EXPECT_NEAR(NoiseToGain("noise_to_gain_w,noise_band_hz\n3e-9,1e7\n3e-9,1e7\n"), 1.5e-9,
              1.5e-9 * kRounding);
}

TEST_F(MeasuredNoise, StaysWhereItIsTheSameInEveryBand) {
  EXPECT_EQ(NoiseToGain("noise_to_gain_w,noise_band_hz\n3e-9,123\n"), 3e-9);
  EXPECT_EQ(NoiseToGain("noise_to_gain_w,bandwidth_hz\n3e-9,123\n"), 3e-9);
}

TEST_F(MeasuredNoise, SaysThatItsBandIsNotKnown) {
  UseDensity();
  const std::string rest =
      ": the noise grows with the band (radio.noise_dbm_per_hz), and the file does not say in "
      "which band it was measured: add a column noise_band_hz, or bandwidth_hz if that is each "
      "device's own";
  EXPECT_EQ(ErrorOf("noise_to_gain_w\n3e-9\n"), "fleet.csv:1: column noise_to_gain_w" + rest);
  EXPECT_EQ(ErrorOf("path_loss_db,noise_dbm\n100,-110\n"), "fleet.csv:1: column noise_dbm" + rest);
}

TEST_F(MeasuredNoise, IsSavedWithItsBand) {
  UseDensity();
  const auto fleet = Read("path_loss_db,bandwidth_hz\n100,333333\n90,777\n");
  ASSERT_TRUE(fleet) << fleet.error().message;
  ASSERT_TRUE(WriteFleet(path_, *fleet).ok());
  const auto again = ReadFleet(path_, defaults_);
  ASSERT_TRUE(again) << again.error().message;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again->noise_to_gain_w[i], fleet->noise_to_gain_w[i]);
  }
  const auto rows = ReadFleetRows(path_);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->noise_band_hz[1], 777);
}

}  // namespace
}  // namespace airlot::fleet
