// These tests check delay-energy by hand and against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

constexpr double kLn2 = std::numbers::ln2;
using Devices = std::vector<std::uint32_t>;

std::unique_ptr<Strategy> WithWeight(double weight_j_per_s) {
  return MakeStrategy("delay-energy", With("delay-energy", "weight_j_per_s", weight_j_per_s));
}

// The optimum is y = ln 2 where κ/g = 1 + (ln 2 - 1)·2 = 2 ln 2 - 1. At g = 1/2 W and κ = ln 2 -
// 1/2 J/s the power is g·(2 - 1) = 1/2 W.
TEST(DelayEnergy, ByHand) {
  SmallCell small({0.5});
  const Selection selection = small.Select(*WithWeight(kLn2 - 0.5));
  EXPECT_EQ(selection.devices, Devices{0});
  EXPECT_TRUE(selection.takes_turns);
  EXPECT_NEAR(selection.terms[0].power_w, 0.5, 1e-13);
  EXPECT_EQ(selection.terms[0].bandwidth_hz, 1);
  EXPECT_EQ(selection.terms[0].cpu_share, 1);
  // Haste does not help beyond P^max = 1 W.
  EXPECT_EQ(small.Select(*WithWeight(1e6)).terms[0].power_w, 1);
  // At most 1/2 bit/s/Hz need g·(√2 - 1).
  small.cell.problem.spectral_efficiency_cap = 0.5;
  EXPECT_NEAR(small.Select(*WithWeight(1e6)).terms[0].power_w, 0.5 * (std::sqrt(2.0) - 1), 1e-13);
}

// Computations take 1, 1 and 0.1 s at 1/2 J. With κ = 1/4, κ·T³ = 2·(1/2 + 1/2) at T = 2, which the
// first two reach at half speed; the third would need a share of 0.05 and stays at the least, 0.15,
// with which it takes 0.1/0.15 = 0.67 s, so that it is the first to send. With κ = 16, T would be
// 1/2 < 1, so that the slowest run at full speed, and the third at 0.15 again. Where E^c is spent
// anyway, nobody is slower.
TEST(DelayEnergy, CpuSharesByHand) {
  SmallCell small({0.1, 0.1, 0.1});
  small.compute_s = {1, 1, 0.1};
  small.compute_j = {0.5, 0.5, 0.5};
  const Selection selection = small.Select(*WithWeight(0.25));
  EXPECT_EQ(selection.devices, (Devices{2, 0, 1}));
  EXPECT_NEAR(selection.terms[0].cpu_share, 0.15, 1e-13);
  EXPECT_NEAR(selection.terms[1].cpu_share, 0.5, 1e-13);
  EXPECT_NEAR(selection.terms[2].cpu_share, 0.5, 1e-13);
  const Selection hasty = small.Select(*WithWeight(16));
  EXPECT_NEAR(hasty.terms[0].cpu_share, 0.15, 1e-13);
  EXPECT_EQ(hasty.terms[1].cpu_share, 1);
  EXPECT_EQ(hasty.terms[2].cpu_share, 1);
  small.cell.problem.compute_rule = ComputeRule::kAlways;
  for (const Terms& terms : small.Select(*WithWeight(0.25)).terms) EXPECT_EQ(terms.cpu_share, 1);
}

// Energy plus weighted time is no less with any power a bit larger or smaller, nor with any other
// common time of the computations.
TEST(DelayEnergy, NothingNearIsBetter) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, base::Purpose{904}, 0, 0);
    std::vector<double> gains(8);
    for (double& gain : gains) gain = random.LogUniform(1e-6, 1);
    SmallCell small(gains);
    small.cell.noise_grows_with_band = seed % 2 == 0;
    for (double& time_s : small.compute_s) time_s = random.LogUniform(0.01, 1);
    for (double& energy_j : small.compute_j) energy_j = random.LogUniform(0.01, 1);
    const double weight = random.LogUniform(0.01, 10);
    const Selection selection = small.Select(*WithWeight(weight));
    ASSERT_EQ(selection.devices.size(), 8U);

    const auto upload_cost = [&](std::size_t j, double power_w) {
      return (power_w + weight) *
             SendTime(small.cell, selection.devices[j], power_w, small.cell.total_bandwidth_hz, 1);
    };
    double compute_s = 0, least_j = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      const double power_w = selection.terms[j].power_w;
      EXPECT_GE(upload_cost(j, power_w * 0.999), upload_cost(j, power_w));
      if (power_w < 1) {
        EXPECT_GE(upload_cost(j, power_w * 1.001), upload_cost(j, power_w));
      }
      const std::uint32_t i = selection.devices[j];
      compute_s = std::max(compute_s, small.compute_s[i] / selection.terms[j].cpu_share);
      least_j += small.compute_j[i] * std::pow(selection.terms[j].cpu_share, 2);
    }
    const double slowest_s = *std::ranges::max_element(small.compute_s);
    for (double time_s = slowest_s; time_s < 20; time_s *= 1.01) {
      double cost = weight * time_s;
      for (std::size_t i = 0; i < 8; ++i) {
        cost += small.compute_j[i] * std::pow(std::max(0.15, small.compute_s[i] / time_s), 2);
      }
      EXPECT_LE(least_j + weight * compute_s, cost * (1 + 1e-12)) << seed << ' ' << time_s;
    }
  }
}

TEST(DelayEnergy, MoreWeightIsFasterAndDearer) {
  SmallCell small({0.01, 0.1});
  small.compute_s = {1, 0.5};
  small.compute_j = {1, 1};
  double power_w = 0, share = 0;
  for (const double weight : {0.01, 0.1, 1.0}) {
    const Selection selection = small.Select(*WithWeight(weight));
    const auto j = std::size_t(std::ranges::find(selection.devices, 0) - selection.devices.begin());
    EXPECT_GT(selection.terms[j].power_w, power_w);
    EXPECT_GT(selection.terms[j].cpu_share, share);
    power_w = selection.terms[j].power_w;
    share = selection.terms[j].cpu_share;
  }
}

}  // namespace
}  // namespace airlot::selection
