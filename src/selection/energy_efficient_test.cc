// These tests check the least energy for a finish time by hand and against a grid.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "planning/concurrent_uploads.h"
#include "selection/small_cell_for_tests.h"

namespace airlot::selection {
namespace {

constexpr double kLn2 = std::numbers::ln2;
using Devices = std::vector<std::uint32_t>;

std::unique_ptr<Strategy> WithSlack(double slack) {
  return MakeStrategy("energy-efficient", With("energy-efficient", "slack", slack));
}

// Two devices with g = 1 share 2 Hz: each has 1 Hz and 1 bit/s at 1 W, so T_min = 1 s. In twice the
// time 1/2 bit/s is enough, at √2 - 1 W.
TEST(EnergyEfficient, ByHand) {
  SmallCell small({1, 1, 1});
  small.cell.total_bandwidth_hz = 2;
  small.probability[1] = 0;
  const Selection selection = small.Select(*WithSlack(2));
  EXPECT_EQ(selection.devices, (Devices{0, 2}));
  for (const Terms& terms : selection.terms) {
    EXPECT_NEAR(terms.power_w, std::sqrt(2.0) - 1, 1e-12);
    EXPECT_NEAR(terms.bandwidth_hz, 1, 1e-12);
    EXPECT_EQ(terms.cpu_share, 1);
  }
}

// With one device, g = 1/2 W, 1 Hz and T^c = 1 s, T_min = 1 + 1/log2(3) s, and the slack makes it 3
// s. With an upload of 1 s at y = ln 2 and 1/2 W, one more second of it would save g·(1 + (y -
// 1)·e^y) = ln 2 - 1/2 W; one more second of the computation at half speed would save
// 2·E^c·(1/2)²/2 s = E^c/4. Both are the same at E^c = 4 ln 2 - 2 J.
TEST(EnergyEfficient, CpuShareByHand) {
  SmallCell small({0.5});
  small.compute_s = {1};
  small.compute_j = {4 * kLn2 - 2};
  const auto strategy = WithSlack(3 / (1 + 1 / std::log2(3.0)));
  const Selection selection = small.Select(*strategy);
  ASSERT_EQ(selection.devices, Devices{0});
  EXPECT_NEAR(selection.terms[0].cpu_share, 0.5, 1e-10);
  EXPECT_NEAR(selection.terms[0].power_w, 0.5, 1e-10);
  // Where E^c is spent in any case it is better to hurry, which leaves 2 s for the upload, at g·(√2
  // - 1).
  small.cell.problem.compute_rule = ComputeRule::kAlways;
  const auto always = WithSlack(3 / (1 + 1 / std::log2(3.0)));
  const Selection hasty = small.Select(*always);
  EXPECT_EQ(hasty.terms[0].cpu_share, 1);
  EXPECT_NEAR(hasty.terms[0].power_w, 0.5 * (std::sqrt(2.0) - 1), 1e-10);
}

double EnergyOf(const SmallCell& small, const Selection& selection, double* finish_s = nullptr) {
  double energy_j = 0;
  for (std::size_t j = 0; j < selection.devices.size(); ++j) {
    const ParticipationCost cost = CostOf(small.cell, selection.devices[j], selection.terms[j]);
    energy_j += cost.energy_j;
    if (finish_s != nullptr) *finish_s = std::max(*finish_s, cost.upload_s + cost.compute_s);
  }
  return energy_j;
}

// For two devices with computations, a grid holds all splits of the band and both CPU shares.
TEST(EnergyEfficient, NoBetterTermsOnAGrid) {
  for (const bool is_density : {false, true}) {
    SmallCell small({0.3, 0.05});
    small.cell.noise_grows_with_band = is_density;
    small.compute_s = {0.5, 1};
    small.compute_j = {0.5, 0.3};
    const auto strategy = WithSlack(1.5);
    const Selection selection = small.Select(*strategy);
    double finish_s = 0;
    const double energy_j = EnergyOf(small, selection, &finish_s);
    const double deadline_s =
        1.5 * planning::FinishTogether(small.cell, selection.devices, 1.0).finish_s;
    EXPECT_NEAR(finish_s, deadline_s, 1e-9);

    double best_j = 1e300;
    for (int split = 1; split < 200; ++split) {
      const double bands[] = {split * 0.01, 2 - split * 0.01};
      double sum_j = 0;
      for (std::uint32_t i = 0; i < 2; ++i) {
        double least_j = 1e300;
        for (double share = 0.2; share <= 1; share += 0.002) {
          const double upload_s = deadline_s - small.compute_s[i] / share;
          if (upload_s <= 0) continue;
          const double power_w = SendPower(small.cell, i, bands[i], 1, upload_s);
          if (power_w > 1) continue;
          least_j = std::min(least_j, power_w * upload_s + small.compute_j[i] * share * share);
        }
        sum_j += least_j;
      }
      best_j = std::min(best_j, sum_j);
    }
    EXPECT_NEAR(energy_j, best_j, 1e-3 * best_j) << is_density;
  }
}

// More time needs less energy; without slack everybody is at P^max and full speed.
TEST(EnergyEfficient, SlackSavesEnergy) {
  for (const bool is_density : {false, true}) {
    SmallCell small({0.3, 0.05, 0.001, 0.1});
    small.cell.noise_grows_with_band = is_density;
    small.compute_s = {0.5, 0.2, 0.3, 0};
    small.compute_j = {0.5, 0.3, 0, 0.1};
    const Selection full = small.Select(*WithSlack(1));
    ASSERT_EQ(full.devices.size(), 4U);
    for (const Terms& terms : full.terms) {
      EXPECT_NEAR(terms.power_w, 1, 1e-5);
      EXPECT_NEAR(terms.cpu_share, 1, 1e-5);
    }
    double energy_j = EnergyOf(small, full);
    for (const double slack : {1.1, 1.3, 2.0, 4.0}) {
      const double less_j = EnergyOf(small, small.Select(*WithSlack(slack)));
      EXPECT_LT(less_j, energy_j);
      energy_j = less_j;
    }
  }
}

}  // namespace
}  // namespace airlot::selection
