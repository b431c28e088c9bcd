#include <gtest/gtest.h>

#include <cmath>

#include "airlot/radio.h"

namespace airlot {
namespace {

TEST(Link, WorkedByHand) {
  // At 1000 m the gain is 1e-6; 0.2 W over 1e-12 W of noise leave an SNR of 2e5.
  const LinkBudget link = ComputeLink({}, 1000, 1e5, 0.2, 6374720);
  EXPECT_DOUBLE_EQ(link.gain, 1e-6);
  EXPECT_DOUBLE_EQ(link.noise_w, 1e-12);
  EXPECT_NEAR(link.snr, 2e5, 1e-6);
  EXPECT_NEAR(link.spectral_efficiency, std::log2(200001.0), 1e-12);
  EXPECT_NEAR(link.rate_bps, 1e5 * std::log2(200001.0), 1e-6);
  EXPECT_NEAR(link.upload_s, 6374720 / (1e5 * std::log2(200001.0)), 1e-12);
  EXPECT_NEAR(link.energy_j, 0.2 * link.upload_s, 1e-15);
}

TEST(Link, CloserThanOneMetreCountsAsOneMetre) {
  EXPECT_EQ(PathGain(PathLoss::kInverseSquare, 0), 1);
  EXPECT_EQ(PathGain(PathLoss::kInverseSquare, 0.5), 1);
  EXPECT_EQ(PathGain(PathLoss::kInverseSquare, 2), 0.25);
}

TEST(Noise, DensityTimesBand) {
  // One LTE block of 180 kHz at -174 dBm/Hz holds -121.45 dBm; a figure of 9 dB adds 9 dB.
  Radio radio;
  radio.noise_dbm_per_hz = -174;
  EXPECT_NEAR(ToDecibel(NoisePower(radio, 180e3)) + 30, -121.4473, 1e-4);
  radio.noise_figure_db = 9;
  EXPECT_NEAR(ToDecibel(NoisePower(radio, 180e3)) + 30, -112.4473, 1e-4);
}

TEST(Link, GapAndCap) {
  Radio radio;
  radio.snr_gap_db = 10;
  EXPECT_NEAR(ComputeLink(radio, 1000, 1e5, 0.2, 1).spectral_efficiency, std::log2(1 + 2e4), 1e-12);
  radio.spectral_efficiency_cap = 4.8;
  EXPECT_EQ(ComputeLink(radio, 1000, 1e5, 0.2, 1).spectral_efficiency, 4.8);
}

TEST(Decibel, RoundTrip) {
  EXPECT_DOUBLE_EQ(ToDecibel(100), 20);
  EXPECT_DOUBLE_EQ(FromDecibel(-30), 1e-3);
}

}  // namespace
}  // namespace airlot
