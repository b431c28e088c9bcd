#include <gtest/gtest.h>

#include <cmath>

#include "airlot/radio.h"

namespace airlot {
namespace {

// A link takes some ten operations on doubles, so it is off by fewer than 32 roundings.
constexpr double kRounding = 32 * 0x1p-53;

TEST(Link, WorkedByHand) {
  // At 1000 m the gain is 1e-6; 0.2 W over 1e-12 W of noise leave an SNR of 2e5.
  const LinkBudget link = ComputeLink({}, {.distance_m = 1000}, 1e5, 0.2, 6374720);
  EXPECT_DOUBLE_EQ(link.gain, 1e-6);
  EXPECT_DOUBLE_EQ(link.noise_w, 1e-12);
  EXPECT_NEAR(link.snr / 2e5, 1, kRounding);
  EXPECT_NEAR(link.spectral_efficiency / std::log2(200001.0), 1, kRounding);
  EXPECT_NEAR(link.rate_bps / (1e5 * std::log2(200001.0)), 1, kRounding);
  EXPECT_NEAR(link.upload_s / (6374720 / (1e5 * std::log2(200001.0))), 1, kRounding);
  EXPECT_NEAR(link.energy_j / (0.2 * link.upload_s), 1, kRounding);
}

TEST(Noise, DensityTimesBand) {
  // One LTE block of 180 kHz at -174 dBm/Hz holds -121.45 dBm; a figure of 9 dB adds 9 dB.
  NoiseDensity noise{.dbm_per_hz = -174};
  EXPECT_NEAR(ToDecibel(NoisePower(noise, 180e3)) + 30, -121.4473, 1e-4);  // the digits given
  noise.figure_db = 9;
  EXPECT_NEAR(ToDecibel(NoisePower(noise, 180e3)) + 30, -112.4473, 1e-4);
}

TEST(Link, GapAndCap) {
  Radio radio;
  radio.coding.snr_gap_db = 10;
  EXPECT_NEAR(ComputeLink(radio, {.distance_m = 1000}, 1e5, 0.2, 1).spectral_efficiency,
              std::log2(1 + 2e4), kRounding * std::log2(1 + 2e4));
  radio.coding.spectral_efficiency_cap = 4.8;
  EXPECT_EQ(ComputeLink(radio, {.distance_m = 1000}, 1e5, 0.2, 1).spectral_efficiency, 4.8);
}

TEST(Link, ShadowingIsLoss) {
  const LinkBudget link = ComputeLink({}, {.distance_m = 10, .shadowing_db = 10}, 1e5, 0.2, 1);
  EXPECT_DOUBLE_EQ(link.path_loss_db, 20);
  EXPECT_DOUBLE_EQ(link.gain, 1e-3);
}

TEST(Link, ObstaclesAndHeightsReachTheGain) {
  Radio radio;
  radio.propagation.path_loss = PathLoss::kUma;
  radio.propagation.device_height_m = 22.5;
  const LinkSite site{.distance_m = 4000, .line_of_sight = false, .environment_height_m = 21};
  const LinkBudget link = ComputeLink(radio, site, 1e5, 0.2, 1);
  EXPECT_EQ(link.path_loss_db, PathLossDb(radio.propagation, 4000, false, 21));
  // A gain that is off by so many roundings is off by 10/ln 10 times as many decibels.
  EXPECT_NEAR(ToDecibel(link.gain), -link.path_loss_db, kRounding * 2 * link.path_loss_db);
}

TEST(Link, AmplifierAndCircuitDrawPower) {
  // 0.2 W radiated at 40 % take 0.5 W, and the circuit 0.1 W.
  Radio radio;
  const double upload_s = ComputeLink(radio, {.distance_m = 1000}, 1e5, 0.2, 6374720).upload_s;
  radio.consumption.amplifier_efficiency = 0.4;
  radio.consumption.circuit_power_w = 0.1;
  const LinkBudget link = ComputeLink(radio, {.distance_m = 1000}, 1e5, 0.2, 6374720);
  EXPECT_EQ(link.upload_s, upload_s);
  EXPECT_DOUBLE_EQ(link.drawn_power_w, 0.6);
  EXPECT_DOUBLE_EQ(link.energy_j, 0.6 * upload_s);
}

TEST(Decibel, RoundTrip) {
  EXPECT_DOUBLE_EQ(ToDecibel(100), 20);
  EXPECT_DOUBLE_EQ(FromDecibel(-30), 1e-3);
}

}  // namespace
}  // namespace airlot
